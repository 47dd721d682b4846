package io.tickwheel.store.redis.link;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections, without any of what Lettuce would do by itself: it neither reconnects nor sends anything twice, and has no
 * timers for commands. What becomes of a connection is told in the inbox.
 */
final class Dialer implements AutoCloseable {

    private static final int THREADS = 2;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    /** Why a connection is not there any more that this node has not closed. */
    static final String CLOSED = "it was closed by the server, or on the way to it";

    /**
     * What Lettuce says now and then of a connection that the server ended, before it says why: of its threads, the one that reads was
     * faster than the one that waits. Asked again, it says why.
     */
    private static final Set<String> SAYS_NOTHING =
            Set.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

    private static final int MOST_TRIES = 4;

    private static final RedisCodec<String, String> MESSAGES =
            RedisCodec.of(StringCodec.UTF8, new StringCodec(StandardCharsets.ISO_8859_1));

    private final ServerAddress address;
    private final Duration timeout;
    private final Inbox inbox;
    private final ClientResources resources;
    private final RedisClient client;

    /** A connection that is being opened. Of the loop. */
    final class Dial<C extends StatefulConnection<?, ?>> {

        private final Endpoint endpoint;
        private final Consumer<C> opened;
        private final Consumer<String> failed;
        private final Supplier<? extends CompletionStage<C>> connect;
        private int tries;
        private boolean given;

        private Dial(
                Endpoint endpoint,
                Consumer<C> opened,
                Consumer<String> failed,
                Supplier<? extends CompletionStage<C>> connect) {
            this.endpoint = endpoint;
            this.opened = opened;
            this.failed = failed;
            this.connect = connect;
            begin();
        }

        /** Neither receiver is called any more. */
        void giveUp() {
            given = true;
        }

        private void begin() {
            tries++;
            var unused = connect.get().whenComplete((connection, error) -> inbox.put(() -> ended(connection, error)));
        }

        private void ended(@Nullable C connection, @Nullable Throwable error) {
            if (given) {
                if (connection != null) {
                    end(connection);
                }
            } else if (connection != null) {
                opened.accept(connection);
            } else {
                String reason = error == null ? "no connection" : refusal(error);
                if (SAYS_NOTHING.contains(reason) && tries < MOST_TRIES) {
                    begin();
                } else {
                    failed.accept("could not connect to " + endpoint + ": " + reason);
                }
            }
        }
    }

    Dialer(ServerAddress address, Duration timeout, Inbox inbox) {
        this.address = address;
        this.timeout = timeout;
        this.inbox = inbox;
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
        client = RedisClient.create(resources);
        client.setOptions(options());
    }

    private ClientOptions options() {
        SocketOptions socket = SocketOptions.builder()
                .connectTimeout(timeout)
                .keepAlive(true)
                .tcpNoDelay(true)
                .build();
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .protocolVersion(ProtocolVersion.RESP2)
                .pingBeforeActivateConnection(true)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(socket)
                .sslOptions(sslOptions())
                .build();
    }

    private SslOptions sslOptions() {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider().handshakeTimeout(timeout);
        Path authority = address.access().certificateAuthority();
        if (authority != null) {
            ssl.trustManager(authority.toFile());
        }
        Path certificate = address.access().clientCertificate();
        Path key = address.access().clientKey();
        if (certificate != null && key != null) {
            ssl.keyManager(certificate.toFile(), key.toFile(), new char[0]);
        }
        return ssl.build();
    }

    /** Opens a connection to a server. */
    Dial<StatefulRedisConnection<byte[], byte[]>> server(
            Endpoint endpoint, Consumer<StatefulRedisConnection<byte[], byte[]>> opened, Consumer<String> failed) {
        return connect(uri(endpoint, false), endpoint, opened, failed);
    }

    /** Opens a connection to a sentinel. */
    Dial<StatefulRedisConnection<byte[], byte[]>> sentinel(
            Endpoint endpoint, Consumer<StatefulRedisConnection<byte[], byte[]>> opened, Consumer<String> failed) {
        return connect(uri(endpoint, true), endpoint, opened, failed);
    }

    private Dial<StatefulRedisConnection<byte[], byte[]>> connect(
            RedisURI uri,
            Endpoint endpoint,
            Consumer<StatefulRedisConnection<byte[], byte[]>> opened,
            Consumer<String> failed) {
        return new Dial<>(endpoint, opened, failed, () -> client.connectAsync(ByteArrayCodec.INSTANCE, uri));
    }

    /** Opens a connection for messages, whose texts have a character for each byte. */
    Dial<StatefulRedisPubSubConnection<String, String>> messages(
            Endpoint endpoint,
            boolean sentinel,
            Consumer<StatefulRedisPubSubConnection<String, String>> opened,
            Consumer<String> failed) {
        RedisURI uri = uri(endpoint, sentinel);
        return new Dial<>(endpoint, opened, failed, () -> client.connectPubSubAsync(MESSAGES, uri));
    }

    RedisURI uri(Endpoint endpoint, boolean sentinel) {
        ServerAddress.Access access = address.access();
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(endpoint.host())
                .withPort(endpoint.port())
                .withSsl(sentinel ? address.tls() : address.serverTls())
                .withVerifyPeer(access.hostnameCheck() ? SslVerifyMode.FULL : SslVerifyMode.CA)
                .withTimeout(timeout);
        ServerAddress.Login login = sentinel ? access.sentinels() : access.servers();
        String password = login.password();
        if (password != null) {
            // One that is known at once: Lettuce waits for any other on a thread that may be so fast that a connection
            // is handed over before it takes commands.
            uri.withAuthentication(new StaticCredentialsProvider(login.username(), password.toCharArray()));
        }
        return uri.build();
    }

    /** Has the end of a connection told in the inbox, also when it has ended already. */
    void watch(StatefulConnection<?, ?> connection, Runnable ended) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> ignored) {
                inbox.put(ended);
            }
        });
        if (!connection.isOpen()) {
            inbox.put(ended);
        }
    }

    /** Closes a connection, without waiting for it. */
    static void end(StatefulConnection<?, ?> connection) {
        var unused = connection.closeAsync();
    }

    /** Why a connection could not be opened. */
    private String refusal(Throwable error) {
        String reason = reason(error);
        String ofCertificate =
                CertificateRefusal.of(root(error), reason, address.access().certificateAuthority());
        return ofCertificate == null ? reason : ofCertificate;
    }

    private static Throwable root(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** What is at the bottom of it. Lettuce never has a password in it. */
    static String reason(Throwable error) {
        Throwable root = root(error);
        if (root instanceof ClosedChannelException) {
            return CLOSED;
        }
        String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message;
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, CLOSE_LIMIT);
        resources
                .shutdown(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(CLOSE_LIMIT.toMillis());
    }
}
