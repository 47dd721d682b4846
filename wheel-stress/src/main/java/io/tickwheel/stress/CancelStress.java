package io.tickwheel.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Of a cancel and the start of the task exactly one wins, and of two cancels too. */
public final class CancelStress {
    private CancelStress() {}

    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "The task has started.")
    @Outcome(expect = FORBIDDEN, desc = "Both have won, or neither.")
    @State
    public static class CancelAndExpiry {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void cancel(ZI_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(ZI_Result r) {
            scene.expire();
            r.r2 = scene.runs.get();
        }
    }

    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first has won.")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second has won.")
    @Outcome(id = "false, false, 1", expect = ACCEPTABLE, desc = "The task has started.")
    @Outcome(expect = FORBIDDEN, desc = "Two have won, or none.")
    @State
    public static class CancelAndCancelAndExpiry {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void cancel(ZZI_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void cancelToo(ZZI_Result r) {
            r.r2 = timeout.cancel();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            scene.expire();
            r.r3 = scene.runs.get();
        }
    }

    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first has won.")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second has won.")
    @Outcome(expect = FORBIDDEN, desc = "Both have won, or neither.")
    @State
    public static class CancelAndCancel {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void cancel(ZZI_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void cancelToo(ZZI_Result r) {
            r.r2 = timeout.cancel();
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            scene.expire();
            r.r3 = scene.runs.get() + (int) scene.timer.pending();
        }
    }

    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "The task has started.")
    @Outcome(expect = FORBIDDEN, desc = "Both have won, or neither.")
    @State
    public static class CancelAndStartOnTheExecutor {
        private final Queue<Runnable> executor = new ArrayDeque<>();
        private final Scene scene = new Scene(executor::add);
        private final Timeout timeout = scene.scheduled(Duration.ZERO);
        private final Runnable queued;

        public CancelAndStartOnTheExecutor() {
            scene.expire();
            queued = executor.remove();
        }

        @Actor
        public void cancel(ZI_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void start() {
            queued.run();
        }

        @Arbiter
        public void arbiter(ZI_Result r) {
            r.r2 = scene.runs.get();
        }
    }

    /** On the real clock and with the real thread, which all share. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "The task has started.")
    @Outcome(expect = FORBIDDEN, desc = "Both have won, or neither, or a wake-up was lost.")
    @State
    public static class CancelAndExpiryThread {
        private static final WheelTimer TIMER =
                WheelTimer.builder().tick(Duration.ofNanos(1_000)).build();
        private static final long PATIENCE = 10_000_000_000L;

        private final AtomicInteger runs = new AtomicInteger();
        private volatile boolean cancelled;

        @Actor
        public void scheduleAndCancel(ZI_Result r) {
            Timeout timeout = TIMER.schedule(runs::incrementAndGet, Duration.ZERO);
            r.r1 = timeout.cancel();
            cancelled = r.r1;
        }

        @Arbiter
        public void arbiter(ZI_Result r) {
            long start = System.nanoTime();
            while (!cancelled && runs.get() == 0 && System.nanoTime() - start < PATIENCE) {
                Thread.onSpinWait();
            }
            r.r2 = runs.get();
        }
    }

    /** On the real clock and with the real thread: it must wake up for what comes in while it goes to sleep. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = ACCEPTABLE, desc = "Both have run.")
    @Outcome(expect = FORBIDDEN, desc = "A wake-up was lost.")
    @State
    public static class ScheduleAndExpiryThread {
        private static final WheelTimer TIMER =
                WheelTimer.builder().tick(Duration.ofNanos(1_000)).stripes(2).build();
        private static final long PATIENCE = 10_000_000_000L;

        private final AtomicInteger runs = new AtomicInteger();

        @Actor
        public void schedule() {
            TIMER.schedule(runs::incrementAndGet, Duration.ofNanos(1_000));
        }

        @Actor
        public void scheduleToo() {
            TIMER.schedule(runs::incrementAndGet, Duration.ZERO);
        }

        @Arbiter
        public void arbiter(ZI_Result r) {
            long start = System.nanoTime();
            while (runs.get() < 2 && System.nanoTime() - start < PATIENCE) {
                Thread.onSpinWait();
            }
            r.r1 = true;
            r.r2 = runs.get();
        }
    }
}
