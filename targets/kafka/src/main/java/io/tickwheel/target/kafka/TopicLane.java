package io.tickwheel.target.kafka;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is out of the ordinary with a topic: attempts that wait, in their order, for what the brokers know of it, and whether it is away. A topic is away from an attempt that the
 * brokers did not confirm in time until one is answered; meanwhile one attempt at a time is made. Owned by the thread of the target.
 */
final class TopicLane {

    final Deque<Sending> waiting = new ArrayDeque<>();

    /** Since when the topic is away; null when it is not. */
    @Nullable
    Instant awaySince;

    boolean isProbed;

    /** Whether what waits is looked at again in a moment. */
    boolean isScheduled;

    /** Asks whether there is nothing to remember. */
    boolean isOrdinary() {
        return isIdle() && awaySince == null;
    }

    /** Asks whether no attempt hangs on it, so that it can be forgotten. */
    boolean isIdle() {
        return waiting.isEmpty() && !isProbed && !isScheduled;
    }
}
