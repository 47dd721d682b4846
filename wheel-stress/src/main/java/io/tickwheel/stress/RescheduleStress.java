package io.tickwheel.stress;

import static io.tickwheel.stress.Scene.FAR;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tickwheel.wheel.Timeout;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZII_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Either the old deadline is given up and the new one holds, or nothing changes; and no wake-up is lost. */
public final class RescheduleStress {
    private RescheduleStress() {}

    @JCStressTest
    @Outcome(id = "true, 0, 1", expect = ACCEPTABLE, desc = "Moved: it has not run, and runs once at its new deadline.")
    @Outcome(id = "false, 1, 1", expect = ACCEPTABLE, desc = "It had expired.")
    @Outcome(expect = FORBIDDEN, desc = "Moved and run, or neither.")
    @State
    public static class LaterAndExpiry {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void reschedule(ZII_Result r) {
            r.r1 = timeout.reschedule(FAR);
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(ZII_Result r) {
            scene.expire();
            r.r2 = scene.runs.get();
            scene.advance(FAR);
            r.r3 = scene.runs.get();
        }
    }

    /** The expiry goes to sleep until the old deadline while the new one comes in. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The expiry saw the new deadline, or was woken for it.")
    @Outcome(expect = FORBIDDEN, desc = "The wake-up was lost.")
    @State
    public static class EarlierAndSleep {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(FAR);

        @Actor
        public void reschedule() {
            timeout.reschedule(Duration.ZERO);
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(II_Result r) {
            scene.expireIfWoken();
            r.r1 = scene.runs.get();
            r.r2 = (int) scene.timer.pending();
        }
    }

    /** Another stripe gets a timeout while the expiry goes to sleep. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The expiry saw it, or was woken for it.")
    @Outcome(expect = FORBIDDEN, desc = "A wake-up was lost.")
    @State
    public static class ScheduleAndSleep {
        private final Scene scene = new Scene(Integer.MAX_VALUE, 64);

        public ScheduleAndSleep() {
            scene.schedule(FAR);
        }

        @Actor
        public void schedule() {
            scene.schedule();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(II_Result r) {
            scene.expireIfWoken();
            r.r1 = scene.runs.get();
            r.r2 = (int) scene.timer.pending();
        }
    }

    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Moved, then cancelled.")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "Cancelled, so not moved.")
    @Outcome(expect = FORBIDDEN, desc = "Moved after it was cancelled.")
    @State
    public static class EarlierAndCancel {
        private final Scene scene = new Scene();
        private final Timeout timeout = scene.scheduled(FAR);

        @Actor
        public void reschedule(ZZI_Result r) {
            r.r1 = timeout.reschedule(Duration.ZERO);
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
}
