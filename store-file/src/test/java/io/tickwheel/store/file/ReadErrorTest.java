package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import java.nio.file.AccessDeniedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A disk that does not give back what was written to a run. */
class ReadErrorTest {

    private final SimulatedStore store = new SimulatedStore(1);
    private final Workload workload = new Workload(store);

    @BeforeEach
    void writeRuns() {
        workload.openAndCheck();
        for (int i = 0; i < 60; i++) {
            workload.schedule(i % Workload.KEYS, i * 1_000_000L, 300, OnConflict.REPLACE);
            store.settle();
        }
        store.close();
        // Closed and opened again, so that nothing of the runs is in memory.
        workload.openAndCheck();
        store.rest();
        store.disk.failFrom(0, DiskFault.READ_ERROR);
    }

    private void assertFailed() {
        assertThatThrownBy(store::work)
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("reading /data/schedulelog/")
                .hasMessageContaining(".run failed")
                .hasMessageContaining("Input/output error");
        assertThat(workload.unanswered()).isZero();
        store.disk.heal();
        assertThatThrownBy(store::work).isInstanceOf(StoreFailedException.class);
        store.runOut();
        store.closeNow();
        store.crash(CrashKind.POWER_LOSS);
        workload.openAndCheck();
    }

    @Test
    void runThatCannotBeReadByAFindFailsTheStoreWithItsName() {
        for (int key = 0; key < Workload.KEYS; key++) {
            workload.find(key);
        }
        assertFailed();
    }

    @Test
    void failureThatHasOnlyTheNameOfItsFileIsToldWithItsReason() {
        store.calendar().fail(new AccessDeniedException("/data/OWNER-00000001"));
        assertThatThrownBy(store::work)
                .hasMessage("the store in /data failed and takes nothing any more:"
                        + " /data/OWNER-00000001: permission denied");
    }

    @Test
    void runThatCannotBeReadByAClaimFailsTheStoreWithItsName() {
        for (int i = 0; i < Workload.KEYS; i++) {
            workload.claimAny();
        }
        assertFailed();
    }
}
