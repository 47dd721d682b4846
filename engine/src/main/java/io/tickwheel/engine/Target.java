package io.tickwheel.engine;

/**
 * Where attempts go: an HTTP client, a message queue, a log. {@link #deliver} is called on the engine's loop: it must hand
 * the work on and return at once, must not block, and must in the end call exactly one method of {@code delivery}. A
 * {@code RuntimeException} counts as a failed attempt.
 */
@FunctionalInterface
public interface Target {
    void deliver(Attempt attempt, Delivery delivery);

    /**
     * What of an address decides whether it can be reached, such as host and port: timers that have it in common wait for it
     * together, and hold up no others. The whole address unless the target says otherwise. Any thread; must give the same answer in
     * every version, as it is kept with timers.
     */
    default String route(String address) {
        return address;
    }

    /**
     * Has the target load what its first attempt needs. Called at most once by whoever opened it, when all is ready and attempts may come, or
     * have come; any thread. Must return at once. Does nothing by default.
     */
    default void prepare() {}

    /**
     * Frees what the target holds. Called once by whoever opened it, after the engine has closed, on a thread that may block for a
     * second or so; attempts whose outcome is not told by then are made again after the next start. The engine closes no target.
     * Does nothing by default.
     */
    default void close() {}
}
