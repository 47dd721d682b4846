package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SyncPaceTest {

    private static final long US = 1_000;
    private static final long MS = 1_000 * US;
    private static final long LONG = Long.MAX_VALUE;

    private final SyncPace pace = new SyncPace();

    /** How many syncs of so long it takes until the loop may make one. */
    private int quickAfter(long nanos) {
        int syncs = 0;
        while (!pace.isQuick(LONG) && syncs < 1_000) {
            pace.took(nanos);
            syncs++;
        }
        return syncs;
    }

    @Test
    void syncsAreSlowUntilSomeWereQuick() {
        assertThat(pace.isQuick(LONG)).isFalse();
        assertThat(quickAfter(100 * US)).isBetween(15, 30);
    }

    @Test
    void aMillisecondIsQuickAndMoreIsNot() {
        assertThat(quickAfter(MS)).isLessThan(30);
        pace.took(MS + 1);
        assertThat(pace.isQuick(LONG)).isFalse();
        assertThat(quickAfter(MS + 1)).isEqualTo(1_000);
    }

    @Test
    void oneSlowSyncKeepsTheLoopAwayForSomeTime() {
        quickAfter(100 * US);
        pace.took(20 * MS);
        assertThat(quickAfter(100 * US)).isBetween(40, 60);
    }

    @Test
    void syncMustTakeAQuarterOfTheTimeAtMost() {
        quickAfter(0);
        for (int i = 0; i < 200; i++) {
            pace.took(100 * US);
        }
        assertThat(pace.isQuick(400 * US)).isTrue();
        assertThat(pace.isQuick(400 * US - 1)).isFalse();
        assertThat(pace.isQuick(0)).isFalse();
    }
}
