package io.tickwheel.wheel;

/** What every wheel asks of the numbers it is given. */
final class Ticks {
    private Ticks() {}

    static void requireStart(long startTick) {
        if (startTick < 0) {
            throw new IllegalArgumentException("startTick is " + startTick + ", must be 0 or more");
        }
    }

    static void requireDeadline(long deadlineTick) {
        if (deadlineTick < 0) {
            throw new IllegalArgumentException("deadlineTick is " + deadlineTick + ", must be 0 or more");
        }
    }

    static void requireLimit(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ", must be 1 or more");
        }
    }
}
