package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.StoreException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class RedisNamespaceTest {

    private static final String LOST = "0123456789abcdef".repeat(2);

    @Test
    void whatIsNoIdIsNotSentAnywhere() {
        RedisAddress nowhere = RedisAddress.single("redis://127.0.0.1:1");
        for (String id : new String[] {"", "tickwheel", LOST + "0", LOST.substring(1), LOST.toUpperCase(Locale.ROOT)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisNamespace.acceptEmpty(nowhere, "t", id))
                    .withMessageContaining("'" + id + "'");
        }
    }

    @Test
    void lossIsAcceptedOnceAndOnlyOfWhatIsGone() {
        try (RedisServer server = RedisServer.builder().start()) {
            RedisAddress address = RedisAddress.single("redis://127.0.0.1:" + server.port());
            String id = RedisNamespace.acceptEmpty(address, "t", LOST);
            assertThat(id).matches("[0-9a-f]{32}").isNotEqualTo(LOST);
            assertThat(RedisNamespace.acceptEmpty(address, "t", LOST)).isEqualTo(id);
            assertThat(server.command("HGET", "t:{0}:config", "id")).isEqualTo(id);
            // A node has opened it since.
            server.command("HSET", "t:{0}:config", "format", "3", "partitions", "4");
            assertThatThrownBy(() -> RedisNamespace.acceptEmpty(address, "t", id))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("namespace t with the id " + id + " is not gone: nothing is changed");
            assertThat(server.command("HGET", "t:{0}:config", "id")).isEqualTo(id);
        }
    }
}
