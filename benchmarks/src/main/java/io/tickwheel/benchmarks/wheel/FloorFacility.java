package io.tickwheel.benchmarks.wheel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What no facility can do without: a node, one look at the clock, and one compare-and-set between cancel and expiry. It keeps
 * nothing and never runs a task.
 */
final class FloorFacility implements TimerFacility {

    /** Has what a timer must have, and nobody reads. */
    static final class Node extends AtomicInteger {
        private static final long serialVersionUID = 1;

        final transient Runnable task;
        final long deadlineNanos;

        Node(Runnable task, long deadlineNanos) {
            this.task = task;
            this.deadlineNanos = deadlineNanos;
        }
    }

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        return new Node(task, System.nanoTime() + delayNanos);
    }

    @Override
    public void cancel(Object handle) {
        ((Node) handle).compareAndSet(0, 1);
    }

    @Override
    public void close() {}
}
