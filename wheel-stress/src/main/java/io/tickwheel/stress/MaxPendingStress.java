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
import org.openjdk.jcstress.infra.results.ZII_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** The limit is exact: every end makes room for one, and once. */
public final class MaxPendingStress {
    private MaxPendingStress() {}

    @JCStressTest
    @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "The first was accepted.")
    @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "The second was accepted.")
    @Outcome(expect = FORBIDDEN, desc = "Both were accepted, or neither.")
    @State
    public static class ScheduleAndSchedule {
        private final Scene scene = new Scene(1, 2);

        @Actor
        public void schedule(ZZI_Result r) {
            r.r1 = scene.isAccepted(FAR);
        }

        @Actor
        public void scheduleToo(ZZI_Result r) {
            r.r2 = scene.isAccepted(FAR);
        }

        @Arbiter
        public void arbiter(ZZI_Result r) {
            r.r3 = (int) scene.timer.pending() + scene.room();
        }
    }

    @JCStressTest
    @Outcome(id = "true, 1, 0", expect = ACCEPTABLE, desc = "Accepted, after the other was cancelled or has expired.")
    @Outcome(id = "false, 0, 1", expect = ACCEPTABLE, desc = "Refused; now there is room for one.")
    @Outcome(expect = FORBIDDEN, desc = "The other gave its place back twice, or not at all.")
    @State
    public static class CancelAndScheduleAndExpiry {
        private final Scene scene = new Scene(1, 1);
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void cancelAndSchedule(ZII_Result r) {
            timeout.cancel();
            r.r1 = scene.isAccepted(FAR);
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(ZII_Result r) {
            r.r2 = (int) scene.timer.pending();
            r.r3 = scene.room();
        }
    }

    @JCStressTest
    @Outcome(id = "true, 0, 1", expect = ACCEPTABLE, desc = "Cancelled before it expired, or while it was retried.")
    @Outcome(expect = FORBIDDEN, desc = "Its place was given back twice, or not at all.")
    @State
    public static class CancelAndRetry {
        private final Scene scene = Scene.refusing();
        private final Timeout timeout = scene.scheduled(Duration.ZERO);

        @Actor
        public void cancel(ZII_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(ZII_Result r) {
            r.r2 = (int) scene.timer.pending();
            r.r3 = scene.room();
        }
    }
}
