package io.tickwheel.benchmarks;

import io.tickwheel.testkit.RedisBinary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The store on Redis beside two other ways to keep timers there; one client process and Redis on one machine. */
final class RedisProgram implements LoadProgram {

    private final List<RedisContender> contenders;
    private final int rounds;
    private final Map<String, RedisMeasurement> measurements = new LinkedHashMap<>();
    private final Map<String, RedisMeasurement> warmUps = new LinkedHashMap<>();

    private RedisProgram(Options options) {
        String server = options.text("redis-server", "");
        if (!server.isEmpty()) {
            System.setProperty(RedisBinary.PROPERTY, server);
        }
        TickwheelOnRedis.Attempts attempts = new TickwheelOnRedis.Attempts(
                options.number("attempts-per-queue", 256), options.number("attempts-in-all", 2_048));
        int takers = options.number("takers", 8);
        contenders = options.list("contenders", "tickwheel,redisson,minute-sets").stream()
                .map(name -> RedisContender.named(name, attempts, takers))
                .toList();
        rounds = options.number("rounds", 3);
        addMeasurements(options);
        List<String> parts = options.list("parts", "single,batched,replicated,delivery,lateness,idle,memory,outage");
        if (!measurements.keySet().containsAll(parts)) {
            throw new IllegalArgumentException("--parts is " + parts + ", must be of " + measurements.keySet());
        }
        measurements.keySet().retainAll(parts);
        warmUps.keySet().retainAll(parts);
    }

    private void addMeasurements(Options options) {
        int timers = options.number("timers", 500_000);
        int window = options.number("window", 8_192);
        List<Integer> batches = options.numbers("batches", "50,1000");
        int inFlight = options.number("batches-in-flight", 8);
        int warmUp = options.number("warm-up-timers", 50_000);
        for (RedisSchedules.Kind kind : RedisSchedules.Kind.values()) {
            measurements.put(kind.part, new RedisSchedules(kind, timers, window, batches, inFlight));
            warmUps.put(kind.part, new RedisSchedules(kind, warmUp, window, batches, inFlight));
        }
        int due = options.number("due-timers", 200_000);
        int spreadMs = options.number("due-spread-ms", 100);
        int loadRate = options.number("load-rate", 10_000);
        measurements.put("delivery", new RedisDelivery(due, spreadMs, loadRate, window));
        warmUps.put("delivery", new RedisDelivery(Math.min(due, warmUp), spreadMs, loadRate, window));
        measurements.put("lateness", new RedisLateness(options.number("rate", 5_000), options.number("seconds", 30)));
        measurements.put("idle", new RedisIdle(options.number("settle", 10), options.number("idle-seconds", 60)));
        measurements.put(
                "memory",
                new RedisMemory(
                        options.number("memory-timers", 1_000_000), options.numbers("memory-hours", "1,48"), window));
        measurements.put(
                "outage",
                new RedisOutage(
                        options.number("outage-timers", 10_000),
                        options.number("outage-spread-seconds", 20),
                        options.number("down-seconds", 5)));
    }

    static RedisProgram of(Options options) {
        return new RedisProgram(options);
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        try (RedisUnderTest redis = RedisUnderTest.single()) {
            System.out.println(redis.describe());
        }
        System.out.printf(
                "%nOne client process and Redis on this machine, a fresh Redis for each figure, which saves nothing. Keys of "
                        + "%d bytes, payloads of %d.%nLateness is from the due time to the start of the handler, by the "
                        + "clock that Redis has too.%n%n",
                RedisLoad.key(0).length(), RedisLoad.PAYLOAD_BYTES);
        Results results = new Results(RedisContender.TICKWHEEL, RedisContender.REDISSON, RedisContender.MINUTE_SETS);
        for (RedisMeasurement warmUp : warmUps.values()) {
            warmUp.round(contenders, results);
        }
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (RedisMeasurement measurement : measurements.values()) {
                measurement.round(contenders, results);
            }
        }
        results.print();
    }
}
