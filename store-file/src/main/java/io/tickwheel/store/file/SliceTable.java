package io.tickwheel.store.file;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The pending timers that are not loaded, by slice of due time: half an hour each. Owned by the shard loop. Adding costs
 * O(log slices), the rest O(1) a timer.
 *
 * <p>Worked example: due 01:45 (6,300,000 ms) is in slice 3, which is [01:30, 02:00). Loading up to 01:31 loads all of slice
 * 3, and {@code loadedTo} is then 02:00.
 */
final class SliceTable {

    static final long SLICE_MS = 30 * 60 * 1_000;

    private final TreeMap<Long, TimerList> slices = new TreeMap<>();
    private long loadedTo = Long.MIN_VALUE;

    /** See {@link io.tickwheel.store.Calendar#loadedTo}. */
    long loadedTo() {
        return loadedTo;
    }

    /** To be called once, when the timers that were recovered are in. */
    void startAtOldest() {
        if (!slices.isEmpty()) {
            loadedTo = startMs(slices.firstKey());
        }
    }

    void add(StoredTimer timer) {
        assert timer.dueAtMs >= loadedTo;
        timer.place = StoredTimer.Place.SLICE;
        slices.computeIfAbsent(index(timer.dueAtMs), slice -> new TimerList()).addLast(timer.inSlice);
    }

    void remove(StoredTimer timer) {
        TimerList slice = timer.inSlice.list;
        assert slice != null;
        slice.remove(timer.inSlice);
        if (slice.size() == 0) {
            slices.remove(index(timer.dueAtMs));
        }
    }

    /** See {@link io.tickwheel.store.Calendar#load}. */
    boolean load(long toMs, int limit, Consumer<StoredTimer> loaded) {
        long end = Math.floorMod(toMs, SLICE_MS) == 0 ? index(toMs) : index(toMs) + 1;
        int room = limit;
        for (Map.Entry<Long, TimerList> slice = slices.firstEntry();
                slice != null && slice.getKey() < end;
                slice = slices.firstEntry()) {
            TimerLink first = slice.getValue().first();
            assert first != null;
            if (room == 0) {
                loadedTo = Math.max(loadedTo, startMs(slice.getKey()));
                return false;
            }
            room--;
            remove(first.timer);
            loaded.accept(first.timer);
        }
        loadedTo = Math.max(loadedTo, startMs(end));
        return true;
    }

    private static long index(long dueAtMs) {
        return Math.floorDiv(dueAtMs, SLICE_MS);
    }

    private static long startMs(long index) {
        try {
            return Math.multiplyExact(index, SLICE_MS);
        } catch (ArithmeticException e) {
            return index < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
