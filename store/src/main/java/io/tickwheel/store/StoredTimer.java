package io.tickwheel.store;

/**
 * A timer with what it is to deliver, as it stood at one moment.
 *
 * @param view how it stands
 * @param content what was scheduled with it; empty when it is not kept any more, as of a timer that was cancelled, completed or expired. Must not be
 *     changed
 */
public record StoredTimer(TimerView view, byte[] content) {}
