package io.tickwheel.store.testkit;

/** Fails a test whose work never comes to an end, which would otherwise hang. Not thread-safe. */
public final class StepLimit {

    private static final int MOST_STEPS = 100_000;

    private int taken;

    /** To be called for each step of the work. */
    public void step() {
        taken++;
        if (taken > MOST_STEPS) {
            throw new AssertionError("after " + MOST_STEPS + " steps there is still something to do");
        }
    }
}
