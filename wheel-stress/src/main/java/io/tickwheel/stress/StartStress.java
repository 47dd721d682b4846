package io.tickwheel.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tickwheel.wheel.TimeoutNode;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** A timeout that is its own task, and known to another thread before its start: a cancel that comes then keeps the task from starting. */
public final class StartStress {
    private StartStress() {}

    private static boolean starts(Scene scene, TimeoutNode timeout) {
        try {
            scene.timer.start(timeout, 0, TimeUnit.NANOSECONDS);
            return true;
        } catch (IllegalStateException cancelledBefore) {
            return false;
        }
    }

    private static TimeoutNode timeout(Scene scene) {
        return new TimeoutNode(scene.timer) {
            @Override
            protected void expired() {
                scene.runs.incrementAndGet();
            }
        };
    }

    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "The start came first.")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(expect = FORBIDDEN, desc = "The cancel was lost.")
    @State
    public static class StartAndCancel {
        private final Scene scene = new Scene();
        private final TimeoutNode timeout = timeout(scene);

        @Actor
        public void start(ZZI_Result r) {
            r.r1 = starts(scene, timeout);
        }

        @Actor
        public void cancel(ZZI_Result r) {
            r.r2 = timeout.cancel();
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            scene.expire();
            r.r3 = scene.runs.get() + (int) scene.timer.pending();
        }
    }

    /** The other thread has the lock now and then, so that the start leaves the timeout in the inbox. */
    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "The start came first.")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(expect = FORBIDDEN, desc = "The cancel was lost.")
    @State
    public static class StartAndCancelInACrowd {
        private final Scene scene = new Scene();
        private final TimeoutNode timeout = timeout(scene);

        @Actor
        public void start(ZZI_Result r) {
            r.r1 = starts(scene, timeout);
        }

        @Actor
        public void cancelAfterOthers(ZZI_Result r) {
            scene.scheduled(Scene.FAR).cancel();
            scene.scheduled(Scene.FAR).cancel();
            r.r2 = timeout.cancel();
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            scene.expire();
            r.r3 = scene.runs.get() + (int) scene.timer.pending();
        }
    }

    /** The place of a timeout is given back once, whatever came first. */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = ACCEPTABLE, desc = "The start came first.")
    @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "The cancel came first.")
    @Outcome(expect = FORBIDDEN, desc = "A place was lost, or given back twice.")
    @State
    public static class StartAndCancelOfTheLastPlace {
        private final Scene scene = new Scene(1, 1);
        private final TimeoutNode timeout = timeout(scene);

        @Actor
        public void start(ZZI_Result r) {
            r.r1 = starts(scene, timeout);
        }

        @Actor
        public void cancel(ZZI_Result r) {
            r.r2 = timeout.cancel();
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            scene.expire();
            r.r3 = scene.room();
        }
    }
}
