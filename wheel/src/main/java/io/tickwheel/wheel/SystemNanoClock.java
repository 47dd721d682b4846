package io.tickwheel.wheel;

/** The only clock that is read in this module. */
enum SystemNanoClock implements NanoClock {
    INSTANCE;

    @Override
    @SuppressForbidden(reason = "the default of the clock parameter")
    public long nanoTime() {
        return System.nanoTime();
    }
}
