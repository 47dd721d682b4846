package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A server that keeps each entry on disk before it answers is killed again and again while timers come due: none is lost, and one comes twice only when its answer was on its way
 * at a kill.
 */
final class KilledServerTest {

    private static final int KILLS = Integer.getInteger("tickwheel.streams.kills", 2);
    private static final int TIMERS_A_ROUND = 2_000;
    private static final int AT_ONCE = 100;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void noTimerIsLostAndFewComeTwice() throws Exception {
        try (RedisServer redis = RedisServer.builder()
                .config("appendonly", "yes")
                .config("appendfsync", "always")
                .start()) {
            Target target = Streams.open(redis);
            try (Tickwheel timers = Tickwheel.builder(new MemoryTimerStore())
                    .target("redis-streams", target)
                    .retry(RetryPolicy.fixed(1_000, Duration.ofMillis(200)))
                    .attemptsPerQueue(AT_ONCE)
                    .attemptsInAll(AT_ONCE)
                    .open()) {
                for (int round = 0; round < KILLS; round++) {
                    schedule(timers, round);
                    long before = length(redis);
                    Patience.until(LIMIT, "some are delivered", () -> length(redis) > before + TIMERS_A_ROUND / 10);
                    redis.kill();
                    redis.restart();
                }
                schedule(timers, KILLS);
                Patience.until(LIMIT, "all are delivered", () -> timers.liveCount() == 0);
            }
            target.close();
            check(redis);
        }
    }

    /** All of a round come due over the next two seconds. */
    private static void schedule(Tickwheel timers, int round) {
        for (int i = 0; i < TIMERS_A_ROUND; i++) {
            var unused = timers.schedule(
                    TimerRequest.at("q", round + "-" + i, Clock.system().now().plusMillis(i))
                            .withDestination(new Destination("redis-streams", "* ledger")));
        }
    }

    private static long length(RedisServer redis) {
        return (Long) redis.command("XLEN", "ledger");
    }

    private static void check(RedisServer redis) {
        Map<String, Integer> times = new HashMap<>();
        Streams.entries(redis, "ledger").forEach(fields -> times.merge(fields.get("tickwheel-id"), 1, Integer::sum));
        assertThat(times).hasSize((KILLS + 1) * TIMERS_A_ROUND);
        assertThat(times.values()).allMatch(count -> count <= 1 + KILLS);
        assertThat(times.values().stream().filter(count -> count > 1)).hasSizeLessThanOrEqualTo(KILLS * AT_ONCE);
    }
}
