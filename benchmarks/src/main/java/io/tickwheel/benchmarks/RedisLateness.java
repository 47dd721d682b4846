package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.tickwheel.benchmarks.wheel.SplitMix;
import io.tickwheel.engine.Clock;
import java.util.List;
import org.HdrHistogram.Histogram;

/** How late timers come at a steady rate, scheduled 2 s to 10 s ahead at that rate meanwhile. */
record RedisLateness(int rate, int seconds) implements RedisMeasurement {

    private static final long LEAST_MS = 2_000;
    private static final long SPREAD_MS = 8_000;

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        for (RedisContender contender : contenders) {
            System.gc();
            try (RedisUnderTest redis = RedisUnderTest.single();
                    RedisNode node = contender.open(redis)) {
                run(redis, node, contender.name(), results);
            }
        }
    }

    private void run(RedisUnderTest redis, RedisNode node, String contender, Results results) throws Exception {
        String measure = "at %,d/s".formatted(rate);
        int count = Math.multiplyExact(rate, seconds);
        HandledTimers handled = new HandledTimers(Clock.system(), count);
        node.deliverTo(handled);
        RedisCost cost = RedisCost.from(redis);
        Histogram answers = new PacedSchedules(rate, count).run((first, end, answered) -> {
            long nowMs = System.currentTimeMillis();
            for (long number = first; number < end; number++) {
                long one = number;
                long dueAtMs = nowMs + LEAST_MS + Math.floorMod(SplitMix.at(number), SPREAD_MS);
                var unused = node.schedule(number, dueAtMs).thenAccept(answer -> answered.timer(one));
            }
        });
        cost.reportShare(measure, contender, results);
        results.addPercentiles(measure + ", schedule answered", contender, answers, MILLISECONDS, 50, 99);
        results.add(measure + ", missing", contender, (double) RedisMeasurement.missing(handled, count));
        results.add(measure + ", early", contender, (double) handled.early());
        results.add(measure + ", earliest, ms before due", contender, handled.earliestMillis());
        results.add(measure + ", more than once", contender, (double) handled.again());
        results.addPercentiles(measure + ", lateness", contender, handled.lateMicros(), MILLISECONDS, 50, 90, 99, 100);
    }
}
