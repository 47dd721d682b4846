package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.tickwheel.benchmarks.wheel.SplitMix;
import io.tickwheel.store.Durability;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

/**
 * How fast timers due within an hour are scheduled by one thread: single calls with many in flight, and batches, each call of
 * a batch like a single one, with a batch answered when all of it is.
 *
 * @param window how many single calls are in flight
 * @param batches sizes of batches
 * @param batchesInFlight how many batches are
 */
record RedisSchedules(Kind kind, int timers, int window, List<Integer> batches, int batchesInFlight)
        implements RedisMeasurement {

    /** Nothing is delivered here. */
    private static final TickwheelOnRedis.Attempts ATTEMPTS = new TickwheelOnRedis.Attempts(1, 1);

    private static final long AHEAD_MS = 600_000;
    private static final long SPREAD_MS = 3_600_000;

    enum Kind {
        SINGLE("single"),
        BATCHED("batched"),
        REPLICATED("replicated");

        /** What the part of the program is called. */
        final String part;

        Kind(String part) {
            this.part = part;
        }
    }

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        for (RedisContender contender : contenders) {
            switch (kind) {
                case SINGLE -> {
                    try (RedisUnderTest redis = RedisUnderTest.single()) {
                        run("single", 1, window, redis, contender, results);
                    }
                }
                case BATCHED -> {
                    for (int batch : batches) {
                        try (RedisUnderTest redis = RedisUnderTest.single()) {
                            run("batches of %,d".formatted(batch), batch, batchesInFlight, redis, contender, results);
                        }
                    }
                }
                case REPLICATED -> replicated(contender, results);
            }
        }
    }

    /** Only ours can wait for a replica. */
    private void replicated(RedisContender contender, Results results) throws Exception {
        if (contender.isTickwheel()) {
            RedisContender waiting = new RedisContender(
                    contender.name(), redis -> TickwheelOnRedis.open(redis, Durability.replicated(1), ATTEMPTS));
            try (RedisUnderTest redis = RedisUnderTest.withReplica()) {
                run("replicated(1), single", 1, window, redis, waiting, results);
            }
        }
    }

    private void run(
            String measure, int batch, int inFlight, RedisUnderTest redis, RedisContender contender, Results results)
            throws Exception {
        System.gc();
        try (RedisNode node = contender.open(redis)) {
            RedisCost cost = RedisCost.from(redis);
            long start = System.nanoTime();
            LongUnaryOperator due = spread(System.currentTimeMillis() + AHEAD_MS, SPREAD_MS);
            CallWindow calls = new CallWindow(inFlight, batch == 1 ? inFlight / 2 : inFlight - 1);
            if (batch == 1) {
                singles(node, calls, due, timers);
            } else {
                batches(node, calls, due, batch);
            }
            var micros = calls.join();
            results.add(measure + ", timers/s", contender.name(), timers * 1e9 / (System.nanoTime() - start));
            cost.reportEach(measure, contender.name(), timers, results);
            results.addPercentiles(measure + ", answer", contender.name(), micros, MILLISECONDS, 50, 99);
        }
    }

    /** Random milliseconds. */
    static LongUnaryOperator spread(long fromMs, long spreadMs) {
        return number -> fromMs + Math.floorMod(SplitMix.at(number), spreadMs);
    }

    static void singles(RedisNode node, CallWindow calls, LongUnaryOperator dueAtMs, int count) throws Exception {
        for (long number = 0; number < count; number++) {
            long begin = calls.begin();
            var unused = node.schedule(number, dueAtMs.applyAsLong(number))
                    .whenComplete((answer, thrown) -> calls.end(begin, thrown));
        }
    }

    private void batches(RedisNode node, CallWindow calls, LongUnaryOperator dueAtMs, int batch) throws Exception {
        for (long first = 0; first < timers; first += batch) {
            long end = Math.min(timers, first + batch);
            AtomicInteger unanswered = new AtomicInteger((int) (end - first));
            long begin = calls.begin();
            for (long number = first; number < end; number++) {
                var unused = node.schedule(number, dueAtMs.applyAsLong(number)).whenComplete((answer, thrown) -> {
                    if (unanswered.decrementAndGet() == 0 || thrown != null) {
                        calls.end(begin, thrown);
                    }
                });
            }
        }
    }
}
