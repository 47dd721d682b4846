package io.tickwheel.wheel;

/**
 * Makes sure that some stack is left before a step begins that must not end in its middle. A {@link StackOverflowError} is thrown here,
 * where nothing has changed yet, or not within the next few calls. It costs about as much as a schedule: it is for steps that are rare,
 * long or made of calls that are not ours. Thread-safe.
 */
final class StackReserve {
    /*
     * The deepest of our own steps is about 20 calls, which are 3 KB where nothing is compiled; a compiled frame of this method has
     * at least 48 bytes, an interpreted one more than 150. What the frames hold is of no use but to make them that large: each value
     * is needed after the call.
     */
    private static final int FRAMES = 96;

    private StackReserve() {}

    static void touch() {
        touch(FRAMES, 1, 2, 3);
    }

    /** For a step whose own steps call {@link #touch}. */
    static void touchForSteps() {
        touch(3 * FRAMES, 1, 2, 3);
    }

    private static long touch(int frames, long a, long b, long c) {
        return frames == 0 ? a : touch(frames - 1, b, c, a) + a + b + c;
    }
}
