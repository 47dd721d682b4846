package io.tickwheel.benchmarks;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;

/** Timers due within a few seconds, delivered to a handler in this program and acknowledged durably. */
record DeliverProgram(
        int timers, int spreadMs, int warmUpTimers, Producers producers, int window, int attempts, int rounds)
        implements LoadProgram {

    private static final String TICKWHEEL = "Tickwheel";
    private static final String QUEUE = TickwheelPlanSink.QUEUE;

    /** Slower than this, the timers are not all scheduled when the first is due. */
    private static final int LEAST_SCHEDULED_A_MS = 100;

    private static final long AHEAD_MS = 3_000;
    private static final long STALL_MS = 60_000;
    private static final int ATTEMPTS_IN_ALL = 2_048;

    static DeliverProgram of(Options options) {
        return new DeliverProgram(
                options.number("timers", 1_000_000),
                options.number("spread-ms", 2_000),
                options.number("warm-up-timers", 200_000),
                new Producers(options.number("producers", 2)),
                options.number("window", 8_192),
                options.number("attempts", 256),
                options.number("rounds", 3));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers due within %,d ms (the rate cannot exceed %,d/s), %d-byte payload, scheduled before; at most %,d "
                        + "attempts at once. The rate%nis counted from the first attempt to the moment when all are "
                        + "acknowledged and that is synced; the store is then opened%nagain and must be empty.%n%n",
                timers, spreadMs, timers * 1_000L / Math.max(1, spreadMs), TimerPlan.PAYLOAD_BYTES, attempts);
        Results results = new Results(TICKWHEEL);
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            Path directory = data.fresh("deliver");
            System.gc();
            round(directory, round == 0 ? warmUpTimers : timers, results);
            expectEmpty(directory);
            DataDirectory.delete(directory);
        }
        results.print();
    }

    private void round(Path directory, int count, Results results) throws Exception {
        HandledTimers handled = new HandledTimers(Clock.system(), count);
        try (Tickwheel engine = Tickwheel.builder(FileTimerStore.in(directory))
                .attemptsPerQueue(attempts)
                .attemptsInAll(Math.max(attempts, ATTEMPTS_IN_ALL))
                .open()) {
            engine.handle(QUEUE, handled);
            long startMs = System.currentTimeMillis() + AHEAD_MS + count / LEAST_SCHEDULED_A_MS;
            TimerPlan plan = new TimerPlan("order-", number -> startMs + number * spreadMs / count);
            producers.fill(new TickwheelPlanSink(engine, window / producers.count()), TICKWHEEL, plan, 0, count);
            long aheadMs = startMs - System.currentTimeMillis();
            if (aheadMs <= 0) {
                throw new IllegalStateException("scheduling took longer than the timers wait");
            }
            Thread.sleep(aheadMs);
            Cost before = Cost.now();
            handled.await(count, STALL_MS);
            awaitAcknowledged(engine);
            long nanos = System.nanoTime() - handled.firstNanos();
            results.add("delivered/s", TICKWHEEL, count * 1e9 / nanos);
            results.add("CPU us a delivery", TICKWHEEL, Cost.since(before).cpuNanos() / 1e3 / count);
            handled.report("delivery", TICKWHEEL, results);
        }
    }

    /** What is answered after the acknowledgements is synced with or after them. */
    private static void awaitAcknowledged(Tickwheel engine) throws InterruptedException {
        while (engine.liveCount() > 0) {
            Thread.sleep(1);
        }
        engine.schedule(QUEUE, "last", Duration.ofHours(1), new byte[0]).join();
    }

    /** By a list, as the count of live timers is an upper bound in the first moments. */
    private static void expectEmpty(Path directory) {
        try (Tickwheel engine = Tickwheel.open(FileTimerStore.in(directory))) {
            int left = 0;
            TimerQuery query = TimerQuery.of(QUEUE);
            TimerCursor next;
            do {
                TimerPage page = engine.list(query).join();
                left += page.timers().size();
                next = page.next();
                if (next != null) {
                    query = query.withAfter(next);
                }
            } while (next != null && left <= 1);
            if (left != 1) {
                throw new IllegalStateException("acknowledged timers are still there, or the last one is not: " + left);
            }
        }
    }
}
