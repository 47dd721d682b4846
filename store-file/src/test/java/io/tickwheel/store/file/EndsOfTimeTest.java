package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.testkit.CrashKind;
import org.junit.jupiter.api.Test;

/** Timers due at the ends of what a long can say. */
class EndsOfTimeTest {

    /** Any value is a due time; only what is due at {@link Long#MAX_VALUE} is never loaded, as no time is later. */
    @Test
    void dueTimesAtTheEndsOfLongAreKeptAndLoadedInOrder() {
        SimulatedStore store = new SimulatedStore(3);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        long[] dues = {Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 1};
        for (int round = 0; round < 20; round++) {
            for (int key = 0; key < dues.length; key++) {
                workload.schedule(key, dues[key], 50, OnConflict.REPLACE);
                store.settle();
            }
        }
        store.close();
        workload.openAndCheck();
        store.rest();
        store.crash(CrashKind.POWER_LOSS);
        workload.openAndCheck();
        workload.schedule(7, Long.MAX_VALUE, 50, OnConflict.REPLACE);
        store.settle();
        store.calendar().load(Long.MAX_VALUE, Long.MAX_VALUE, 100);
        assertThat(workload.loaded()).isEqualTo(dues.length);
        workload.find(7);
        workload.cancel(7);
        store.settle();
        assertThat(workload.unanswered()).isZero();
    }
}
