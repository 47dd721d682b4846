package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store whose process can open no file for a while, as connections have taken all that it may have open. */
@Tag("simulated")
class TooManyOpenFilesTest {

    private static final int CONTENT_BYTES = 200;

    /** Each of so many openings of a file is the first one that fails. */
    private static final int OPENINGS = 60;

    private static final int SCHEDULES = 150;

    /** So many turns of the loop are some seconds on the clock of the store. */
    private static final int SECONDS = 30_000;

    private SimulatedStore store = newStore(1);
    private Workload workload = new Workload(store);

    private static SimulatedStore newStore(long seed) {
        return new SimulatedStore(seed, path -> path, 16_384);
    }

    private void open(long seed) {
        store = newStore(seed);
        workload = new Workload(store);
        workload.openAndCheck();
    }

    private void schedule(int number) {
        workload.schedule(number % Workload.KEYS, number, CONTENT_BYTES, OnConflict.REPLACE);
        for (int turn = 0; turn < 100; turn++) {
            store.step();
        }
    }

    private void pass() {
        for (int turn = 0; turn < SECONDS; turn++) {
            store.step();
        }
        store.settle();
    }

    private void assertGoesOnAndHasLostNothing() {
        int refused = workload.refused();
        for (int i = 0; i < Workload.KEYS; i++) {
            schedule(i);
        }
        store.settle();
        assertThat(workload.refused()).as("refused").isEqualTo(refused);
        assertThat(workload.unanswered()).isZero();
        store.crash(CrashKind.POWER_LOSS);
        workload.openAndCheck();
        store.close();
        workload.openAndCheck();
    }

    @Test
    void schedulesAreRefusedUntilFilesCanBeOpenedAgainAndNothingIsLost() {
        for (int opening = 0; opening < OPENINGS; opening++) {
            open(opening);
            store.disk.failFrom(opening, DiskFault.NO_DESCRIPTOR);
            for (int i = 0; workload.refused() == 0; i++) {
                assertThat(i).as("schedules taken").isLessThan(1_000);
                schedule(i);
            }
            store.disk.heal();
            pass();
            assertGoesOnAndHasLostNothing();
        }
    }

    @Test
    void nothingFailsForOneFileThatCouldNotBeOpened() {
        for (int opening = 0; opening < OPENINGS; opening++) {
            open(opening);
            store.disk.failAfter(opening, DiskFault.NO_DESCRIPTOR);
            for (int i = 0; i < SCHEDULES; i++) {
                schedule(i);
            }
            pass();
            assertGoesOnAndHasLostNothing();
        }
    }

    /** A program may have forgotten to close its files, and close this. */
    @Test
    void closingDoesNotWaitForEverAndNothingThatWasAcceptedIsLost() {
        for (int opening = 0; opening < 12; opening++) {
            open(opening);
            store.disk.failFrom(opening, DiskFault.NO_DESCRIPTOR);
            for (int i = 0; workload.refused() == 0; i++) {
                schedule(i);
            }
            store.handOver();
            if (!store.isQuiet()) {
                assertThatThrownBy(this::pass)
                        .isInstanceOf(StoreFailedException.class)
                        .hasMessageContaining("too many files are open");
            }
            store.crash(CrashKind.POWER_LOSS);
            store.disk.heal();
            workload.openAndCheck();
        }
    }

    @Test
    void openingIsTriedAgainNowAndThenOnly() {
        for (int opening = 0; opening < 12; opening++) {
            open(opening);
            store.disk.failFrom(opening, DiskFault.NO_DESCRIPTOR);
            for (int i = 0; workload.refused() == 0; i++) {
                schedule(i);
            }
            long operations = store.disk.operations();
            for (int turn = 0; turn < SECONDS; turn++) {
                store.step();
            }
            assertThat(store.disk.operations() - operations)
                    .as("operations of some seconds")
                    .isLessThan(400);
        }
    }
}
