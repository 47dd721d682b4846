package io.tickwheel.engine;

/**
 * Gets the timers of a queue inside this program. Called on threads for user code, by several at once; it may
 * block. Returning acknowledges
 * the timer, an exception makes it come again as its retry policy says, but {@link TryAgainAtException} says itself when, and
 * {@link NeverAgainException} makes it dead.
 */
@FunctionalInterface
public interface TimerHandler {
    void handle(Attempt attempt) throws Exception;
}
