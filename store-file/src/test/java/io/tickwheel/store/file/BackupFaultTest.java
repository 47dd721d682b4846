package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups and restores, of which one operation on the disk fails: each in turn. */
class BackupFaultTest {

    private static final StoreImage STORE = StoreImage.killed();

    private static void backUp(SimulatedDisk disk) {
        StoreDirectory.at(disk.path("/data")).backUpTo(disk.path("/copy"));
    }

    private static void restore(SimulatedDisk disk) {
        StoreDirectory.at(disk.path("/restored")).restoreFrom(disk.path("/copy"));
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ERROR", "WRITE_ERROR", "NO_SPACE", "SYNC_ERROR", "METADATA_ERROR"})
    void backupThatFailsSaysWhere(DiskFault fault) {
        failEverywhere(fault, disk -> {}, BackupFaultTest::backUp);
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ERROR", "WRITE_ERROR", "NO_SPACE", "SYNC_ERROR", "METADATA_ERROR"})
    void restoreThatFailsSaysWhere(DiskFault fault) {
        failEverywhere(fault, BackupFaultTest::backUp, BackupFaultTest::restore);
    }

    private static void failEverywhere(
            DiskFault fault, Consumer<SimulatedDisk> before, Consumer<SimulatedDisk> copying) {
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
}
