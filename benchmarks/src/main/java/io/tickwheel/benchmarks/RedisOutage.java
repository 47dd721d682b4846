package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;

/**
 * What becomes of timers whose only node is closed before a minute of the wall clock ends and is opened again in the next one.
 * All contenders go through the same minutes, each with a Redis of its own.
 *
 * @param spreadSeconds how long timers come due, half of it in each minute
 * @param downSeconds for how long there is no node, half of it in each minute
 */
record RedisOutage(int timers, int spreadSeconds, int downSeconds) implements RedisMeasurement {

    private static final long MINUTE_MS = 60_000;
    private static final long AHEAD_MS = 10_000;
    private static final int WINDOW = 256;

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        long leastMs = System.currentTimeMillis() + AHEAD_MS + spreadSeconds * 500L;
        long boundaryMs = leastMs - leastMs % MINUTE_MS + MINUTE_MS;
        System.gc();
        ExecutorService threads = Executors.newFixedThreadPool(contenders.size());
        try {
            List<Callable<Map<String, Double>>> runs = new ArrayList<>();
            for (RedisContender contender : contenders) {
                runs.add(() -> run(contender, boundaryMs));
            }
            List<Future<Map<String, Double>>> ended = threads.invokeAll(runs);
            for (int i = 0; i < ended.size(); i++) {
                String name = contenders.get(i).name();
                ended.get(i).get().forEach((measure, figure) -> results.add("outage, " + measure, name, figure));
            }
        } finally {
            threads.shutdown();
        }
    }

    private Map<String, Double> run(RedisContender contender, long boundaryMs) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), timers);
        LongUnaryOperator due = RedisSchedules.spread(boundaryMs - spreadSeconds * 500L, spreadSeconds * 1_000L);
        try (RedisUnderTest redis = RedisUnderTest.single()) {
            try (RedisNode node = contender.open(redis)) {
                node.deliverTo(handled);
                CallWindow calls = new CallWindow(WINDOW, WINDOW / 2);
                RedisSchedules.singles(node, calls, due, timers);
                calls.join();
                sleepUntil(boundaryMs - downSeconds * 500L);
            }
            sleepUntil(boundaryMs + downSeconds * 500L);
            try (RedisNode node = contender.open(redis)) {
                node.deliverTo(handled);
                long lost = RedisMeasurement.missing(handled, timers);
                return figures(handled, lost, node.left());
            }
        }
    }

    private Map<String, Double> figures(HandledTimers handled, long lost, long left) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("scheduled", (double) timers);
        figures.put("delivered", (double) handled.distinct());
        figures.put("lost", (double) lost);
        figures.put("still in Redis", (double) left);
        figures.put("early", (double) handled.early());
        figures.put("earliest, ms before due", handled.earliestMillis());
        figures.put("more than once", (double) handled.again());
        figures.put(
                "more than 1 s late", (double) handled.lateMicros().getCountBetweenValues(1_000_000, Long.MAX_VALUE));
        figures.put("lateness, longest ms", handled.lateMicros().getMaxValue() / 1e3);
        return figures;
    }

    private static void sleepUntil(long atMs) throws InterruptedException {
        Thread.sleep(Math.max(0, atMs - System.currentTimeMillis()));
    }
}
