package io.tickwheel.benchmarks.messages;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.Results;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Messages with a delay that a source takes in from a broker, keeps durably as timers, and that go to the broker again when they are due: how many a second are taken in when
 * they wait in the broker, and how late they come out when they are published at a steady rate.
 */
public final class IngressProgram implements LoadProgram {

    private static final int ATTEMPTS = 2_048;
    private static final int LEAST_MS = 1_000;
    private static final int FAR_MS = 3_600_000;
    private static final long LIMIT_MS = 120_000;

    private final List<BrokerKind> kinds;
    private final int waiting;
    private final int messages;
    private final int rate;
    private final int mostMs;
    private final int rounds;

    private IngressProgram(Options options) {
        kinds = BrokerKind.of(options, "kafka,rabbitmq");
        waiting = options.number("waiting", 100_000);
        messages = options.number("messages", 10_000);
        rate = options.number("rate", 1_000);
        mostMs = options.number("most-ms", 60_000);
        rounds = options.number("rounds", 3);
        if (mostMs < LEAST_MS) {
            throw new IllegalArgumentException("--most-ms is " + mostMs + ", must be " + LEAST_MS + " or more");
        }
    }

    public static LoadProgram of(Options options) {
        return new IngressProgram(options);
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d messages that wait in the broker are taken in; then %,d messages with delays of %,d to %,d ms, published at %,d/s. "
                        + "Lateness: from the due time%nto the moment a consumer has the message. Synced to disk.%n%n",
                waiting, messages, LEAST_MS, mostMs, rate);
        Results results = new Results(kinds.stream().map(kind -> kind.title).toArray(String[]::new));
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (BrokerKind kind : kinds) {
                Path folder = data.fresh("ingress");
                try (Broker broker = kind.start(folder);
                        Inlet inlet = broker.inlet()) {
                    measure(folder, broker, inlet, kind.title, results);
                }
            }
        }
        results.print();
    }

    private void measure(Path folder, Broker broker, Inlet inlet, String title, Results results) throws Exception {
        for (int i = 0; i < waiting; i++) {
            inlet.send(OutletArrivals.message(0, 0), FAR_MS);
        }
        inlet.flush();
        Target target = broker.kind().open(new TargetOptions(Clock.system(), ATTEMPTS, broker.options()));
        try (Tickwheel timers = Tickwheel.builder(FileTimerStore.in(folder.resolve("timers")))
                .target(broker.kind().name(), target)
                .open()) {
            SourceOptions options = new SourceOptions(Clock.system(), new SecureRandom()::nextLong, inlet.options());
            Source source = inlet.kind().open(options, timers);
            try {
                results.add("taken in, messages/s", title, takenInASecond(source));
                OutletArrivals arrivals = new OutletArrivals(messages);
                inlet.take(arrivals);
                publish(inlet);
                arrivals.await(mostMs + LIMIT_MS);
                results.add("early", title, arrivals.early());
                results.add("more than once", title, arrivals.again());
                results.addPercentiles("lateness", title, arrivals.lateMicros(), MILLISECONDS, 50, 99, 99.9, 100);
            } finally {
                source.close();
            }
        } finally {
            target.close();
        }
    }

    /** From the first message that is a timer on, so that connecting does not count. */
    private double takenInASecond(Source source) throws Exception {
        long first = awaitScheduled(source, 1);
        long before = System.nanoTime();
        awaitScheduled(source, waiting);
        return (waiting - first) * 1e9 / (System.nanoTime() - before);
    }

    private static long awaitScheduled(Source source, long count) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
        long scheduled = source.counts().scheduled();
        while (scheduled < count) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(String.format(
                        Locale.ROOT,
                        "%,d of %,d messages are taken in; the source %s",
                        scheduled,
                        count,
                        source.unready()));
            }
            Thread.sleep(1);
            scheduled = source.counts().scheduled();
        }
        return scheduled;
    }

    private void publish(Inlet inlet) throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        long begin = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            long atNanos = begin + TimeUnit.SECONDS.toNanos(i) / rate;
            while (System.nanoTime() < atNanos) {
                LockSupport.parkNanos(atNanos - System.nanoTime());
            }
            int delayMs = random.nextInt(LEAST_MS, mostMs + 1);
            inlet.send(OutletArrivals.message(i, System.currentTimeMillis() + delayMs), delayMs);
        }
        inlet.flush();
    }
}
