package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/**
 * A timer that a {@link Calendar} has loaded, as a handle: valid from {@link CalendarListener#loaded} until
 * {@link CalendarListener#unloaded}, or until {@link Calendar#finish} or {@link Calendar#retry}. Used by the calendar's
 * thread only.
 */
public interface PendingTimer {

    String queue();

    /** May cost a read of the disk, where {@link #queue} does not. */
    TimerKey key();

    /** When it, or its next attempt, is due, in milliseconds since the epoch. */
    long dueAtMs();

    /** The loader's own note on this timer, so that it finds its index entry without a search; null when none. */
    @Nullable
    Object attachment();

    void attach(@Nullable Object attachment);
}
