package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/**
 * How fast timers are delivered that come due at about one time, to a handler that does nothing, and acknowledged: by the node
 * that scheduled them, and by one that is started when all are due.
 *
 * @param spreadMs from the first to the last due time
 * @param loadRate as many a second must be scheduled for all to be there in time
 */
record RedisDelivery(int timers, int spreadMs, int loadRate, int window) implements RedisMeasurement {

    private static final long AHEAD_MS = 3_000;

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        for (RedisContender contender : contenders) {
            System.gc();
            try (RedisUnderTest redis = RedisUnderTest.single()) {
                sameNode(redis, contender, results);
            }
            System.gc();
            try (RedisUnderTest redis = RedisUnderTest.single()) {
                laterNode(redis, contender, results);
            }
        }
    }

    private void sameNode(RedisUnderTest redis, RedisContender contender, Results results) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), timers);
        try (RedisNode node = contender.open(redis)) {
            node.deliverTo(handled);
            schedule(node);
            deliver("node was there", redis, node, handled, contender, results);
        }
    }

    private void laterNode(RedisUnderTest redis, RedisContender contender, Results results) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), timers);
        try (RedisNode node = contender.open(redis)) {
            schedule(node);
        }
        Thread.sleep(2L * AHEAD_MS + spreadMs);
        long start = System.nanoTime();
        try (RedisNode node = contender.open(redis)) {
            node.deliverTo(handled);
            deliver("node came later", redis, node, handled, contender, results);
        }
        if (handled.distinct() > 0) {
            double millis = (handled.firstNanos() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1);
            results.add("node came later, start to first delivery, ms", contender.name(), millis);
        }
    }

    /** Returns shortly before the first is due. */
    private void schedule(RedisNode node) throws Exception {
        long startMs = System.currentTimeMillis() + AHEAD_MS + timers * 1_000L / loadRate;
        LongUnaryOperator due = number -> startMs + number * spreadMs / timers;
        CallWindow calls = new CallWindow(window, window / 2);
        RedisSchedules.singles(node, calls, due, timers);
        calls.join();
        long aheadMs = startMs - System.currentTimeMillis();
        if (aheadMs < AHEAD_MS) {
            System.out.printf("    scheduled only %,d ms before the first is due%n", aheadMs);
        }
        Thread.sleep(Math.max(0, aheadMs - AHEAD_MS / 2));
    }

    private void deliver(
            String measure,
            RedisUnderTest redis,
            RedisNode node,
            HandledTimers handled,
            RedisContender contender,
            Results results)
            throws Exception {
        RedisCost cost = RedisCost.from(redis);
        long missing = RedisMeasurement.missing(handled, timers);
        long lastNanos = handled.lastNanos();
        if (missing == 0) {
            node.awaitAcknowledged();
            lastNanos = System.nanoTime();
        }
        String name = contender.name();
        results.add(measure + ", missing", name, (double) missing);
        if (missing < timers) {
            results.add(
                    measure + ", delivered/s",
                    name,
                    handled.distinct() * 1e9 / Math.max(1, lastNanos - handled.firstNanos()));
            cost.reportEach(measure, name, handled.distinct(), results);
            handled.report(measure, name, results);
        }
    }
}
