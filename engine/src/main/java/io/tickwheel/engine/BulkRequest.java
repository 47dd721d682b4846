package io.tickwheel.engine;

import io.tickwheel.engine.rule.Unicode;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.util.Objects;

/**
 * What to do with many timers of a queue. Immutable; each {@code with} method gives a changed copy.
 *
 * @param action what is done with each
 * @param timers which timers; its limit and its place do not matter. Redriven and purged are dead ones, so the state is {@code DEAD} or none; cancelled are
 *     pending and claimed ones
 * @param reason how the reason begins why the last attempt failed; empty for any
 * @param perSecond so many are changed in a second, and after a pause a tenth of that more: 1 to {@value #MOST_PER_SECOND}
 * @param dryRun whether they are only counted
 */
public record BulkRequest(Action action, TimerQuery timers, String reason, int perSecond, boolean dryRun) {

    public static final int MOST_PER_SECOND = 100_000;

    /** How many are changed in a second when nothing is said. */
    public static final int DEFAULT_PER_SECOND = 1_000;

    /** What is done with a timer. */
    public enum Action {
        /** As {@link Tickwheel#cancel(String, String)}. */
        CANCEL,
        /** As {@link Tickwheel#redrive(String, String)}: of those that were dead when the run began, each once. */
        REDRIVE,
        /** As {@link Tickwheel#purge(String, String)}: of those that were dead when the run began. */
        PURGE
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one breaks its rule
     */
    public BulkRequest {
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(timers, "timers");
        Unicode.check("reason", Objects.requireNonNull(reason, "reason"));
        TimerState state = timers.state();
        if (action == Action.CANCEL && state == TimerState.DEAD) {
            throw new IllegalArgumentException("state is DEAD, must be PENDING or CLAIMED to be cancelled");
        }
        if (action != Action.CANCEL && state != null && state != TimerState.DEAD) {
            throw new IllegalArgumentException("state is " + state + ", must be DEAD in a " + action);
        }
        if (perSecond < 1 || perSecond > MOST_PER_SECOND) {
            throw new IllegalArgumentException("perSecond is " + perSecond + ", must be 1 to " + MOST_PER_SECOND);
        }
    }

    public static BulkRequest of(Action action, TimerQuery timers) {
        return new BulkRequest(action, timers, "", DEFAULT_PER_SECOND, false);
    }

    /** Cancels the live timers of a query. */
    public static BulkRequest cancel(TimerQuery timers) {
        return of(Action.CANCEL, timers);
    }

    /** Redrives the dead timers of a query. */
    public static BulkRequest redrive(TimerQuery timers) {
        return of(Action.REDRIVE, timers);
    }

    /** Purges the dead timers of a query. */
    public static BulkRequest purge(TimerQuery timers) {
        return of(Action.PURGE, timers);
    }

    /** Only those whose last attempt failed for a reason that begins so. */
    public BulkRequest withReason(String newReason) {
        return new BulkRequest(action, timers, newReason, perSecond, dryRun);
    }

    /** At most so many in a second. */
    public BulkRequest withPerSecond(int newPerSecond) {
        return new BulkRequest(action, timers, reason, newPerSecond, dryRun);
    }

    /** Only counted. */
    public BulkRequest asDryRun() {
        return new BulkRequest(action, timers, reason, perSecond, true);
    }
}
