package io.tickwheel.target.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Opens ways to the servers. A connection to a server or a master is never opened again behind our back, as nobody could tell what became of the
 * commands on it; in a cluster Lettuce does so for each node, and drops what was on its way.
 */
final class Dialer implements AutoCloseable {

    private static final int THREADS = 2;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);
    private static final Duration LEAST_DELAY = Duration.ofMillis(50);
    private static final Duration MOST_DELAY = Duration.ofSeconds(1);
    private static final Duration REFRESH = Duration.ofSeconds(5);

    private final ServerOptions servers;
    private final ClientResources resources;
    private final AbstractRedisClient client;
    private final Supplier<CompletionStage<Session>> dial;

    Dialer(ServerOptions servers) {
        this.servers = servers;
        resources = DefaultClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .reconnectDelay(() -> Delay.exponential(LEAST_DELAY, MOST_DELAY, 2, TimeUnit.MILLISECONDS))
                .build();
        if (servers.isCluster()) {
            RedisClusterClient cluster = RedisClusterClient.create(resources, servers.uris());
            cluster.setOptions(clusterOptions());
            client = cluster;
            dial = () -> dial(cluster);
        } else {
            RedisClient single = RedisClient.create(resources);
            single.setOptions(
                    common(ClientOptions.builder().autoReconnect(false)).build());
            client = single;
            dial = () -> dial(single, servers.uris().get(0));
        }
    }

    private ClientOptions.Builder common(ClientOptions.Builder options) {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider().handshakeTimeout(servers.timeout());
        Path authority = servers.certificateAuthority();
        if (authority != null) {
            ssl.trustManager(authority.toFile());
        }
        return options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .protocolVersion(ProtocolVersion.RESP2)
                .pingBeforeActivateConnection(true)
                .timeoutOptions(TimeoutOptions.enabled(servers.timeout()))
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(servers.timeout())
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .sslOptions(ssl.build());
    }

    private ClusterClientOptions clusterOptions() {
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        common(options);
        // An attempt that was on its way is made again by the engine, which counts it.
        options.replayFilter(command -> true);
        return options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .adaptiveRefreshTriggersTimeout(MOST_DELAY)
                        .enablePeriodicRefresh(REFRESH)
                        .build())
                .validateClusterNodeMembership(false)
                .build();
    }

    private static CompletionStage<Session> dial(RedisClusterClient cluster) {
        return cluster.refreshPartitionsAsync()
                .thenCompose(known -> cluster.connectAsync(ByteArrayCodec.INSTANCE))
                .thenApply(connection -> new Session(connection, connection.async()));
    }

    private static CompletionStage<Session> dial(RedisClient single, RedisURI uri) {
        return single.connectAsync(ByteArrayCodec.INSTANCE, uri)
                .thenApply(connection -> new Session(connection, connection.async()));
    }

    /** Opens a way; of sentinels, to the master that they name now. */
    CompletionStage<Session> dial() {
        return dial.get();
    }

    /** Has the end of a session told, also when it has ended already. That of a cluster only ends when it is closed. */
    void watch(Session session, Runnable ended) {
        if (servers.isCluster()) {
            return;
        }
        StatefulConnection<byte[], byte[]> connection = session.connection();
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> ignored) {
                ended.run();
            }
        });
        if (!connection.isOpen()) {
            ended.run();
        }
    }

    /** Runs a task later, on a thread of the client. */
    void later(Duration delay, Runnable task) {
        var unused = resources.eventExecutorGroup().schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What is at the bottom of a failure. Lettuce never has a password in it. */
    static String reason(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof ClosedChannelException) {
            return "the connection was closed by the server, or on the way to it";
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
