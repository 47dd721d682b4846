package io.tickwheel.store;

import java.util.List;

/**
 * How the calendar fills the index of the next slices. It tells the {@link CalendarListener} what it loads.
 *
 * <p>Obligations of an implementation:
 *
 * <ul>
 *   <li><b>Contiguity.</b> What is loaded is everything due before {@link #loadedTo}, at any time, of the lanes that may start. A timer
 *       that enters that range by a schedule or retry is told as loaded, at the latest within the next call of another method once the
 *       command was decided, or ends the range where there was no room for it. Of a store that several nodes share, all this is about
 *       the timers that this node has to deliver.
 *   <li><b>Neighbours.</b> Timers of a lane that cannot start take no room: a bound for each such lane stands for them. What a lane
 *       takes otherwise is bounded by {@link LoadRoom}, in number and in bytes.
 * </ul>
 */
public interface CalendarLoading {

    /**
     * Loads timers of the lanes that may start, as far as there is {@link CalendarListener#room}, in two ways, of which each gets
     * half of {@code limit} when both have something to load:
     *
     * <ul>
     *   <li>what has been due for less than {@value LoadRoom#FRESH_MS} ms and what is due before {@code toMs}, in the order of the
     *       attempts' times;
     *   <li>what has been due for longer, the oldest first among the lanes that have room; lanes with less than the minimum come before
     *       the others.
     * </ul>
     *
     * So a backlog, however long, does not hold up fresh timers, and a lane that takes none does not hold up others. Until the
     * next call, timers that enter the loaded range are told as loaded at once where there is room for them; others wait for a later
     * load.
     *
     * @param nowMs the wall clock
     * @param limit how many timers may be told within the call
     * @return whether everything due before {@code toMs} is loaded of the lanes that may start
     */
    boolean load(long nowMs, long toMs, int limit);

    /**
     * Every live timer due before this is loaded, of the lanes that may start; exclusive, in milliseconds since the epoch. Falls only
     * when there was no room for a timer, when a lane is resumed, or while the store rearranges what it keeps. Before the first load it
     * is at or before the oldest due time, or {@link Long#MIN_VALUE} when there is no timer.
     */
    long loadedTo();

    /**
     * Nothing is due before this that is not loaded, of the lanes that may start; in milliseconds since the epoch, {@link Long#MAX_VALUE} when
     * there is nothing. May fall when {@link #loadedTo} may. At or after that, which is the answer of a calendar that does not know more: the loop then comes back to load
     * every now and then, and else not before the time is near. O(lanes).
     */
    default long firstToLoad() {
        return loadedTo();
    }

    /** Stops the loading of a lane, for which {@link CalendarListener#mayStart} is false from now on. What is loaded of it stays loaded. */
    void suspend(Lane lane);

    /** Starts the loading of a lane, for which {@link CalendarListener#mayStart} is true from now on: the next loads take its timers too. */
    void resume(Lane lane);

    /** Lets go of a loaded timer that is not claimed: it waits in the store as if it had not been loaded. The listener is not told. */
    void unload(PendingTimer timer);

    /** The lanes that have timers that are due and not loaded, as of the last load, in no order. O(lanes). */
    List<WaitingLane> waiting();
}
