package io.tickwheel.target.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the servers are, how to be let in, and how long to wait for them: the options {@code targets.redis-streams.*}. No password is in a message. Immutable. */
final class ServerOptions {

    private static final String URI = "uri";
    private static final String SENTINEL_MASTER = "sentinelMaster";
    private static final String CLUSTER = "cluster";
    private static final String USERNAME = "username";
    private static final String PASSWORD = "password";
    private static final String SENTINEL_USERNAME = "sentinelUsername";
    private static final String SENTINEL_PASSWORD = "sentinelPassword";
    private static final String CERTIFICATE_AUTHORITY = "certificateAuthority";
    private static final String HOSTNAME_CHECK = "hostnameCheck";
    private static final String TIMEOUT = "timeoutMs";
    private static final String REPLICAS = "replicas";

    private static final Pattern ADDRESS =
            Pattern.compile("(rediss?)://(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?");
    private static final int PORT = 6379;
    private static final int SENTINEL_PORT = 26379;
    private static final int HIGHEST_PORT = 65535;
    private static final int DEFAULT_TIMEOUT_MS = 5_000;
    private static final int LEAST_TIMEOUT_MS = 100;
    private static final int MOST_TIMEOUT_MS = 60_000;
    private static final int MOST_REPLICAS = 100;
    private static final int DEFAULT_REPLICAS = 0;

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(URI, "redis:// URI, or several"),
            KindOption.of(SENTINEL_MASTER, "text"),
            KindOption.of(CLUSTER, "true or false", false),
            KindOption.of(USERNAME, "text", "nobody"),
            KindOption.secret(PASSWORD),
            KindOption.of(SENTINEL_USERNAME, "text", "nobody"),
            KindOption.secret(SENTINEL_PASSWORD),
            KindOption.of(CERTIFICATE_AUTHORITY, "file", "those of the JVM"),
            KindOption.of(HOSTNAME_CHECK, "true or false", true),
            KindOption.of(TIMEOUT, "ms", DEFAULT_TIMEOUT_MS),
            KindOption.of(REPLICAS, "integer", DEFAULT_REPLICAS),
            KindOption.of(StreamNames.OPTION, "list of streams", "all but names of a store's form"));

    private final OptionReader options;
    private final List<RedisURI> servers;
    private final boolean cluster;
    private final boolean checksHostname;
    private final Duration timeout;
    private final int replicas;
    private final @Nullable Path authority;

    private ServerOptions(OptionReader options) {
        this.options = options;
        timeout = Duration.ofMillis(options.integer(TIMEOUT, DEFAULT_TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS));
        cluster = options.bool(CLUSTER, false);
        checksHostname = options.bool(HOSTNAME_CHECK, true);
        replicas = options.integer(REPLICAS, DEFAULT_REPLICAS, 0, MOST_REPLICAS);
        if (cluster && replicas > 0) {
            throw options.invalid(REPLICAS, "must not be there with " + CLUSTER);
        }
        requirePassword(USERNAME, PASSWORD);
        requirePassword(SENTINEL_USERNAME, SENTINEL_PASSWORD);
        servers = servers();
        authority = authority();
    }

    /** @throws io.tickwheel.engine.InvalidTargetException when an option breaks a rule */
    static ServerOptions read(TargetOptions options) {
        return new ServerOptions(new OptionReader(options));
    }

    private void requirePassword(String username, String password) {
        if (options.text(username) != null && options.text(password) == null) {
            throw options.invalid(username, "is there without " + password + ", must have one");
        }
    }

    private List<RedisURI> servers() {
        String master = options.text(SENTINEL_MASTER);
        List<RedisURI.Builder> addresses = addresses(master == null ? PORT : SENTINEL_PORT);
        if (master == null) {
            if (options.text(SENTINEL_PASSWORD) != null) {
                throw options.invalid(SENTINEL_PASSWORD, "is there without " + SENTINEL_MASTER);
            }
            if (addresses.size() > 1 && !cluster) {
                throw options.invalid(URI, "must be one address unless there is " + SENTINEL_MASTER + " or " + CLUSTER);
            }
            return addresses.stream().map(this::withLogin).toList();
        }
        if (cluster || master.isBlank()) {
            throw options.invalid(
                    SENTINEL_MASTER, "must be the name that the sentinels have, and not be there with " + CLUSTER);
        }
        if (addresses.isEmpty()) {
            return List.of();
        }
        RedisURI.Builder found = start().withSsl(isTls()).withSentinelMasterId(master);
        for (RedisURI.Builder address : addresses) {
            found.withSentinel(withLogin(address, SENTINEL_USERNAME, SENTINEL_PASSWORD));
        }
        return List.of(withLogin(found));
    }

    private RedisURI withLogin(RedisURI.Builder uri) {
        return withLogin(uri, USERNAME, PASSWORD);
    }

    private RedisURI withLogin(RedisURI.Builder uri, String username, String passwordName) {
        String password = options.text(passwordName);
        if (password != null) {
            uri.withAuthentication(login(options.text(username), password));
        }
        return uri.build();
    }

    /**
     * A login that is known at once: Lettuce waits for any other on a thread that may be so fast that a connection is handed
     * over before it takes commands.
     */
    private static RedisCredentialsProvider login(@Nullable String username, String password) {
        return new StaticCredentialsProvider(username, password.toCharArray());
    }

    private RedisURI.Builder start() {
        return RedisURI.builder()
                .withTimeout(timeout)
                .withVerifyPeer(checksHostname ? SslVerifyMode.FULL : SslVerifyMode.CA);
    }

    private boolean isTls() {
        return options.text(URI, "").startsWith("rediss:");
    }

    private List<RedisURI.Builder> addresses(int defaultPort) {
        List<RedisURI.Builder> addresses = new ArrayList<>();
        String uri = options.text(URI);
        if (uri == null) {
            return addresses;
        }
        for (String text : uri.split(",", -1)) {
            Matcher parts = ADDRESS.matcher(text.strip());
            if (!parts.matches() || parts.group(1).equals("rediss") != isTls()) {
                throw options.invalid(
                        URI,
                        "must be redis://host:port, or rediss://host:port for TLS, or several of one of them with commas between;"
                                + " user and password are options of their own");
            }
            String host = parts.group(2).replaceAll("[\\[\\]]", "");
            int port = parts.group(3) == null ? defaultPort : Integer.parseInt(parts.group(3));
            if (port < 1 || port > HIGHEST_PORT) {
                throw options.invalid(URI, "has the port " + port + ", must be 1 to " + HIGHEST_PORT);
            }
            addresses.add(start().withHost(host).withPort(port).withSsl(isTls()));
        }
        return addresses;
    }

    private @Nullable Path authority() {
        String file = options.text(CERTIFICATE_AUTHORITY);
        if (file == null) {
            return null;
        }
        if (!isTls() || !Files.isReadable(Path.of(file))) {
            throw options.invalid(CERTIFICATE_AUTHORITY, "must be a file that can be read, and " + URI + " rediss://");
        }
        return Path.of(file);
    }

    /** One server, the master of sentinels, or some nodes of a cluster; none when nobody has said where they are. */
    List<RedisURI> uris() {
        return servers;
    }

    boolean isCluster() {
        return cluster;
    }

    /** How long a command or a connection is waited for. */
    Duration timeout() {
        return timeout;
    }

    /** How many replicas must have an entry before it counts as delivered. */
    int replicas() {
        return replicas;
    }

    /** The certificates to trust, in PEM; null for those that the JVM trusts. */
    @Nullable
    Path certificateAuthority() {
        return authority;
    }
}
