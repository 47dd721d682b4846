package io.tickwheel.engine;

/**
 * Where attempts go: an HTTP client, a message queue, a log. {@link #deliver} is called on the engine's loop: it must hand
 * the work on and return at once, must not block, and must in the end call exactly one method of {@code delivery}. A
 * {@code RuntimeException} counts as a failed attempt.
 */
@FunctionalInterface
public interface Target {
    void deliver(Attempt attempt, Delivery delivery);
}
