package io.tickwheel.engine;

import java.time.Instant;

/**
 * A queue with timers that are due and do not start.
 *
 * @param queue its name
 * @param reason why they do not start
 * @param oldest when the oldest of them was due, or its next attempt; no later than that where only the store knows
 */
public record WaitingQueue(String queue, Reason reason, Instant oldest) {

    /** Why timers wait though they are due. */
    public enum Reason {
        /** They name no destination, the queue has neither a handler nor a destination, and nobody leases them. They wait in the store. */
        NO_TARGET,
        /** They are leased, and no consumer asks for more of them. */
        UNASKED,
        /** The queue, or all queues together, have as many attempts running as they may, in number or in bytes. */
        LIMIT,
        /** The last attempts have reached nobody; one is made now and then until one does. */
        UNREACHABLE,
        /** The queue is paused. */
        PAUSED,
        /** As many attempts of the queue have started as may in the time. */
        RATE,
        /** There is no room for them among the loaded timers yet: those before them come first. */
        ROOM
    }
}
