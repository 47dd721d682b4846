package io.tickwheel.server.config;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings of a server.
 *
 * @param host the address to listen on; {@code 127.0.0.1} unless told otherwise
 * @param port the port to listen on, 0 for any free one; 7373 unless told otherwise
 * @param store which store, and how it is set
 * @param drainTimeout how long closing waits for running attempts, 0 to 1 h; 30 s unless told otherwise
 * @param limits what the engine may run and hold at once
 * @param retry how timers without a rule of their own are retried
 * @param queues what applies to queues where nothing is set over the API, by their names
 * @param targetOptions what targets are opened with, by the name of the kind, then by that of the option
 * @param sourceOptions what sources are opened with, by the name of the kind, then by that of the option; those that are not here stay closed
 * @param edge who may call, and over what
 * @param log what is logged, and in which form
 * @param hasTraces whether there are spans of OpenTelemetry, as its own settings say
 */
public record ServerConfig(
        String host,
        int port,
        StoreConfig store,
        Duration drainTimeout,
        EngineLimits limits,
        RetryPolicy retry,
        Map<String, QueueSettings> queues,
        Map<String, Map<String, String>> targetOptions,
        Map<String, Map<String, String>> sourceOptions,
        EdgeConfig edge,
        LogConfig log,
        boolean hasTraces) {

    public static final String DEFAULT_HOST = "127.0.0.1";
    public static final int DEFAULT_PORT = 7373;

    /** With timers in a directory, and everything else as it is unless told otherwise. */
    public static ServerConfig of(String host, int port, Path directory) {
        return of(host, port, FileStoreConfig.in(directory));
    }

    public static ServerConfig of(String host, int port, StoreConfig store) {
        return new ServerConfig(
                host,
                port,
                store,
                Duration.ofSeconds(30),
                EngineLimits.DEFAULT,
                RetryPolicy.DEFAULT,
                Map.of(),
                Map.of(),
                Map.of(),
                EdgeConfig.LOCAL,
                LogConfig.DEFAULT,
                false);
    }

    /** The same but for who may call. */
    public ServerConfig withEdge(EdgeConfig other) {
        return with(targetOptions, other, log);
    }

    /** The same but for what is logged. */
    public ServerConfig withLog(LogConfig other) {
        return with(targetOptions, edge, other);
    }

    /** The same with options of one kind of target, in place of those that it had. */
    public ServerConfig withTarget(String kind, Map<String, String> options) {
        Map<String, Map<String, String>> all = new TreeMap<>(targetOptions);
        all.put(kind, Map.copyOf(options));
        return with(all, edge, log);
    }

    private ServerConfig with(Map<String, Map<String, String>> ofTargets, EdgeConfig newEdge, LogConfig newLog) {
        return new ServerConfig(
                host,
                port,
                store,
                drainTimeout,
                limits,
                retry,
                queues,
                ofTargets,
                sourceOptions,
                newEdge,
                newLog,
                hasTraces);
    }
}
