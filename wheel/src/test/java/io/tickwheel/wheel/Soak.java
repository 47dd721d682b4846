package io.tickwheel.wheel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Threads that schedule, cancel and reschedule timeouts on the real clock as fast as they can, and a ledger of what became
 * of each: it ran, once and not early, or was cancelled, and never both. A timeout passes from thread to thread.
 */
final class Soak {
    private static final int THREADS = 4;
    private static final int SHARED = 1 << 12;
    private static final int CANCELLED = 1 << 8;
    private static final int RETURNED = 1 << 16;

    private record Shared(int index, Timeout timeout) {}

    private final int timers;
    private final @Nullable ExecutorService executor;
    private final WheelTimer timer;

    private final AtomicIntegerArray fates;
    private final long[] notBefore;
    private final long[] ranAt;
    private final AtomicReferenceArray<Shared> shared = new AtomicReferenceArray<>(SHARED);
    private final LongAdder rescheduled = new LongAdder();
    private final LongAdder periodicRuns = new LongAdder();
    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();

    private long ran;
    private long cancelled;
    private long returned;
    private long early;
    private long lost;
    private long twice;
    private long cancelledAndRan;

    Soak(int timers, boolean onExecutor) {
        this.timers = timers;
        executor = onExecutor ? Executors.newFixedThreadPool(2) : null;
        WheelTimerBuilder settings = WheelTimer.builder();
        timer = (executor == null ? settings : settings.executor(executor)).build();
        fates = new AtomicIntegerArray(timers);
        notBefore = new long[timers];
        ranAt = new long[timers];
    }

    /** Lets everything come to its end. */
    void run(long seed) throws InterruptedException {
        List<Timeout> periodic = List.of(
                timer.scheduleAtFixedRate(new NeverTwiceAtATime(), Duration.ZERO, Duration.ofMillis(1)),
                timer.scheduleWithFixedDelay(new NeverTwiceAtATime(), Duration.ZERO, Duration.ofMillis(2)));
        for (Thread thread : startThreads(seed)) {
            thread.join();
        }
        periodic.forEach(Timeout::cancel);
        timer.shutdown();
        finish();
    }

    /** Cancels what is left once half of the timeouts were scheduled. */
    void runAndCloseHalfway(long seed) throws InterruptedException {
        List<Thread> threads = startThreads(seed);
        while (next.get() < timers / 2) {
            Thread.onSpinWait();
        }
        for (Runnable task : timer.shutdownNow()) {
            fates.addAndGet(((Task) task).index, RETURNED);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        finish();
    }

    private List<Thread> startThreads(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            Thread thread = new Thread(() -> scheduleAll(own), "soak-" + i);
            threads.add(thread);
            thread.start();
        }
        return threads;
    }

    private void finish() throws InterruptedException {
        timer.awaitTermination(Duration.ofMinutes(5));
        if (executor != null) {
            executor.shutdown();
            executor.awaitTermination(5, TimeUnit.MINUTES);
        }
        for (int i = 0; i < timers; i++) {
            if (notBefore[i] != 0) {
                count(i);
            }
        }
    }

    private void count(int index) {
        int fate = fates.get(index);
        int runs = fate & (CANCELLED - 1);
        int ends = runs + (fate >>> 8 & 255) + (fate >>> 16);
        ran += runs;
        cancelled += fate >>> 8 & 255;
        returned += fate >>> 16;
        early += runs > 0 && ranAt[index] - notBefore[index] < 0 ? 1 : 0;
        twice += runs > 1 ? 1 : 0;
        lost += ends == 0 ? 1 : 0;
        cancelledAndRan += runs > 0 && ends > runs ? 1 : 0;
    }

    private void scheduleAll(SplittableRandom random) {
        long burst = 0;
        try {
            for (int index = next.getAndIncrement(); index < timers; index = next.getAndIncrement()) {
                if (index % 1_000 == 0) {
                    burst = random.nextInt(3) == 0 ? randomDelay(random) : -1;
                }
                schedule(index, burst >= 0 ? burst : randomDelay(random), random);
                if (random.nextInt(4) == 0) {
                    touch(shared.getAndSet(random.nextInt(SHARED), null), random);
                }
            }
        } catch (RejectedExecutionException e) {
            assert timer.isShutdown() : e;
        }
    }

    private static long randomDelay(SplittableRandom random) {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1, 2, 3 -> random.nextLong(5_000_000);
            case 4, 5, 6, 7 -> random.nextLong(300_000_000);
            case 8 -> random.nextLong(3_000_000_000L);
            default -> 30_000_000;
        };
    }

    private void schedule(int index, long delay, SplittableRandom random) {
        notBefore[index] = System.nanoTime() + delay;
        Timeout timeout;
        try {
            timeout = timer.schedule(new Task(index), delay, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            fates.addAndGet(index, RETURNED);
            throw e;
        }
        touch(shared.getAndSet(random.nextInt(SHARED), new Shared(index, timeout)), random);
    }

    /** Does something with a timeout that no other thread has. */
    private void touch(@Nullable Shared taken, SplittableRandom random) {
        if (taken == null) {
            return;
        }
        int dice = random.nextInt(8);
        if (dice < 4) {
            if (taken.timeout.cancel()) {
                fates.addAndGet(taken.index, CANCELLED);
            }
        } else if (dice < 7) {
            long delay = randomDelay(random);
            long deadline = System.nanoTime() + delay;
            if (taken.timeout.reschedule(Duration.ofNanos(delay))) {
                notBefore[taken.index] = deadline;
                rescheduled.increment();
                touch(shared.getAndSet(random.nextInt(SHARED), taken), random);
            }
        }
    }

    boolean isSound() {
        return early + lost + twice + cancelledAndRan + overlaps.get() == 0
                && timer.isTerminated()
                && timer.pending() == 0
                && timer.metrics().failed() == 0;
    }

    /** Returns whether all timeouts were accepted, and the timer has counted what the ledger has. */
    boolean isComplete() {
        WheelTimerMetrics metrics = timer.metrics();
        return ran + cancelled == timers && metrics.scheduled() == timers + 2 && metrics.cancelled() == cancelled + 2;
    }

    @Override
    public String toString() {
        return (ran + cancelled + returned) + " timeouts: ran " + ran + ", cancelled " + cancelled
                + ", returned or refused " + returned + ", rescheduled " + rescheduled + ", early " + early + ", lost "
                + lost
                + ", twice " + twice + ", cancelled and ran " + cancelledAndRan + ", periodic runs " + periodicRuns
                + ", overlapping " + overlaps + ", pending " + timer.pending() + ", " + timer.metrics();
    }

    private final class Task implements Runnable {
        private final int index;

        Task(int index) {
            this.index = index;
        }

        @Override
        public void run() {
            ranAt[index] = System.nanoTime();
            fates.incrementAndGet(index);
        }
    }

    private final class NeverTwiceAtATime implements Runnable {
        private final AtomicBoolean running = new AtomicBoolean();

        @Override
        public void run() {
            if (!running.compareAndSet(false, true)) {
                overlaps.incrementAndGet();
            }
            periodicRuns.increment();
            running.set(false);
        }
    }
}
