package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the calls on a directory tell of how far they have come. */
final class ByteProgressTest {

    private final SimulatedStore store = StoreImage.restore(StoreImage.killed().files());
    private final StoreDirectory directory = StoreDirectory.at(store.directory());

    private record Step(long done, long total) {}

    /** What one call has told, each step after the one before. */
    private static final class Steps implements ByteProgress {
        private final List<Step> all = new ArrayList<>();

        @Override
        public void at(long done, long total) {
            assertThat(done).isLessThanOrEqualTo(total);
            if (!all.isEmpty()) {
                assertThat(done).isGreaterThanOrEqualTo(last().done);
            }
            all.add(new Step(done, total));
        }

        Step first() {
            return all.get(0);
        }

        Step last() {
            return all.get(all.size() - 1);
        }
    }

    private static long bytes(Path folder, String suffix) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(suffix)).toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    @Test
    void verifyReadsTheLogAndTheRunsToTheirEnd() throws IOException {
        Steps steps = new Steps();
        StoreVerification found = directory.withProgress(steps).verify();
        long runs = bytes(store.directory().resolve("schedulelog"), ".run");
        assertThat(steps.last().done).isGreaterThan(runs).isEqualTo(steps.last().total);
        assertThat(steps.all)
                .hasSizeGreaterThan((int) found.timers())
                .extracting(Step::total)
                .containsOnly(steps.last().total);
    }

    @Test
    void backupCountsTheCopyAndThatItIsReadAgainFromTheBeginning() throws IOException {
        Steps steps = new Steps();
        long log = bytes(store.directory().resolve("commitlog"), ".log");
        StoreBackup made = directory.withProgress(steps).backUpTo(store.disk.path("/copy"));
        assertThat(steps.last().done).isGreaterThan(made.bytes());
        assertThat(steps.first().total).isEqualTo(steps.last().total);
        assertThat(steps.first().done).as("the first segment").isPositive().isLessThan(log);
        assertThat(steps.all).hasSizeGreaterThan(made.files());
    }

    @Test
    void restoreCountsEachFileTwice() {
        directory.backUpTo(store.disk.path("/copy"));
        Steps steps = new Steps();
        StoreBackup done =
                StoreDirectory.at(store.disk.path("/new")).withProgress(steps).restoreFrom(store.disk.path("/copy"));
        assertThat(steps.last()).isEqualTo(new Step(2 * done.bytes(), 2 * done.bytes()));
        assertThat(steps.first().total).isEqualTo(2 * done.bytes());
        assertThat(steps.all).hasSizeGreaterThan(2 * done.files());
    }

    @Test
    void salvageCountsWhatItReadsAndWhatItKeeps() throws IOException {
        Map<String, byte[]> files = StoreImage.killed().files();
        String run = files.keySet().stream()
                .filter(name -> name.endsWith(".run"))
                .findFirst()
                .orElseThrow();
        files.get(run)[60] ^= 1;
        SimulatedStore damaged = StoreImage.restore(files);
        Steps verified = new Steps();
        StoreDirectory.at(damaged.directory()).withProgress(verified).verify();
        Steps steps = new Steps();
        StoreSalvage done =
                StoreDirectory.at(damaged.directory()).withProgress(steps).salvage();
        assertThat(done.quarantine()).isNotNull();
        assertThat(steps.last().done).isGreaterThan(verified.last().done);
        assertThat(steps.last().total).isGreaterThanOrEqualTo(steps.first().total);
    }
}
