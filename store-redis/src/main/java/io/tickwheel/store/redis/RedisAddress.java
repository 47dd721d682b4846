package io.tickwheel.store.redis;

import io.tickwheel.store.redis.link.Endpoint;
import io.tickwheel.store.redis.link.ServerAddress;
import io.tickwheel.store.redis.link.ServerAddress.Access;
import io.tickwheel.store.redis.link.ServerAddress.Kind;
import io.tickwheel.store.redis.link.ServerAddress.Login;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers are, and how to be let in: one server, the sentinels that know it, or some nodes of a cluster.
 * Immutable and thread-safe.
 *
 * <p>A URI is {@code redis://host:port}, or {@code rediss://host:port} for TLS; without a port it is 6379, of a sentinel
 * 26379. All URIs of an address have one scheme, which goes for the servers that are found by them too, unless {@link #withServerTls} or
 * {@link #withoutServerTls} says otherwise of those that sentinels name. Users and passwords
 * are not in URIs, which end up in logs: see {@link #withUsername} and {@link #withPassword}, and for sentinels
 * {@link #withSentinelUsername} and {@link #withSentinelPassword}.
 */
public final class RedisAddress {

    private static final Pattern URI =
            Pattern.compile("(rediss?)://(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?");
    private static final int PORT = 6379;
    private static final int SENTINEL_PORT = 26379;
    private static final int HIGHEST_PORT = 65535;

    private final ServerAddress servers;

    private RedisAddress(ServerAddress servers) {
        this.servers = servers;
    }

    /** As the link takes it. */
    ServerAddress servers() {
        return servers;
    }

    /**
     * One server, without a way to find another when it fails.
     *
     * @throws IllegalArgumentException when it is no URI of a server
     */
    public static RedisAddress single(String uri) {
        return of(Kind.SINGLE, "", PORT, uri);
    }

    /**
     * The master that sentinels watch.
     *
     * @param masterName the name that the sentinels have for it
     * @param uris of sentinels: at least one, better all
     * @throws IllegalArgumentException when the name is empty or one is no URI of a server
     */
    public static RedisAddress sentinel(String masterName, String... uris) {
        if (masterName.isBlank()) {
            throw new IllegalArgumentException(
                    "the name of the master is empty, must be the one that the sentinels have");
        }
        return of(Kind.SENTINEL, masterName, SENTINEL_PORT, uris);
    }

    /**
     * A cluster.
     *
     * @param uris of some nodes, by which the others are found: at least one, better a few
     * @throws IllegalArgumentException when one is no URI of a server
     */
    public static RedisAddress cluster(String... uris) {
        return of(Kind.CLUSTER, "", PORT, uris);
    }

    private static RedisAddress of(Kind kind, String masterName, int defaultPort, String... uris) {
        if (uris.length == 0) {
            throw new IllegalArgumentException("there is no URI, must be at least one");
        }
        List<Endpoint> endpoints = new ArrayList<>();
        boolean tls = uris[0].startsWith("rediss:");
        for (String uri : uris) {
            endpoints.add(endpoint(uri, defaultPort));
            if (uri.startsWith("rediss:") != tls) {
                throw new IllegalArgumentException("the URIs are " + List.of(uris) + ", must all have the same scheme");
            }
        }
        Access open = new Access(Login.NONE, Login.NONE, null, null, null, true);
        return new RedisAddress(new ServerAddress(kind, List.copyOf(endpoints), tls, tls, masterName, open));
    }

    private static Endpoint endpoint(String uri, int defaultPort) {
        if (uri.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "a URI has a user or a password in it (so it is not shown), must be redis://host:port or"
                            + " rediss://host:port: there are withUsername and withPassword");
        }
        Matcher parts = URI.matcher(uri);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "the URI is " + uri + ", must be redis://host:port or rediss://host:port");
        }
        String host = parts.group(2);
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        String digits = parts.group(3);
        int port = digits == null ? defaultPort : Integer.parseInt(digits);
        if (port < 1 || port > HIGHEST_PORT) {
            throw new IllegalArgumentException("the port of " + uri + " must be 1 to " + HIGHEST_PORT);
        }
        return new Endpoint(host, port);
    }

    /** The user to log in as, who needs a password; without it, the default user. Not for sentinels. */
    public RedisAddress withUsername(String username) {
        return withServers(access().servers().withUsername(present("user name", username)));
    }

    /** The password to log in with. Not for sentinels. */
    public RedisAddress withPassword(String password) {
        return withServers(access().servers().withPassword(present("password", password)));
    }

    /** The user to log in to the sentinels as, who needs a password; without it, the default user. */
    public RedisAddress withSentinelUsername(String username) {
        return withSentinels(access().sentinels().withUsername(present("user name for sentinels", username)));
    }

    /** The password to log in to the sentinels with; without it, one does not log in to them. */
    public RedisAddress withSentinelPassword(String password) {
        return withSentinels(access().sentinels().withPassword(present("password for sentinels", password)));
    }

    private RedisAddress withServers(Login login) {
        return with(new Access(
                login,
                access().sentinels(),
                access().certificateAuthority(),
                access().clientCertificate(),
                access().clientKey(),
                access().hostnameCheck()));
    }

    private RedisAddress withSentinels(Login login) {
        return new RedisAddress(ofSentinels()
                .with(new Access(
                        access().servers(),
                        login,
                        access().certificateAuthority(),
                        access().clientCertificate(),
                        access().clientKey(),
                        access().hostnameCheck())));
    }

    /** The certificates to trust, in PEM; without it, those that the JVM trusts. */
    public RedisAddress withCertificateAuthority(Path pem) {
        return with(new Access(
                access().servers(),
                access().sentinels(),
                readable("certificate authority", pem),
                access().clientCertificate(),
                access().clientKey(),
                access().hostnameCheck()));
    }

    /**
     * What to show to a server that asks who one is.
     *
     * @param certificate in PEM
     * @param key of the certificate, in PEM as PKCS #8 and not encrypted
     */
    public RedisAddress withClientCertificate(Path certificate, Path key) {
        return with(new Access(
                access().servers(),
                access().sentinels(),
                access().certificateAuthority(),
                readable("client certificate", certificate),
                readable("key of the client certificate", key),
                access().hostnameCheck()));
    }

    /** Trusts each server whose certificate is trusted, whatever host name it is for; else it must be the right one. */
    public RedisAddress withoutHostnameCheck() {
        if (!servers.hasTls()) {
            throw notTls();
        }
        return with(new Access(
                access().servers(),
                access().sentinels(),
                access().certificateAuthority(),
                access().clientCertificate(),
                access().clientKey(),
                false));
    }

    /** Speaks TLS with the servers that sentinels name, also when it does not with the sentinels. */
    public RedisAddress withServerTls() {
        return new RedisAddress(ofSentinels().withServerTls(true));
    }

    /** Speaks no TLS with the servers that sentinels name, also when it does with the sentinels. */
    public RedisAddress withoutServerTls() {
        return new RedisAddress(ofSentinels().withServerTls(false));
    }

    private ServerAddress ofSentinels() {
        if (servers.kind() != Kind.SENTINEL) {
            throw new IllegalArgumentException("the address is " + this + ", must be one of sentinels");
        }
        return servers;
    }

    private Access access() {
        return servers.access();
    }

    private RedisAddress with(Access changed) {
        return new RedisAddress(servers.with(changed));
    }

    private static String present(String name, String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the " + name + " is empty, must have at least one character");
        }
        return value;
    }

    private Path readable(String name, Path file) {
        if (!servers.hasTls()) {
            throw notTls();
        }
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("the " + name + " is " + file + ", must be a file that can be read");
        }
        return file;
    }

    private IllegalArgumentException notTls() {
        return new IllegalArgumentException(
                "the address is " + this + ", must be rediss://, or have servers with TLS, for certificates to matter");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisAddress that && servers.equals(that.servers);
    }

    @Override
    public int hashCode() {
        return servers.hashCode();
    }

    /** Without the password. */
    @Override
    public String toString() {
        return servers.toString();
    }
}
