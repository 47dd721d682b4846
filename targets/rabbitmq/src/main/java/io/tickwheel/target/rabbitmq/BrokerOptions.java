package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Which broker, and how it is reached: the options that target and source have in common. No text of it shows a password. */
final class BrokerOptions {

    /** What no broker takes more than, whatever its settings are. */
    private static final int MOST_BYTES = 512 << 20;

    private static final String URI = "uri";
    private static final String HOST = "host";
    private static final String PORT = "port";
    private static final String VHOST = "vhost";
    private static final String USER = "user";
    private static final String PASSWORD = "password";
    private static final String TLS = "tls";
    private static final String TLS_CA = "tlsCa";
    private static final String HEARTBEAT = "heartbeatSeconds";

    private static final int AMQP_PORT = 5_672;
    private static final int AMQPS_PORT = 5_671;
    static final String DEFAULT_HOST = "127.0.0.1";
    private static final String DEFAULT_VHOST = "/";
    private static final String DEFAULT_LOGIN = "guest";
    private static final int DEFAULT_HEARTBEAT = 10;

    /** @param host the one that is taken where none is set */
    static List<KindOption> options(String host) {
        return List.of(
                KindOption.secret(URI),
                KindOption.of(HOST, "host", host),
                KindOption.of(PORT, "port", AMQP_PORT + " (" + AMQPS_PORT + " with TLS)"),
                KindOption.of(VHOST, "text", DEFAULT_VHOST),
                KindOption.of(USER, "text", DEFAULT_LOGIN),
                new KindOption(PASSWORD, "text", DEFAULT_LOGIN, true),
                KindOption.of(TLS, "true or false", false),
                KindOption.of(TLS_CA, "file", "the JDK's"),
                KindOption.of(HEARTBEAT, "seconds", DEFAULT_HEARTBEAT));
    }

    /** What the URI says too. */
    private static final List<String> IN_URI = List.of(HOST, PORT, VHOST, USER, PASSWORD, TLS);

    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final int SHUTDOWN_TIMEOUT_MS = 500;

    private final ConnectionFactory factory;
    private final boolean placed;

    private BrokerOptions(ConnectionFactory factory, boolean placed) {
        this.factory = factory;
        this.placed = placed;
    }

    /** @throws InvalidTargetException when an option breaks a rule */
    static BrokerOptions read(OptionReader options) {
        ConnectionFactory factory = new ConnectionFactory();
        String uri = options.text(URI);
        boolean tls = options.bool(TLS, false);
        if (uri != null) {
            for (String other : IN_URI) {
                if (options.text(other) != null) {
                    throw options.invalid(other, "must not be with " + URI);
                }
            }
            try {
                factory.setUri(uri);
            } catch (URISyntaxException | GeneralSecurityException | RuntimeException e) {
                // Without the cause, which has the password.
                throw options.invalid(URI, "must be amqp:// or amqps://, user:password@host:port/vhost");
            }
            // The client takes the slash at the end of a URI for a virtual host without a name, which no broker has.
            if (factory.getVirtualHost().isEmpty()) {
                factory.setVirtualHost(DEFAULT_VHOST);
            }
            // The client takes the scheme in letters of any case.
            tls = factory.isSSL();
        } else {
            factory.setHost(options.text(HOST, DEFAULT_HOST));
            factory.setPort(options.integer(PORT, tls ? AMQPS_PORT : AMQP_PORT, 1, 65_535));
            factory.setVirtualHost(options.text(VHOST, DEFAULT_VHOST));
            factory.setUsername(options.text(USER, DEFAULT_LOGIN));
            factory.setPassword(options.text(PASSWORD, DEFAULT_LOGIN));
        }
        String authority = options.text(TLS_CA);
        if (authority != null && !tls) {
            throw options.invalid(TLS_CA, "must not be without TLS");
        }
        if (tls) {
            // The client's own way with amqps trusts everybody.
            factory.useSslProtocol(trusting(options, authority));
            factory.enableHostnameVerification();
        }
        factory.setRequestedHeartbeat(options.integer(HEARTBEAT, DEFAULT_HEARTBEAT, 1, 3_600));
        factory.setConnectionTimeout(CONNECT_TIMEOUT_MS);
        factory.setHandshakeTimeout(CONNECT_TIMEOUT_MS);
        factory.setChannelRpcTimeout(CONNECT_TIMEOUT_MS);
        factory.setShutdownTimeout(SHUTDOWN_TIMEOUT_MS);
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        return new BrokerOptions(factory, uri != null || options.text(HOST) != null);
    }

    private static SSLContext trusting(OptionReader options, @Nullable String authority) {
        try {
            if (authority == null) {
                return SSLContext.getDefault();
            }
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int count = 0;
            for (Certificate certificate : certificates(Path.of(authority))) {
                trusted.setCertificateEntry("ca-" + count++, certificate);
            }
            if (count == 0) {
                throw options.invalid(TLS_CA, "must be a file with certificates in PEM");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException | InvalidPathException e) {
            throw options.invalid(TLS_CA, "must be a file with certificates in PEM");
        }
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    /** Makes connections with threads of a name, which the broker shows too. */
    ConnectionFactory factory(String name) {
        ConnectionFactory named = factory.clone();
        // A larger message ends the connection that it comes on, again and again: so it is taken, and refused then.
        named.setMaxInboundMessageBodySize(MOST_BYTES);
        ThreadFactory threads = new NamedThreads(name);
        named.setThreadFactory(threads);
        // What the client can do: of an alarm, and of a queue that is gone, the broker tells nobody else.
        Object capabilities =
                Objects.requireNonNull(factory.getClientProperties().get("capabilities"));
        named.setClientProperties(
                Map.of("product", "Tickwheel", "connection_name", name, "capabilities", capabilities));
        return named;
    }

    /** Whether somebody has said where the broker is. */
    boolean isPlaced() {
        return placed;
    }

    /** Host and port of a broker, for messages. */
    static String place(ConnectionFactory factory) {
        return factory.getHost() + ":" + factory.getPort();
    }
}
