package io.tickwheel.wheel;

/**
 * A monotonic clock in nanoseconds, as {@link System#nanoTime}: the origin is arbitrary, the value may be negative and
 * wrap around, only differences mean anything. Thread-safe.
 */
@FunctionalInterface
public interface NanoClock {
    /** Returns the time. It must not step back: a timer fires late, never early, while it does. */
    long nanoTime();

    /**
     * The clock of this machine, {@link System#nanoTime}. Whether it runs on while the machine is suspended is the
     * operating system's choice: on Linux and macOS it stands still, on Windows it does not.
     */
    static NanoClock system() {
        return SystemNanoClock.INSTANCE;
    }
}
