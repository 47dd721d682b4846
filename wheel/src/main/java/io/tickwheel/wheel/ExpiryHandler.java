package io.tickwheel.wheel;

/**
 * Takes the nodes whose deadline has come.
 *
 * @param <T> the type of the nodes
 */
@FunctionalInterface
public interface ExpiryHandler<T> {
    /**
     * Called by {@link HierarchicalWheel#advance} or {@link HashedWheel#advance}, on its thread, with a node that is no
     * longer in the wheel.
     *
     * <p>It may schedule, reschedule and cancel any node of the wheel, this one included, and clear the wheel. It must
     * not advance the wheel. What it throws leaves {@code advance}: the node has expired, every other node stays.
     */
    void expired(T node);
}
