package io.tickwheel.store;

/**
 * A timer for which one attempt has been granted.
 *
 * @param handle names it towards the calendar
 * @param view the timer as claimed; {@link TimerView#attempts} counts the attempt just granted
 * @param content what to deliver; must not be changed
 */
public record ClaimedTimer(PendingTimer handle, TimerView view, byte[] content) {}
