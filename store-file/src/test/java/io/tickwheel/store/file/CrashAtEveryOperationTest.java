package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.testkit.CrashKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The canonical script, with a crash in each of its disk operations in turn. */
class CrashAtEveryOperationTest {

    /** Orders of the executors that are tried for each operation. */
    private static final int ORDERS = 8;

    @ParameterizedTest
    @EnumSource
    void everythingAnsweredIsThereAfterACrashInAnyOperation(CrashKind kind) {
        for (int order = 0; order < ORDERS; order++) {
            long operation = 0;
            while (crashes(operation, kind, order)) {
                operation++;
            }
            assertThat(operation).as("operations of the script").isGreaterThan(200);
        }
    }

    private static boolean crashes(long operation, CrashKind kind, int order) {
        // The same seed up to the crash for all operations of one order, so that each of them is met.
        SimulatedStore store = new SimulatedStore(order);
        Workload workload = new Workload(store);
        try {
            store.disk.crashAfter(operation, kind);
            try {
                new CanonicalScript(store, workload).run();
                return false;
            } catch (SimulatedStore.Died crashed) {
                store.crash(kind);
            }
            Recoveries.recoverAndGoOn(store, workload);
            return true;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "crash " + kind + " in operation " + operation + ", order " + order + ": " + e.getMessage() + "\n"
                            + String.join("\n", store.disk.trace()),
                    e);
        }
    }

    @Test
    void scriptBeginsSegmentsAndMakesCheckpointsInBothLives() throws IOException {
        Set<String> segments = new HashSet<>();
        Set<String> runs = new HashSet<>();
        SimulatedStore store = new SimulatedStore(0);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        for (int i = 0; i < 40; i++) {
            workload.schedule(i % Workload.KEYS, i, 300, OnConflict.REPLACE);
            store.settle();
            segments.addAll(names(store.directory().resolve("commitlog")));
            runs.addAll(names(store.directory().resolve("schedulelog")));
        }
        assertThat(segments).hasSizeGreaterThan(2);
        assertThat(runs).hasSizeGreaterThan(2);
    }

    private static Set<String> names(Path directory) throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> names.add(file.getFileName().toString()));
        }
        return names;
    }
}
