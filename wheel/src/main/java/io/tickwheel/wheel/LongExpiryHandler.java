package io.tickwheel.wheel;

/** Takes the timers of a {@link LongWheel} whose deadline has come. */
@FunctionalInterface
public interface LongExpiryHandler {
    /**
     * Called by {@link LongWheel#advance}, on its thread, with the handle of a timer that has ended. Its place is free:
     * what belongs to it at {@link LongWheel#index} is to be read before the next call of {@code schedule}, which may
     * use the place again.
     *
     * <p>It may schedule, reschedule and cancel any timer of the wheel, and clear the wheel. It must not advance the
     * wheel. What it throws leaves {@code advance}: the timer has expired, every other timer stays.
     *
     * @param handle the handle that {@code schedule} returned; no timer has it any more
     * @param deadlineTick the deadline the timer had, not after the tick that is advanced to
     */
    void expired(long handle, long deadlineTick);
}
