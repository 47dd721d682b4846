package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On the real clock and the real thread. How many timeouts: -Dtickwheel.soak.timers=10000000. */
@Tag("races")
class SoakTest {
    private static final String SIZE = "tickwheel.soak.timers";
    private static final int TIMERS = Integer.getInteger(SIZE, 300_000);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyTimeoutRunsOnceOrIsCancelled(boolean onExecutor) throws InterruptedException {
        long seed = System.nanoTime();
        Soak soak = new Soak(TIMERS, onExecutor);
        soak.run(seed);
        report(soak);
        assertThat(soak).as("seed %s", seed).matches(Soak::isSound, "sound").matches(Soak::isComplete, "complete");
    }

    @Test
    void everyTimeoutOfATimerThatIsClosedRunsOnceOrIsCancelledOrReturned() throws InterruptedException {
        long seed = System.nanoTime();
        Soak soak = new Soak(TIMERS, false);
        soak.runAndCloseHalfway(seed);
        report(soak);
        assertThat(soak).as("seed %s", seed).matches(Soak::isSound, "sound");
    }

    /** A long run is made for its numbers. */
    private static void report(Soak soak) {
        if (Integer.getInteger(SIZE) != null) {
            System.out.println(soak);
        }
    }
}
