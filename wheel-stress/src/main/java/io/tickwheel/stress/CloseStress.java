package io.tickwheel.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tickwheel.wheel.Timeout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.ZIZ_Result;

/** A schedule is refused, or its timeout has a fate: no timeout is lost while the timer closes. */
public final class CloseStress {
    private CloseStress() {}

    @JCStressTest
    @Outcome(id = "true, 1, true", expect = ACCEPTABLE, desc = "Accepted, and it has run.")
    @Outcome(id = "false, 0, true", expect = ACCEPTABLE, desc = "Refused.")
    @Outcome(expect = FORBIDDEN, desc = "Accepted and lost, or refused and run, or not terminated.")
    @State
    public static class FirstScheduleAndShutdown {
        private final Scene scene = new Scene(Integer.MAX_VALUE, 8);

        @Actor
        public void schedule(ZIZ_Result r) {
            r.r1 = scene.isAccepted(Duration.ZERO);
        }

        @Actor
        public void shutdown() {
            scene.timer.shutdown();
        }

        @Arbiter
        public void arbiter(ZIZ_Result r) {
            scene.expireIfWoken();
            r.r2 = scene.runs.get();
            r.r3 = scene.timer.isTerminated();
        }
    }

    /** The cancel makes the timer look for its end, while it is still open to others. */
    @JCStressTest
    @Outcome(id = "true, 1, true", expect = ACCEPTABLE, desc = "Accepted, and it has run.")
    @Outcome(id = "false, 0, true", expect = ACCEPTABLE, desc = "Refused.")
    @Outcome(expect = FORBIDDEN, desc = "Accepted and lost, or refused and run, or not terminated.")
    @State
    public static class CancelAndScheduleAndShutdown {
        private final Scene scene = new Scene(Integer.MAX_VALUE, 16);

        private final Timeout other = scene.scheduled(Scene.FAR);

        @Actor
        public void cancelAndSchedule(ZIZ_Result r) {
            other.cancel();
            r.r1 = scene.isAccepted(Duration.ZERO);
        }

        @Actor
        public void shutdown() {
            scene.timer.shutdown();
        }

        @Arbiter
        public void arbiter(ZIZ_Result r) {
            scene.expireIfWoken();
            r.r2 = scene.runs.get();
            r.r3 = scene.timer.isTerminated();
        }
    }

    @JCStressTest
    @Outcome(id = "true, 1, 0, true", expect = ACCEPTABLE, desc = "Accepted and returned.")
    @Outcome(id = "false, 0, 0, true", expect = ACCEPTABLE, desc = "Refused.")
    @Outcome(expect = FORBIDDEN, desc = "Accepted and lost, or run after all, or not terminated.")
    @State
    public static class ScheduleAndShutdownNow {
        private final Scene scene = new Scene(Integer.MAX_VALUE, 4);

        @Actor
        public void schedule(LLLL_Result r) {
            r.r1 = scene.isAccepted(Duration.ZERO);
        }

        @Actor
        public void shutdownNow(LLLL_Result r) {
            r.r2 = scene.timer.shutdownNow().size();
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            scene.expireIfWoken();
            r.r3 = scene.runs.get();
            r.r4 = scene.timer.isTerminated();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "It has run.")
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "It was returned.")
    @Outcome(expect = FORBIDDEN, desc = "Both, or neither, or not terminated.")
    @State
    public static class ExpiryAndShutdownNow {
        private final Scene scene = new Scene();

        public ExpiryAndShutdownNow() {
            scene.schedule();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Actor
        public void shutdownNow(IIZ_Result r) {
            r.r1 = scene.timer.shutdownNow().size();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            scene.expireIfWoken();
            r.r2 = scene.runs.get();
            r.r3 = scene.timer.isTerminated();
        }
    }

    @JCStressTest
    @Outcome(id = "true, 0, true", expect = ACCEPTABLE, desc = "The cancel has won.")
    @Outcome(id = "false, 1, true", expect = ACCEPTABLE, desc = "It was returned.")
    @Outcome(expect = FORBIDDEN, desc = "Both have won, or neither, or not terminated.")
    @State
    public static class CancelAndShutdownNow {
        private final Scene scene = new Scene();
        private final @Nullable Timeout timeout = scene.schedule();

        @Actor
        public void cancel(ZIZ_Result r) {
            r.r1 = timeout != null && timeout.cancel();
        }

        @Actor
        public void shutdownNow(ZIZ_Result r) {
            r.r2 = scene.timer.shutdownNow().size();
        }

        @Arbiter
        public void arbiter(ZIZ_Result r) {
            scene.expireIfWoken();
            r.r2 += scene.runs.get();
            r.r3 = scene.timer.isTerminated();
        }
    }
}
