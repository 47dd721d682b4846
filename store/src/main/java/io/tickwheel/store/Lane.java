package io.tickwheel.store;

import java.util.Objects;

/**
 * The timers of one queue that go the same way, so that attempts of all of them can start or of none: what is loaded, and what
 * waits in the store because it cannot be delivered now, is told apart by lane. Immutable and thread-safe.
 *
 * @param queue the name of the queue
 * @param route where the timers go, as a number that the engine chose: equal numbers for what stands or falls together.
 *     {@link #QUEUE_ROUTE} for timers that name no destination, {@link #UNKNOWN_ROUTE} for those of which nobody has looked
 */
public record Lane(String queue, long route) {

    /** The route of timers that name no destination of their own: they go where their queue goes. */
    public static final long QUEUE_ROUTE = 0;

    /** The route of timers that were written before routes were kept: a claim finds out. */
    public static final long UNKNOWN_ROUTE = -1;

    /** The greatest route. */
    public static final long MAX_ROUTE = 0xffff_ffffL;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when the route is out of its range, {@value #UNKNOWN_ROUTE} to {@value #MAX_ROUTE}
     */
    public Lane {
        Objects.requireNonNull(queue, "queue");
        checkRoute(route, UNKNOWN_ROUTE);
    }

    static void checkRoute(long route, long least) {
        if (route < least || route > MAX_ROUTE) {
            throw new IllegalArgumentException("route is " + route + ", must be " + least + " to " + MAX_ROUTE);
        }
    }
}
