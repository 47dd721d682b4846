package io.tickwheel.store.file.timers;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The loaded timers by seq: open addressing, linear probing. Owned by the loop; O(1). */
public final class LoadedTable {

    private static final int FIRST_SIZE = 1_024;

    private @Nullable LoadedTimer[] timers = new LoadedTimer[FIRST_SIZE];
    private int size;

    int size() {
        return size;
    }

    /** How many places there are, of which half may be taken. */
    int places() {
        return timers.length;
    }

    void add(LoadedTimer timer) {
        if (2 * size >= timers.length) {
            resize(2 * timers.length);
        }
        insert(timer);
        size++;
    }

    private void insert(LoadedTimer timer) {
        int at = home(timer.seq());
        while (timers[at] != null) {
            at = (at + 1) & (timers.length - 1);
        }
        timers[at] = timer;
    }

    public @Nullable LoadedTimer get(long seq) {
        for (int at = home(seq); ; at = (at + 1) & (timers.length - 1)) {
            LoadedTimer timer = timers[at];
            if (timer == null || timer.seq() == seq) {
                return timer;
            }
        }
    }

    void remove(LoadedTimer removed) {
        int at = home(removed.seq());
        while (timers[at] != removed) {
            assert timers[at] != null : "not here";
            at = (at + 1) & (timers.length - 1);
        }
        timers[at] = null;
        size--;
        closeGap(at);
        if (8 * size < timers.length && timers.length > FIRST_SIZE) {
            resize(timers.length / 2);
        }
    }

    /** Moves back what the gap cuts off from its home. */
    private void closeGap(int gap) {
        int hole = gap;
        for (int at = (hole + 1) & (timers.length - 1); ; at = (at + 1) & (timers.length - 1)) {
            LoadedTimer timer = timers[at];
            if (timer == null) {
                return;
            }
            int distance = (at - home(timer.seq())) & (timers.length - 1);
            if (distance >= ((at - hole) & (timers.length - 1))) {
                timers[hole] = timer;
                timers[at] = null;
                hole = at;
            }
        }
    }

    private void resize(int newSize) {
        @Nullable LoadedTimer[] old = timers;
        timers = new LoadedTimer[newSize];
        Arrays.stream(old).filter(timer -> timer != null).forEach(this::insert);
    }

    /** Seqs that follow on each other are spread. */
    private int home(long seq) {
        return (int) ((seq * 0x9e3779b97f4a7c15L) >>> 33) & (timers.length - 1);
    }
}
