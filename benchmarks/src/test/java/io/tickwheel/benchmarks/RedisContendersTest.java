package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each contender does what the measurements take for granted. */
class RedisContendersTest {

    private static final int TIMERS = 20;
    private static final long AHEAD_MS = 2_000;
    private static final long STALL_MS = 60_000;

    @ParameterizedTest
    @ValueSource(strings = {"tickwheel", "redisson", "minute-sets"})
    void whatIsScheduledAheadIsDeliveredOnce(String name) throws Exception {
        RedisContender contender = RedisContender.named(name, new TickwheelOnRedis.Attempts(4, 4), 2);
        HandledTimers handled = new HandledTimers(Clock.system(), TIMERS);
        try (RedisUnderTest redis = RedisUnderTest.single();
                RedisNode node = contender.open(redis)) {
            node.deliverTo(handled);
            long dueAtMs = Clock.system().wallMs() + AHEAD_MS;
            for (int number = 0; number < TIMERS; number++) {
                node.schedule(number, dueAtMs).toCompletableFuture().get(STALL_MS, TimeUnit.MILLISECONDS);
            }
            handled.await(TIMERS, STALL_MS);
            node.awaitAcknowledged();
        }
        assertThat(handled.distinct()).isEqualTo(TIMERS);
        assertThat(handled.again()).isZero();
    }
}
