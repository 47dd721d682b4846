package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.file.disk.SyncPolicy;
import io.tickwheel.store.testkit.CrashKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The canonical script, with a crash in each of its disk operations in turn. */
@Tag("simulated")
class CrashAtEveryOperationTest {

    /** Orders of the executors that are tried for each operation; more with {@code -Dtickwheel.orders}. */
    private static final int ORDERS = Integer.getInteger("tickwheel.orders", 1);

    /** One operation in so many is crashed in, another one by the next kind of crash; all of them in the long form. */
    private static final int STRIDE = Integer.getInteger("tickwheel.stride", 1);

    /** As {@link #STRIDE}, for each of the ways to go without a sync. */
    private static final int STRIDE_WITHOUT = STRIDE > 8 ? 2 * STRIDE : STRIDE;

    @ParameterizedTest
    @EnumSource
    void everythingAnsweredIsThereAfterACrashInAnyOperation(CrashKind kind) {
        for (int order = 0; order < ORDERS; order++) {
            long operation = first(kind);
            while (crashes(operation, kind, order, SyncPolicy.SYNC)) {
                operation += STRIDE;
            }
            assertThat(operation).as("operations of the script").isGreaterThan(200);
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutASyncForEachAnswerOnlyPowerLossTakesTheLastOnes(CrashKind kind) {
        for (SyncPolicy syncs : List.of(SyncPolicy.NONE, SyncPolicy.interval(Duration.ofMillis(5)))) {
            long operation = first(kind);
            while (crashes(operation, kind, 3, syncs)) {
                operation += STRIDE_WITHOUT;
            }
            assertThat(operation).as("operations of the script").isGreaterThan(150);
        }
    }

    private static long first(CrashKind kind) {
        return List.of(CrashKind.values()).indexOf(kind) % STRIDE;
    }

    private static boolean crashes(long operation, CrashKind kind, int order, SyncPolicy syncs) {
        // The same seed up to the crash for all operations of one order, so that each of them is met.
        SimulatedStore store = new SimulatedStore(order, UnaryOperator.identity(), 4_096, syncs);
        Workload workload = new Workload(store);
        try {
            store.crashAfter(operation, kind);
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
        Set<String> renamed = new HashSet<>();
        SimulatedStore store = new SimulatedStore(0);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        for (int i = 0; i < 40; i++) {
            workload.schedule(i % Workload.KEYS, i, 300, OnConflict.REPLACE);
            store.settle();
            segments.addAll(names(store.directory().resolve("commitlog")));
            runs.addAll(names(store.directory().resolve("schedulelog")));
            store.disk.trace().stream()
                    .filter(operation -> operation.contains("RENAME"))
                    .forEach(renamed::add);
        }
        assertThat(segments).hasSizeGreaterThan(2);
        assertThat(runs).hasSizeGreaterThan(2);
        assertThat(renamed)
                .filteredOn(name -> name.endsWith(".log"))
                .as("segments that became spares")
                .hasSizeGreaterThan(2);
        assertThat(renamed)
                .filteredOn(name -> name.contains("spare-") && !name.endsWith(".tmp"))
                .as("spares that became segments")
                .hasSizeGreaterThan(2);
    }

    private static Set<String> names(Path directory) throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> names.add(file.getFileName().toString()));
        }
        return names;
    }
}
