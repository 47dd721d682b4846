package io.tickwheel.benchmarks;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.RoomyListener;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/** The file store alone, driven by one loop: what the engine above it cannot exceed. */
record CalendarProgram(int timers, int turn, int rounds, Random random) implements LoadProgram {

    private static final int PAYLOAD_BYTES = 128;
    private static final long HOUR_MS = 3_600_000;

    static CalendarProgram of(Options options) {
        return new CalendarProgram(
                options.number("timers", 1_000_000),
                options.number("turn", 64),
                options.number("rounds", 5),
                new Random(1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers due in an hour, %d-byte payload, are scheduled and then cancelled, %,d a turn of the loop.%n%n",
                timers, PAYLOAD_BYTES, turn);
        Results results = new Results("file store");
        for (int round = 0; round <= rounds; round++) {
            if (round > 0) {
                System.out.println("round " + round);
                results.startCounting();
            }
            Path directory = data.fresh("calendar");
            System.gc();
            round(directory, results);
            DataDirectory.delete(directory);
        }
        results.print();
    }

    private void round(Path directory, Results results) throws InterruptedException {
        ExecutorService log = Executors.newSingleThreadExecutor();
        ExecutorService background = Executors.newSingleThreadExecutor();
        Semaphore wake = new Semaphore(0);
        Histogram syncs = new Histogram(3);
        StoreContext context = new StoreContext(
                log,
                background,
                wake::release,
                random::nextLong,
                System::nanoTime,
                nanos -> syncs.recordValue(nanos / 1_000));
        try (Calendar calendar = FileTimerStore.in(directory).open(context, new Unloaded())) {
            Loop loop = new Loop(calendar, wake);
            Counting<Scheduled> scheduled = new Counting<>();
            long dueAtMs = System.currentTimeMillis() + HOUR_MS;
            byte[] payload = new byte[PAYLOAD_BYTES];
            double schedules = loop.perSecond(i -> calendar.schedule(
                    new ScheduleCommand(key(i), dueAtMs, payload.clone(), OnConflict.REPLACE, 0), scheduled));
            results.add("schedules/s", "file store", schedules);
            results.add("schedules a sync", "file store", (double) timers / syncs.getTotalCount());
            results.addPercentiles("sync", "file store", syncs, MICROSECONDS, 50, 99);
            Counting<Cancelled> cancelled = new Counting<>();
            results.add("cancels/s", "file store", loop.perSecond(i -> calendar.cancel(key(i), cancelled)));
            if (scheduled.count != timers || cancelled.count != timers || calendar.liveCount() != 0) {
                throw new IllegalStateException(scheduled.count + " scheduled, " + cancelled.count + " cancelled");
            }
        } finally {
            log.shutdown();
            background.shutdown();
        }
    }

    private static TimerKey key(int number) {
        return new TimerKey("bench", "order-" + number);
    }

    private final class Loop {

        private final Calendar calendar;
        private final Semaphore wake;

        Loop(Calendar calendar, Semaphore wake) {
            this.calendar = calendar;
            this.wake = wake;
        }

        double perSecond(IntConsumer command) throws InterruptedException {
            long start = System.nanoTime();
            for (int i = 0; i < timers; i++) {
                if (i % turn == 0) {
                    calendar.work(Integer.MAX_VALUE);
                    workUntil(calendar::hasRoom);
                }
                command.accept(i);
            }
            workUntil(calendar::isQuiet);
            return timers * 1e9 / (System.nanoTime() - start);
        }

        private void workUntil(BooleanSupplier reached) throws InterruptedException {
            while (!reached.getAsBoolean()) {
                if (calendar.work(Integer.MAX_VALUE) == 0 && !reached.getAsBoolean()) {
                    wake.acquire();
                    wake.drainPermits();
                }
            }
        }
    }

    private static final class Counting<T> implements Answer<T> {

        private int count;

        @Override
        public void accept(T result) {
            count++;
        }

        @Override
        public void fail(StoreException failure) {
            throw failure;
        }
    }

    private static final class Unloaded extends RoomyListener {

        @Override
        public void loaded(PendingTimer timer) {
            throw new IllegalStateException("nothing is loaded here: " + timer);
        }

        @Override
        public void unloaded(PendingTimer timer) {
            throw new IllegalStateException("nothing is loaded here: " + timer);
        }
    }
}
