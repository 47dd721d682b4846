package io.tickwheel.store;

/** Where a calendar is kept: a directory, a Redis. Immutable and thread-safe. */
public interface TimerStore {

    /**
     * Opens the calendar, recovering what was accepted before. Blocks until that is done.
     *
     * @throws StoreLockedException when another process or engine has it open
     * @throws StoreCorruptedException when what was accepted cannot be read back in full
     * @throws StoreFormatException when it was written by another version
     * @throws StoreException on any other failure
     */
    Calendar open(StoreContext context, CalendarListener listener);
}
