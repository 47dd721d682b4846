package io.tickwheel.testkit;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerStore;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strict store without a disk, to test an engine against: it throws {@link IllegalStateException} when it is not used as
 * {@link Calendar} says, counts what is loaded, and keeps its timers from one opening to the next. Finished timers are
 * remembered for good. Its syncs are tasks of the log executor, so that answers wait for them as they do for a disk. Not
 * thread-safe.
 */
public final class MemoryTimerStore implements TimerStore {

    private final Map<TimerKey, MemoryTimer> timers = new LinkedHashMap<>();
    private long nextId = 1;
    private int mostLoaded;
    private @Nullable MemoryCalendar open;

    /** Makes an empty store. */
    public MemoryTimerStore() {}

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        if (open != null) {
            throw new StoreLockedException("the store is open");
        }
        MemoryCalendar calendar = new MemoryCalendar(this, context, listener);
        open = calendar;
        return calendar;
    }

    /** Loses the process that has the store open: claims are forgotten, and it can be opened again. */
    public void crash() {
        MemoryCalendar lost = open;
        if (lost != null) {
            lost.abandon();
        }
        open = null;
    }

    /** How many timers are told as loaded now, neither claimed nor taken back. */
    public int loadedCount() {
        return (int) timers.values().stream().filter(MemoryTimer::isLoaded).count();
    }

    /** The most timers that were loaded at once, ever. */
    public int mostLoaded() {
        return mostLoaded;
    }

    Map<TimerKey, MemoryTimer> timers() {
        return timers;
    }

    long nextId() {
        return nextId++;
    }

    void noteLoaded(int loaded) {
        mostLoaded = Math.max(mostLoaded, loaded);
    }

    void closed() {
        open = null;
    }
}
