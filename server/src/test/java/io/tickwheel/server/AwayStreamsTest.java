package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the log has of a Redis that is away, where timers go to its streams. */
final class AwayStreamsTest {

    /** How many attempts a timer has had before the third one. */
    private static final Set<String> BEFORE = Set.of("", "0", "1", "2");

    @TempDir
    private Path directory;

    @Test
    void redisThatIsAwayIsToldOnceHoweverOftenItIsTried() {
        ServerConfig config = ServerConfig.of("127.0.0.1", 0, directory)
                .withTarget("redis-streams", Map.of("uri", "redis://127.0.0.1:1"));
        try (LoggedEvents logged = new LoggedEvents();
                RunningServer server = new RunningServer(config)) {
            server.put(
                    "orders",
                    "k",
                    "{\"delay\":\"0s\",\"retry\":{\"interval\":\"1s\"},\"target\":{\"redisStream\":{}}}");
            // Redis is tried twice as often.
            assertThat(server.await("orders", "k", reply -> !BEFORE.contains(reply.field("attempts")))
                            .field("reason"))
                    .startsWith("Redis is away: ");
            assertThat(logged.messages(Level.WARN))
                    .filteredOn(message -> message.startsWith("Redis is away: "))
                    .hasSize(1);
        }
    }
}
