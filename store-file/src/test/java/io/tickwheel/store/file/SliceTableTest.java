package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SliceTableTest {

    private static final long SLICE_MS = SliceTable.SLICE_MS;

    private final SliceTable slices = new SliceTable();
    private final List<Long> loaded = new ArrayList<>();

    private StoredTimer add(long dueAtMs) {
        StoredTimer timer = new StoredTimer(
                new LogRecord.Schedule(1, new TimerKey("q", "k"), 1, dueAtMs, 0, TimerState.PENDING, 0, new byte[0]),
                new TimerKey("q", "k"));
        slices.add(timer);
        return timer;
    }

    private boolean load(long toMs, int limit) {
        loaded.clear();
        return slices.load(toMs, limit, timer -> loaded.add(timer.dueAtMs));
    }

    @Test
    void wholeSlicesAreLoadedOldestFirst() {
        add(2 * SLICE_MS);
        add(SLICE_MS - 1);
        add(0);
        add(SLICE_MS);
        assertThat(load(1, 10)).isTrue();
        assertThat(loaded).containsExactly(SLICE_MS - 1, 0L);
        assertThat(slices.loadedTo()).isEqualTo(SLICE_MS);
        assertThat(load(SLICE_MS, 10)).isTrue();
        assertThat(loaded).isEmpty();
        assertThat(load(SLICE_MS + 1, 10)).isTrue();
        assertThat(loaded).containsExactly(SLICE_MS);
        assertThat(slices.loadedTo()).isEqualTo(2 * SLICE_MS);
    }

    @Test
    void limitStopsWithinASliceWhichThenIsNotLoadedYet() {
        add(5);
        add(6);
        add(7);
        assertThat(load(100, 2)).isFalse();
        assertThat(loaded).containsExactly(5L, 6L);
        assertThat(slices.loadedTo()).isZero();
        assertThat(load(100, 2)).isTrue();
        assertThat(loaded).containsExactly(7L);
        assertThat(slices.loadedTo()).isEqualTo(SLICE_MS);
    }

    @Test
    void loadedRangeNeverShrinks() {
        load(10 * SLICE_MS, 1);
        load(SLICE_MS, 1);
        assertThat(slices.loadedTo()).isEqualTo(10 * SLICE_MS);
    }

    @Test
    void loadingStartsAtTheOldestSliceThatWasRecovered() {
        add(7 * SLICE_MS + 3);
        slices.startAtOldest();
        assertThat(slices.loadedTo()).isEqualTo(7 * SLICE_MS);
    }

    @Test
    void removedTimerIsNotLoaded() {
        StoredTimer gone = add(3);
        add(4);
        slices.remove(gone);
        load(100, 10);
        assertThat(loaded).containsExactly(4L);
    }

    @Test
    void farPastAndFarFutureAreSlicesLikeAnyOther() {
        add(Long.MIN_VALUE);
        add(-1);
        add(Long.MAX_VALUE - 1);
        assertThat(load(Long.MIN_VALUE, 10)).isTrue();
        assertThat(loaded).as("the slice that holds the beginning of time").containsExactly(Long.MIN_VALUE);
        assertThat(load(0, 10)).isTrue();
        assertThat(loaded).containsExactly(-1L);
        assertThat(load(Long.MAX_VALUE, 10)).isTrue();
        assertThat(loaded).containsExactly(Long.MAX_VALUE - 1);
        assertThat(slices.loadedTo()).isEqualTo(Long.MAX_VALUE);
    }
}
