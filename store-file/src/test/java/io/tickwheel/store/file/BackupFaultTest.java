package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups and restores, of which one operation on the disk fails: each in turn. */
@Tag("simulated")
class BackupFaultTest {

    private static final StoreImage STORE = StoreImage.killed();

    private static StoreBackup backUp(SimulatedDisk disk) {
        return StoreDirectory.at(disk.path("/data")).backUpTo(disk.path("/copies/monday"));
    }

    private static StoreBackup restore(SimulatedDisk disk) {
        return StoreDirectory.at(disk.path("/restored/store")).restoreFrom(disk.path("/copies/monday"));
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ERROR", "WRITE_ERROR", "NO_SPACE", "SYNC_ERROR", "METADATA_ERROR"})
    void backupThatFailsSaysWhereAndLeavesNothing(DiskFault fault) {
        failEverywhere(fault, disk -> {}, BackupFaultTest::backUp, "copies");
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ERROR", "WRITE_ERROR", "NO_SPACE", "SYNC_ERROR", "METADATA_ERROR"})
    void restoreThatFailsSaysWhereAndLeavesNothing(DiskFault fault) {
        failEverywhere(fault, BackupFaultTest::backUp, BackupFaultTest::restore, "restored");
    }

    private static void failEverywhere(
            DiskFault fault, Consumer<SimulatedDisk> before, Consumer<SimulatedDisk> copying, String target) {
        SimulatedDisk sound = diskAfter(before);
        copying.accept(sound);
        int failures = 0;
        boolean isReached = true;
        for (int operation = 0; isReached; operation++) {
            SimulatedDisk disk = diskAfter(before);
            disk.failAfter(operation, fault);
            try {
                copying.accept(disk);
                isReached = disk.traceHash() != sound.traceHash();
            } catch (StoreException e) {
                failures++;
                assertFileIsNamed(e, disk.trace());
                assertThat(disk.visibleNames(disk.root()))
                        .as("%s", e.getMessage())
                        .doesNotContain(target);
                copying.accept(disk);
            }
        }
        assertThat(failures).isGreaterThan(3);
    }

    private static SimulatedDisk diskAfter(Consumer<SimulatedDisk> before) {
        SimulatedDisk disk = StoreImage.restore(STORE.files()).disk;
        before.accept(disk);
        return disk;
    }

    /** Or at least the directory that was written to. */
    private static void assertFileIsNamed(StoreException failure, List<String> trace) {
        String failed = trace.stream()
                .filter(line -> line.endsWith("_ERROR") || line.endsWith("NO_SPACE"))
                .findAny()
                .orElseThrow();
        Path file = Path.of(failed.split(" ", -1)[2]);
        assertThat(failure)
                .as(failed)
                .message()
                .startsWith("I/O error: ")
                .contains(file.getNameCount() == 0 ? "/" : "/" + file.getName(0))
                .containsAnyOf("Input/output error", "No space left on device")
                .doesNotContain("java");
    }

    @Test
    void directoryThatWasThereAndWhatOthersPutIntoItStays() throws IOException {
        SimulatedDisk disk = StoreImage.restore(STORE.files()).disk;
        Path target = Files.createDirectories(disk.path("/copies/monday"));
        disk.failNext(DiskFault.WRITE_ERROR);
        assertThatThrownBy(() -> backUp(disk)).isInstanceOf(StoreException.class);
        assertThat(disk.visibleNames(target)).isEmpty();
        assertThat(disk.visibleNames(disk.root())).contains("copies");
        Path note = target.resolve("note");
        Path inTheLog = target.resolve("commitlog").resolve("note");
        disk.failNext(DiskFault.WRITE_ERROR);
        disk.beforeEach(() -> {
            if (disk.visibleNames(target).contains("keys")) {
                disk.beforeEach(null);
                make(note);
                make(inTheLog);
            }
        });
        assertThatThrownBy(() -> backUp(disk)).isInstanceOf(StoreException.class);
        assertThat(disk.visibleNames(target)).contains("note");
        assertThat(disk.visibleNames(target.resolve("commitlog"))).containsExactly("note");
    }

    /** Both have seen that there is nothing yet. */
    @Test
    void backupThatAnotherOneWasSoonerThanDeletesNothingOfIt() {
        SimulatedDisk disk = StoreImage.restore(STORE.files()).disk;
        List<StoreBackup> other = new ArrayList<>();
        disk.beforeEach(() -> {
            if (lastOperation(disk).endsWith(" LIST /copies/monday")) {
                disk.beforeEach(null);
                other.add(backUp(disk));
            }
        });
        assertThatThrownBy(() -> backUp(disk)).hasMessage("/copies/monday is not empty, must be a new directory");
        assertThat(restore(disk)).isEqualTo(other.get(0));
    }

    @Test
    void backupThatAnotherOneMakesIsLeftAlone() {
        SimulatedDisk disk = StoreImage.restore(STORE.files()).disk;
        List<String> refusals = new ArrayList<>();
        disk.beforeEach(() -> {
            if (lastOperation(disk).contains(" MKDIR /copies/monday/keys")) {
                disk.beforeEach(null);
                assertThatThrownBy(() -> backUp(disk))
                        .satisfies(refused -> refusals.add(String.valueOf(refused.getMessage())));
            }
        });
        StoreBackup made = backUp(disk);
        assertThat(refusals).containsExactly("/copies/monday is not empty, must be a new directory");
        assertThat(restore(disk)).isEqualTo(made);
    }

    private static String lastOperation(SimulatedDisk disk) {
        List<String> trace = disk.trace();
        return trace.isEmpty() ? "" : trace.get(trace.size() - 1);
    }

    private static void make(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
