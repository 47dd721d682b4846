package io.tickwheel.wheel;

import java.time.Duration;

/**
 * One timer of a {@link WheelTimer}. Thread-safe; every method may be called from anywhere, from inside the task too.
 * No method waits for a task, and none throws after the timer was closed.
 */
public interface Timeout {

    /** What has become of a timeout. A periodic one is {@code PENDING} until it ends. */
    enum State {
        /** The task has not started, and will. */
        PENDING,
        /** The task has started; it may have ended long ago. */
        STARTED,
        /** {@link Timeout#cancel} came first, or the timer was closed: the task does not start any more. */
        CANCELLED,
        /** The executor refused the task, or a run of a periodic task threw: the listener has been told. */
        FAILED
    }

    /**
     * Keeps the task from starting. Linearizable: of a cancel and the start of the task exactly one wins, up to the
     * moment when the task is called; time that it spends waiting for a thread of the executor still counts as not
     * started. The task is not referred to any more when this returns. O(1).
     *
     * @return true if this call is why the task will not start, for a periodic task: not start again. False if it has
     *     started, or failed, or was cancelled before
     */
    boolean cancel();

    /**
     * Moves the deadline to {@code delay} from now, for a periodic task that of its next run. Atomic: either the old
     * deadline is given up and the new one holds, or nothing changes. A later deadline costs one write; an earlier one
     * a cancel and a schedule. Among the timeouts of one tick it counts as scheduled now; one that was moved to a later
     * tick may come after timeouts that were scheduled for that tick meanwhile.
     *
     * @param delay how long from now; zero or less is due at once
     * @return false if the timeout has expired (even if the task still waits for a thread), failed or was cancelled
     */
    boolean reschedule(Duration delay);

    /** Returns what has become of it. */
    State state();

    /**
     * Returns how long it is until the deadline, rounded up to the tick: negative once it has passed, zero when there is
     * no deadline any more.
     */
    Duration remaining();
}
