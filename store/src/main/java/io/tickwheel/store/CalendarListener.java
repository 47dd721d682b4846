package io.tickwheel.store;

/**
 * Told by a {@link Calendar} which timers belong into the index of the next slices. Called on the calendar's thread, within
 * a call to the calendar. Must be quick, must not throw and must not call the calendar.
 */
public interface CalendarListener {

    /** The timer lies in the loaded range: it was loaded, or scheduled or retried into it. */
    void loaded(PendingTimer timer);

    /** A timer told as loaded and not claimed is no longer to be delivered: it was cancelled or replaced. */
    void unloaded(PendingTimer timer);
}
