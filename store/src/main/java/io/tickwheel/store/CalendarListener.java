package io.tickwheel.store;

/**
 * Told by a {@link Calendar} which timers belong into the index of the next slices, and asked which may. Called on the calendar's thread, within
 * a call to the calendar. Must be quick, must not throw and must not call the calendar.
 */
public interface CalendarListener {

    /**
     * Whether attempts of the timers of a lane can start, as far as that is known without a look at each. Timers of a lane that cannot
     * are not loaded. The answer changes only with {@link Calendar#suspend} and {@link Calendar#resume}.
     */
    boolean mayStart(Lane lane);

    /** How much may be loaded: always the same object, from which the calendar takes and to which it gives back. */
    LoadRoom room();

    /** The timer lies in the loaded range: it was loaded, or scheduled or retried into it. */
    void loaded(PendingTimer timer);

    /** A timer told as loaded and not claimed is no longer to be delivered: it was cancelled or replaced. */
    void unloaded(PendingTimer timer);
}
