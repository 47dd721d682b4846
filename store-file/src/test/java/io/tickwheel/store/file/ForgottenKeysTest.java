package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.testkit.CrashKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nothing is known of the key of a dead timer that was purged, however the store is opened next, and whatever has ended under the key
 * before; and what is not to be forgotten is known.
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

    @Test
    void whatHasEndedIsRememberedHoweverManyOthersWereReplacedSince() {
        int keys = 2 * SimulatedStore.FINISHED_REMEMBERED;
        SimulatedStore large = new SimulatedStore(5, UnaryOperator.identity(), 512 << 10);
        Workload changes = new Workload(large);
        changes.useNames(IntStream.range(0, keys).mapToObj(key -> "q/k" + key).toList());
        changes.openAndCheck();
        for (int key = 0; key < keys; key++) {
            changes.schedule(key, CanonicalScript.HOUR_MS, 300, OnConflict.REPLACE);
            settleNowAndThen(large, key);
        }
        large.rest();
        long runs = runs(large);
        assertThat(runs).as("runs").isPositive();
        changes.cancel(0);
        // Not all that stand in the run: it would go.
        for (int key = 1; key <= SimulatedStore.FINISHED_REMEMBERED + 100; key++) {
            changes.schedule(key, CanonicalScript.HOUR_MS, 0, OnConflict.REPLACE);
            settleNowAndThen(large, key);
        }
        large.settle();
        assertThat(runs(large)).as("no checkpoint came between").isEqualTo(runs);
        large.crash(CrashKind.POWER_LOSS);
        changes.open();
        assertThat(changes.ledger().get(changes.name(0)).state()).isEqualTo(TimerState.CANCELLED);
        int answered = changes.answered();
        changes.find(0);
        large.settle();
        assertThat(changes.answered()).as("found, as the ledger has it").isEqualTo(answered + 1);
    }

    /** A frame of the log takes a page, so that frames of one command each would fill it. */
    private static void settleNowAndThen(SimulatedStore of, int key) {
        if (key % 100 == 0) {
            of.settle();
        }
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
        long before = runs(store);
        for (int i = 0; runs(store) == before; i++) {
            assertThat(i).as("schedules until there is another run").isLessThan(1_000);
            workload.schedule(7 + i % 3, 9 * CanonicalScript.HOUR_MS, 500, OnConflict.REPLACE);
            store.settle();
        }
    }

    private static long runs(SimulatedStore of) {
        return of.disk.visibleNames(of.directory().resolve("schedulelog")).stream()
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
