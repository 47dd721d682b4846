package io.tickwheel.benchmarks;

import java.util.List;

/** How much memory of Redis a pending timer takes, by how far the due times are spread. */
record RedisMemory(int timers, List<Integer> hours, int window) implements RedisMeasurement {

    /** Nothing comes due, and nothing is loaded, while it is measured. */
    private static final long AHEAD_MS = 900_000;

    private static final long HOUR_MS = 3_600_000;
    private static final long SETTLE_MS = 1_000;

    @Override
    public void round(List<RedisContender> contenders, Results results) throws Exception {
        for (int spread : hours) {
            for (RedisContender contender : contenders) {
                System.gc();
                try (RedisUnderTest redis = RedisUnderTest.single()) {
                    String measure = "%,d timers over %d h, bytes of Redis each".formatted(timers, spread);
                    results.add(measure, contender.name(), bytesEach(redis, contender, spread * HOUR_MS));
                }
            }
        }
    }

    private double bytesEach(RedisUnderTest redis, RedisContender contender, long spreadMs) throws Exception {
        long before = redis.usedMemory();
        try (RedisNode node = contender.open(redis)) {
            CallWindow calls = new CallWindow(window, window / 2);
            RedisSchedules.singles(
                    node, calls, RedisSchedules.spread(System.currentTimeMillis() + AHEAD_MS, spreadMs), timers);
            calls.join();
        }
        Thread.sleep(SETTLE_MS);
        return (redis.usedMemory() - before) / (double) timers;
    }
}
