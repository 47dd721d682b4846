package io.tickwheel.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tickwheel.wheel.Timeout;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.LLLL_Result;

/** A periodic task that is cancelled does not start again, wherever it is on its way. */
public final class PeriodicStress {
    private static final Duration PERIOD = Duration.ofMillis(10);

    private PeriodicStress() {}

    @JCStressTest
    @Outcome(id = "true, 0, 0, 1", expect = ACCEPTABLE, desc = "Cancelled before its first run.")
    @Outcome(id = "true, 1, 0, 1", expect = ACCEPTABLE, desc = "Cancelled while it ran, or before its second run.")
    @Outcome(expect = FORBIDDEN, desc = "Not cancelled, or run again, or its place was not given back once.")
    @State
    public static class CancelAndAgain {
        private final Scene scene = new Scene(1, 1);
        private final Timeout timeout =
                scene.timer.scheduleAtFixedRate(scene.runs::incrementAndGet, Duration.ZERO, PERIOD);

        @Actor
        public void cancel(LLLL_Result r) {
            r.r1 = timeout.cancel();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            scene.advance(PERIOD);
            r.r2 = scene.runs.get();
            r.r3 = (int) scene.timer.pending();
            r.r4 = scene.room();
        }
    }

    @JCStressTest
    @Outcome(id = "0, 1, true", expect = ACCEPTABLE, desc = "Returned before its first run.")
    @Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "Ended by the closing while it ran.")
    @Outcome(id = "1, 1, true", expect = ACCEPTABLE, desc = "Returned before its second run.")
    @Outcome(expect = FORBIDDEN, desc = "Lost, or run again, or not terminated.")
    @State
    public static class ShutdownNowAndAgain {
        private final Scene scene = new Scene();
        private final Timeout timeout =
                scene.timer.scheduleWithFixedDelay(scene.runs::incrementAndGet, Duration.ZERO, PERIOD);

        @Actor
        public void shutdownNow(IIZ_Result r) {
            r.r2 = scene.timer.shutdownNow().size();
        }

        @Actor
        public void expire() {
            scene.expire();
        }

        @Arbiter
        public void arbiter(IIZ_Result r) {
            scene.advance(PERIOD);
            r.r1 = scene.runs.get();
            r.r3 = scene.timer.isTerminated() && timeout.state() == Timeout.State.CANCELLED;
        }
    }
}
