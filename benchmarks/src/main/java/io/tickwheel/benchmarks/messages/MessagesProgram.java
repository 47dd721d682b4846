package io.tickwheel.benchmarks.messages;

import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.Results;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Timers that are due at once, to a message queue: how many a second are confirmed by its broker and acknowledged durably. */
public final class MessagesProgram implements LoadProgram {

    private static final int PAYLOAD_BYTES = 128;
    private static final int WINDOW = 8_192;
    private static final int AHEAD_SECONDS = 20;
    private static final int LIMIT_SECONDS = 120;

    private final List<BrokerKind> kinds;
    private final int timers;
    private final int attempts;
    private final int rounds;

    private MessagesProgram(Options options) {
        kinds = BrokerKind.of(options, "kafka,rabbitmq,redis-streams");
        timers = options.number("timers", 300_000);
        attempts = options.number("attempts", 4_096);
        rounds = options.number("rounds", 3);
    }

    public static LoadProgram of(Options options) {
        return new MessagesProgram(options);
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers, %d-byte payload, due at once, at most %,d attempts at once; synced to disk.%n%n",
                timers, PAYLOAD_BYTES, attempts);
        Results results = new Results(kinds.stream().map(kind -> kind.title).toArray(String[]::new));
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            for (BrokerKind kind : kinds) {
                Path folder = data.fresh("messages");
                try (Broker broker = kind.start(folder)) {
                    results.add("delivered, timers/s", kind.title, measure(folder, broker));
                }
            }
        }
        results.print();
    }

    private double measure(Path folder, Broker broker) throws Exception {
        TargetKind kind = broker.kind();
        Destination destination = new Destination(kind.name(), kind.readSetting(broker.setting()));
        Target target = kind.open(new TargetOptions(Clock.system(), attempts, broker.options()));
        try (Tickwheel shop = Tickwheel.builder(FileTimerStore.in(folder.resolve("timers")))
                .target(kind.name(), target)
                .attemptsPerQueue(attempts)
                .attemptsInAll(attempts)
                .open()) {
            Instant due = Instant.now().plusSeconds(AHEAD_SECONDS);
            schedule(shop, due, destination);
            if (Instant.now().isAfter(due)) {
                throw new IllegalStateException("the first timers are due before the last is scheduled");
            }
            double seconds = awaitAll(shop, due);
            long messages = broker.messages();
            if (messages < timers) {
                throw new IllegalStateException("the broker has " + messages + " messages");
            }
            return timers / seconds;
        } finally {
            target.close();
        }
    }

    private void schedule(Tickwheel shop, Instant due, Destination destination) throws InterruptedException {
        byte[] payload = new byte[PAYLOAD_BYTES];
        new Random(1).nextBytes(payload);
        Semaphore window = new Semaphore(WINDOW);
        for (int i = 0; i < timers; i++) {
            window.acquire();
            CompletableFuture<?> unused = shop.schedule(TimerRequest.at("orders", "order-" + i, due)
                            .withPayload(payload)
                            .withDestination(destination))
                    .whenComplete((done, failure) -> window.release());
        }
        window.acquire(WINDOW);
    }

    /** Seconds from the due time until nothing is left. */
    private static double awaitAll(Tickwheel shop, Instant due) throws InterruptedException {
        long dueNanos = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(
                        due.toEpochMilli() - Instant.now().toEpochMilli());
        while (shop.liveCount() > 0) {
            if (System.nanoTime() - dueNanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                throw new IllegalStateException(shop.liveCount() + " timers are left");
            }
            Thread.sleep(1);
        }
        return (System.nanoTime() - dueNanos) / 1e9;
    }
}
