package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * A timer that a {@link Calendar} has loaded, as a handle: valid from {@link CalendarListener#loaded} until
 * {@link CalendarListener#unloaded} or {@link Calendar#unload}, or until {@link Calendar#finish} or {@link Calendar#retry}. Used by the calendar's
 * thread only.
 */
public interface PendingTimer {

    /** Its queue and route. */
    Lane lane();

    /** May cost a read of the disk, where {@link #lane} does not. */
    TimerKey key();

    /** When its next attempt is due, in milliseconds since the epoch. */
    long attemptAtMs();

    /** How large its content is, in bytes, as far as the store knows without a look: no less than that, or 0. */
    int contentBytes();

    /** The loader's own note on this timer, so that it finds its index entry without a search; null when none. */
    @Nullable
    Object attachment();

    void attach(@Nullable Object attachment);
}
