package io.tickwheel.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The store on Redis beside two other ways to keep timers there; one client process and Redis on one machine. */
record RedisProgram(List<RedisContender> contenders, List<Part> parts, int rounds) implements LoadProgram {

    private static final String PARTS = "single,batched,replicated,delivery,lateness,idle,memory,outage";

    /**
     * A measurement with a table of its own.
     *
     * @param warmUp the same with fewer timers, where that matters
     */
    private record Part(String name, RedisMeasurement measurement, Optional<RedisMeasurement> warmUp, Results results) {

        Part(String name, RedisMeasurement measurement, Optional<RedisMeasurement> warmUp) {
            this(
                    name,
                    measurement,
                    warmUp,
                    new Results(
                            RedisContender.TICKWHEEL,
                            RedisContender.REDISSON,
                            RedisContender.MINUTE_SETS,
                            RedisContender.BARE_SCRIPTS));
        }
    }

    static RedisProgram of(Options options) {
        RedisUnderTest.useServer(options);
        TickwheelOnRedis.Attempts attempts = new TickwheelOnRedis.Attempts(
                options.number("attempts-per-queue", 256), options.number("attempts-in-all", 2_048));
        int takers = options.number("takers", 8);
        List<RedisContender> contenders =
                options.list("contenders", "tickwheel,redisson,minute-sets,bare-scripts").stream()
                        .map(name -> RedisContender.named(name, attempts, takers))
                        .toList();
        List<String> names = options.list("parts", PARTS);
        if (!List.of(PARTS.split(",", -1)).containsAll(names)) {
            throw new IllegalArgumentException("--parts is " + names + ", must be of " + PARTS);
        }
        List<Part> parts = new ArrayList<>(loads(options));
        parts.addAll(watches(options));
        parts.removeIf(part -> !names.contains(part.name()));
        return new RedisProgram(contenders, parts, options.number("rounds", 3));
    }

    /** What goes as fast as it can. */
    private static List<Part> loads(Options options) {
        int timers = options.number("timers", 500_000);
        int window = options.number("window", 8_192);
        List<Integer> batches = options.numbers("batches", "50,1000");
        int inFlight = options.number("batches-in-flight", 8);
        int warmUp = options.number("warm-up-timers", 50_000);
        List<Part> parts = new ArrayList<>();
        for (RedisSchedules.Kind kind : RedisSchedules.Kind.values()) {
            parts.add(new Part(
                    kind.part,
                    new RedisSchedules(kind, timers, window, batches, inFlight),
                    Optional.of(new RedisSchedules(kind, warmUp, window, batches, inFlight))));
        }
        int due = options.number("due-timers", 200_000);
        int spreadMs = options.number("due-spread-ms", 100);
        int loadRate = options.number("load-rate", 10_000);
        parts.add(new Part(
                "delivery",
                new RedisDelivery(due, spreadMs, loadRate, window),
                Optional.of(new RedisDelivery(Math.min(due, warmUp), spreadMs, loadRate, window))));
        return parts;
    }

    private static List<Part> watches(Options options) {
        int window = 1_024;
        int rate = options.number("rate", 5_000);
        return List.of(
                new Part(
                        "lateness",
                        new RedisLateness(rate, options.number("seconds", 30)),
                        Optional.of(new RedisLateness(rate, options.number("warm-up-seconds", 15)))),
                new Part(
                        "idle",
                        new RedisIdle(options.number("settle", 10), options.number("idle-seconds", 60)),
                        Optional.empty()),
                new Part(
                        "memory",
                        new RedisMemory(
                                options.number("memory-timers", 1_000_000),
                                options.numbers("memory-hours", "1,48"),
                                window),
                        Optional.empty()),
                new Part(
                        "outage",
                        new RedisOutage(
                                options.number("outage-timers", 10_000),
                                options.number("outage-spread-seconds", 20),
                                options.number("down-seconds", 5)),
                        Optional.empty()));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        try (RedisUnderTest redis = RedisUnderTest.single()) {
            System.out.println(redis.describe());
        }
        System.out.printf(
                "%nOne client process and Redis on this machine, a fresh Redis for each figure, which saves nothing. Keys of "
                        + "%d bytes, payloads of %d.%nLateness is from the due time to the start of the handler, by the "
                        + "clock of the machine, which is that of Redis.%n%n",
                RedisLoad.key(0).length(), RedisLoad.PAYLOAD_BYTES);
        for (Part part : parts) {
            if (part.warmUp().isPresent()) {
                part.warmUp().get().round(contenders, part.results());
            }
            part.results().startCounting();
        }
        for (int round = 1; round <= rounds; round++) {
            for (Part part : parts) {
                System.out.println("round " + round + ", " + part.name());
                part.measurement().round(contenders, part.results());
            }
        }
        for (Part part : parts) {
            System.out.println("\n" + part.name());
            part.results().print();
        }
    }
}
