package io.tickwheel.target.rocketmq;

import java.time.Instant;

/**
 * A topic that is away: from an attempt that was not confirmed in time, or whose topic is missing, until one is answered; meanwhile one attempt at a time is made. Owned by the
 * thread of the target.
 */
final class TopicLane {

    final Instant awaySince;

    /** Whether an attempt asks for it just now. */
    boolean isProbed;

    TopicLane(Instant awaySince) {
        this.awaySince = awaySince;
    }
}
