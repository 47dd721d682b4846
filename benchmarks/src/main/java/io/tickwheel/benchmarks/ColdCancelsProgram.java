package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Cancels of timers that stand on the disk and nowhere in memory, in no order, and how long schedules are on their way meanwhile. */
record ColdCancelsProgram(
        int timers, int seconds, int rate, int cancelRate, int inFlight, Producers producers, int window, int rounds)
        implements LoadProgram {

    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
    private static final Delays FAR = Delays.uniform(Duration.ofDays(1), Duration.ofDays(60));
    private static final TimerPlan COLD = TimerPlan.after("order-", FAR);
    private static final TimerPlan FRESH = TimerPlan.after("fresh-", FAR);

    private static final long PARK_NANOS = 20_000;

    /** A prime: multiples of it go through any number of timers that is no multiple of it, and far from one to the next. */
    private static final long STRIDE = 7_919_999_983L;

    static ColdCancelsProgram of(Options options) {
        return new ColdCancelsProgram(
                options.number("timers", 30_000_000),
                options.number("seconds", 10),
                options.number("rate", 1_000),
                options.number("cancel-rate", 0),
                options.number("in-flight", 512),
                new Producers(options.number("producers", 2)),
                options.number("window", 8_192),
                options.number("rounds", 1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers due in 1 to 60 days. The system's cache of files is emptied, which only root may do, then "
                        + "timers are cancelled,%n%s, at most %,d at a time, for twice %d s, and %,d/s scheduled; and before, "
                        + "these alone, a while after the store was opened.%n%n",
                timers,
                cancelRate == 0 ? "as fast as it goes" : String.format(Locale.ROOT, "%,d/s", cancelRate),
                inFlight,
                seconds,
                rate);
        Results results = new Results("Tickwheel");
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            Path directory = data.fresh("cold-cancels");
            try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
                producers.fill(new TickwheelPlanSink(engine, window / producers.count()), "filling", COLD, 0, timers);
            }
            try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
                round(engine, results);
            }
            DataDirectory.delete(directory);
        }
        results.print();
    }

    private void round(Tickwheel engine, Results results) throws Exception {
        String queue = TickwheelPlanSink.QUEUE;
        engine.find(queue, COLD.key(0)).join();
        fresh(engine, 0);
        addFresh(fresh(engine, 1), "alone", results);
        Files.writeString(DROP_CACHES, "1");
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            long end = System.nanoTime() + 2 * SECONDS.toNanos(seconds);
            Future<Long> cancels = thread.submit(() -> cancelUntil(end, engine, queue));
            Cost before = Cost.now();
            addFresh(fresh(engine, 2), "in the first seconds of cancels", results);
            addFresh(fresh(engine, 3), "beside cancels", results);
            Cost cost = Cost.since(before);
            results.add("cancels/s", "Tickwheel", cost.perSecond(cancels.get()));
            results.add("cancels, CPU us each", "Tickwheel", cost.cpuNanos() / 1e3 / cancels.get());
        } finally {
            thread.shutdown();
        }
    }

    private Histogram fresh(Tickwheel engine, int part) throws Exception {
        int count = rate * seconds;
        PacedSchedules.Sink sink = (first, end, synced) -> {
            for (long number = first; number < end; number++) {
                long one = number;
                CompletableFuture<Scheduled> answer =
                        engine.schedule(TickwheelPlanSink.request(FRESH, (long) part * count + number));
                CompletableFuture<Void> unused = answer.thenAccept(scheduled -> synced.timer(one));
            }
        };
        return new PacedSchedules(rate, count).run(sink);
    }

    private void addFresh(Histogram micros, String when, Results results) {
        String measure = String.format(Locale.ROOT, "answer to %,d/s %s", rate, when);
        results.addPercentiles(measure, "Tickwheel", micros, MICROSECONDS, 50, 99, 100);
    }

    private long cancelUntil(long end, Tickwheel engine, String queue) throws InterruptedException, IOException {
        Semaphore free = new Semaphore(inFlight);
        AtomicLong cancelled = new AtomicLong();
        long asked = 0;
        long start = System.nanoTime();
        while (System.nanoTime() < end) {
            if (asked > (System.nanoTime() - start) * 1e-9 * cancelRate && cancelRate > 0) {
                LockSupport.parkNanos(PARK_NANOS);
                continue;
            }
            free.acquire();
            String key = COLD.key(++asked * STRIDE % timers);
            CompletableFuture<Void> unused = engine.cancel(queue, key).thenAccept(answer -> {
                if (answer.outcome() == Cancelled.Outcome.CANCELLED) {
                    cancelled.incrementAndGet();
                }
                free.release();
            });
        }
        free.acquire(inFlight);
        if (cancelled.get() != asked) {
            throw new IOException(asked - cancelled.get() + " of " + asked + " timers were not cancelled");
        }
        return cancelled.get();
    }
}
