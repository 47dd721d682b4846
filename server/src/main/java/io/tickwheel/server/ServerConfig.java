package io.tickwheel.server;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.store.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The settings of a server.
 *
 * @param host the address to listen on; {@code 127.0.0.1} unless told otherwise
 * @param port the port to listen on, 0 for any free one; 7373 unless told otherwise
 * @param directory where the file store keeps its files; {@code tickwheel-data} unless told otherwise
 * @param segmentBytes how large a file of the commit log gets, about; 64 MiB unless told otherwise
 * @param checkpointBytes how much log gathers before it is trimmed; 128 MiB unless told otherwise
 * @param durability what an answer means: {@code SYNC} unless told otherwise
 * @param syncInterval with {@code INTERVAL}, how long an answer may go without a sync, 1 ms to 60 s; 100 ms unless told otherwise
 * @param drainTimeout how long closing waits for running attempts, 0 to 1 h; 30 s unless told otherwise
 * @param attemptsPerQueue how many attempts of one queue run at once, 1 to 100,000; 256 unless told otherwise
 * @param attemptsInAll how many attempts run at once, 1 to 100,000; 2,048 unless told otherwise
 * @param retry how timers without a rule of their own are retried
 * @param queueTargets where timers of a queue go that name no target
 */
record ServerConfig(
        String host,
        int port,
        Path directory,
        int segmentBytes,
        int checkpointBytes,
        Durability durability,
        Duration syncInterval,
        Duration drainTimeout,
        int attemptsPerQueue,
        int attemptsInAll,
        RetryPolicy retry,
        Map<String, Destination> queueTargets) {

    static final String DEFAULT_HOST = "127.0.0.1";
    static final int DEFAULT_PORT = 7373;
    static final String DEFAULT_DIRECTORY = "tickwheel-data";

    static ServerConfig of(String host, int port, Path directory) {
        return new ServerConfig(
                host,
                port,
                directory,
                64 << 20,
                128 << 20,
                Durability.SYNC,
                Duration.ofMillis(100),
                Duration.ofSeconds(30),
                256,
                2_048,
                RetryPolicy.DEFAULT,
                Map.of());
    }
}
