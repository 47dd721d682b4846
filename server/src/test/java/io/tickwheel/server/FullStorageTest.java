package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators see of a store that has no room for more timers. */
final class FullStorageTest {

    private static final String HOUR = "{\"delay\":\"1h\"}";

    @Test
    void itIsInTheLogOnceAndThatThereIsRoomAgainToo() {
        try (RedisServer redis = RedisServer.builder().start();
                LoggedEvents logged = new LoggedEvents();
                RunningServer server = RedisNodes.start(redis, "tickwheel")) {
            assertThat(server.put("orders", "before", HOUR).status()).isEqualTo(201);
            redis.command("CONFIG", "SET", "maxmemory", "1");
            assertRefused(server.put("orders", "refused", HOUR));
            assertRefused(server.put("orders", "refused", HOUR));
            assertThat(about(logged))
                    .containsExactly("the store has no room for more timers, those that there are go on:"
                            + " Redis is full: it has no memory for another timer");

            redis.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(server.put("orders", "taken", HOUR).status()).isEqualTo(201);
            assertThat(server.put("orders", "taken", HOUR).status()).isEqualTo(200);
            assertThat(about(logged)).hasSize(2).last().isEqualTo("the store has room for timers again");

            // It is full once more within the minute.
            redis.command("CONFIG", "SET", "maxmemory", "1");
            assertRefused(server.put("orders", "refused", HOUR));
            redis.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(server.put("orders", "taken", HOUR).status()).isEqualTo(200);
            assertThat(about(logged)).hasSize(2);
        }
    }

    private static void assertRefused(Reply put) {
        assertThat(put.status()).isEqualTo(503);
        assertThat(put.field("code")).isEqualTo("storage_full");
    }

    private static List<String> about(LoggedEvents logged) {
        return logged.messages(Level.INFO).stream()
                .filter(message -> message.startsWith("the store has "))
                .toList();
    }
}
