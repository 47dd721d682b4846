package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.testkit.CrashKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing is known of the key of a dead timer that was purged, however the store is opened next, and whatever has ended under the key
 * before.
 */
class ForgottenKeysTest {

    private static final int KEY = 3;

    private final SimulatedStore store = new SimulatedStore(5);
    private final Workload workload = new Workload(store);

    /** What comes between the ends of the timers of the key and the purge, and how the store ends behind it. */
    private enum Course {
        /** All of it is in the log. */
        CRASH,
        /** The first timer of the key, which was completed, stands in a run. */
        CRASH_WITH_THE_FIRST_IN_A_RUN,
        /** The dead timer stands in a run. */
        CRASH_WITH_THE_DEAD_IN_A_RUN,
        /** The end of the dead timer stands in the progress, and the keys are saved. */
        CLOSE
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsKnownOfAPurgedKey(Course course) {
        workload.openAndCheck();
        workload.load(CanonicalScript.HOUR_MS);
        workload.schedule(KEY, 1, 50, OnConflict.REPLACE);
        if (course == Course.CRASH_WITH_THE_FIRST_IN_A_RUN) {
            moveToRuns();
        }
        end(TimerState.COMPLETED);
        workload.schedule(KEY, 2, 50, OnConflict.REPLACE);
        end(TimerState.DEAD);
        if (course == Course.CRASH_WITH_THE_DEAD_IN_A_RUN || course == Course.CLOSE) {
            moveToRuns();
        }
        workload.change(KEY, ChangeCommand.Change.PURGE, 0, 0);
        store.settle();
        if (course == Course.CLOSE) {
            store.close();
        } else {
            store.crash(CrashKind.POWER_LOSS);
        }
        workload.openAndCheck();
        assertThat(workload.ledger().get(workload.name(KEY))).isNull();
        assertThat(exported()).doesNotContain(workload.name(KEY));
        workload.openAndCheck();
        workload.schedule(KEY, 3, 50, OnConflict.ONCE);
        store.settle();
        assertThat(workload.ledger().get(workload.name(KEY)).version()).isEqualTo(1);
    }

    private void end(TimerState outcome) {
        workload.load(CanonicalScript.HOUR_MS);
        workload.claim(KEY);
        store.settle();
        workload.end(KEY, outcome);
        store.settle();
    }

    /** Schedules other timers, which are due much later, until a checkpoint was made. */
    private void moveToRuns() {
        long before = runs();
        for (int i = 0; runs() == before; i++) {
            assertThat(i).as("schedules until there is another run").isLessThan(1_000);
            workload.schedule(7 + i % 3, 9 * CanonicalScript.HOUR_MS, 500, OnConflict.REPLACE);
            store.settle();
        }
    }

    private long runs() {
        return store.disk.visibleNames(store.directory().resolve("schedulelog")).stream()
                .filter(name -> name.endsWith(".run"))
                .count();
    }

    private List<String> exported() {
        store.close();
        List<String> names = new ArrayList<>();
        StoreDirectory.at(store.directory())
                .export(timer -> names.add(timer.view().key().toString()));
        return names;
    }
}
