package io.tickwheel.store;

/**
 * Where a timer stands. {@code PENDING} and {@code CLAIMED} are live, the others are finished, and final but for {@code DEAD}.
 *
 * <pre>
 *   schedule -> PENDING -> CLAIMED -> COMPLETED
 *                 |  ^        |-----> DEAD        (attempts exhausted, or the target refused for good)
 *                 |  '-retry--|-----> EXPIRED     (too late to be of use)
 *                 '-> CANCELLED <-----'          (cancelled while an attempt ran, which did not succeed)
 * </pre>
 *
 * One that is {@code DEAD} can be made {@code PENDING} again, or purged.
 */
public enum TimerState {
    /** Waits for its due time, or for its next attempt. Can be cancelled. */
    PENDING,
    /** An attempt was granted and its outcome is not known yet. A cancel makes it the last one. */
    CLAIMED,
    /** The target acknowledged it. */
    COMPLETED,
    /** Cancelled by its owner, and not delivered. */
    CANCELLED,
    /** Given up after the last attempt; kept, with its content, until somebody decides. */
    DEAD,
    /** Not delivered because it was later than its owner allowed. */
    EXPIRED;

    public boolean isFinished() {
        return this != PENDING && this != CLAIMED;
    }
}
