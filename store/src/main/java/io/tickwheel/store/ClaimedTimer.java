package io.tickwheel.store;

/**
 * A timer for which one attempt has been granted.
 *
 * @param handle names it towards the calendar
 * @param view the timer as claimed; {@link TimerView#attempts} counts the attempt just granted
 * @param content what to deliver; must not be changed
 * @param token by which a {@link CompleteCommand} names the claim when it may outlive this opening of the store, then no other claim of the timer has it; 0 when no
 *     claim does
 */
public record ClaimedTimer(PendingTimer handle, TimerView view, byte[] content, long token) {

    /** Of a store whose claims end with their process. */
    public ClaimedTimer(PendingTimer handle, TimerView view, byte[] content) {
        this(handle, view, content, 0);
    }
}
