package io.tickwheel.store.redis;

import static io.tickwheel.store.redis.Loop.push;
import static io.tickwheel.store.redis.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.Reply.Outcome.UNAVAILABLE;
import static io.tickwheel.store.redis.Reply.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.Loop.Kept;
import io.tickwheel.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LettuceLinkSingleTest {

    @Test
    void callsOfASlotAreExecutedInTheOrderInWhichTheyWereSent() {
        try (RedisServer redis = RedisServer.builder().start();
                Loop loop = Loop.open(redis.port())) {
            List<Kept> answered = new ArrayList<>();
            List<Kept> sent = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                sent.add(loop.send(new Kept(7, Loop.PUSH, "k", "" + i, Durability.MEMORY, answered)));
                if (i % 100 == 0) {
                    loop.link.flush();
                }
            }
            loop.link.flush();
            loop.until(() -> answered.size() == sent.size());

            assertThat(answered).isEqualTo(sent);
            for (int i = 0; i < sent.size(); i++) {
                assertThat(sent.get(i).reply.value()).isEqualTo(i + 1L);
            }
            assertThat(loop.link.isQuiet()).isTrue();
            Reply last = loop.call(new Kept(7, Loop.LAST, "k", "", Durability.MEMORY, new ArrayList<>()));
            assertThat(last.value()).isEqualTo(new byte[] {'1', '9', '9', '9'});
        }
    }

    @Test
    void aServerThatIsKilledAndStartedAgainIsUsedAgain() {
        try (RedisServer redis = RedisServer.builder().start();
                Loop loop = Loop.open(redis.port())) {
            Reply before = loop.call(push(0, "k", "a", Durability.MEMORY));
            assertThat(before.outcome()).isEqualTo(DONE);

            redis.kill();
            Reply during = loop.call(push(0, "k", "b", Durability.MEMORY));
            assertThat(during.outcome()).isIn(UNKNOWN, UNAVAILABLE);

            redis.restart();
            Reply after = loop.untilDone(() -> push(0, "k", "c", Durability.MEMORY));
            assertThat(after.connection()).isGreaterThan(before.connection());
            assertThat(after.value()).isEqualTo(1L);
        }
    }
}
