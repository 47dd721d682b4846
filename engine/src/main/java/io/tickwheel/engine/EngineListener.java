package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Instant;
import java.util.List;

/**
 * Told what the engine does, for metrics. Called on the engine's loop, but for {@link #synced}, which the disk's thread
 * calls. Must be quick and must not throw.
 */
public interface EngineListener {

    /** A schedule was answered. */
    default void scheduled(Scheduled scheduled) {}

    /** A schedule was refused for want of room. */
    default void refused(StoreFullException refusal) {}

    /** A cancel was answered. */
    default void cancelled(Cancelled cancelled) {}

    /** A reschedule, redrive or purge was answered. */
    default void changed(Changed changed) {}

    /** An attempt is about to start. */
    default void started(Attempt attempt) {}

    /** An attempt has ended that counts, whatever follows; told before that is. */
    default void ended(Attempt attempt, PastAttempt past) {}

    /** An attempt was acknowledged. */
    default void delivered(Attempt attempt) {}

    /** An attempt failed; another will be made, unless the timer was cancelled or replaced meanwhile. */
    default void failed(Attempt attempt, String reason) {}

    /** The receiver has asked to try again at {@code until}; the attempt does not count. */
    default void postponed(Attempt attempt, Instant until, String reason) {}

    /** A timer was given up. */
    default void dead(Attempt attempt, String reason) {}

    /** A timer was not delivered because it was later than its owner allowed. */
    default void expired(Attempt attempt) {}

    /**
     * Tells about once a second which queues have timers that have been due for longer than a second and do not start; told again with
     * an empty list when there are none any more.
     */
    default void waiting(List<WaitingQueue> queues) {}

    /** The store has made a group of commands durable. */
    default void synced(long nanos) {}

    /** The engine stopped because of an error and must be opened again. */
    default void stopped(Throwable cause) {}
}
