package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.testkit.CrashKind;
import org.junit.jupiter.api.Test;

/** Timers due at the ends of the range of due times. */
class EndsOfTimeTest {

    @Test
    void dueTimesAtTheEndsOfTheRangeAreKeptAndLoadedInOrder() {
        SimulatedStore store = new SimulatedStore(3);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        long last = ScheduleCommand.FARTHEST_DUE_MS;
        long[] dues = {-last, -last + 1, -1, 0, 1, last - 1};
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
        workload.schedule(7, last, 50, OnConflict.REPLACE);
        store.settle();
        store.calendar().load(last, last + 1, 100);
        assertThat(workload.loaded()).isEqualTo(dues.length + 1);
        workload.find(7);
        workload.cancel(7);
        store.settle();
        assertThat(workload.unanswered()).isZero();
    }
}
