package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunScan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damages a store at rest in many places, and asks what is damaged. */
@Tag("simulated")
class VerificationTest {

    private static StoreImage image(boolean closed) {
        return closed ? StoreImage.closed() : StoreImage.killed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void storeThatIsWholeHasNoDamageAndIsNotChanged(boolean closed) {
        StoreImage image = image(closed);
        SimulatedStore store = StoreImage.restore(image.files());
        StoreVerification found = StoreDirectory.at(store.directory()).verify();
        assertThat(found.damages()).isEmpty();
        assertThat(found.runs()).isGreaterThan(1);
        assertThat(found.timers())
                .isPositive()
                .isEqualTo(StoreDirectory.at(store.directory()).inspect().runs().stream()
                        .mapToLong(StoreInspection.Run::present)
                        .sum());
        assertThat(found.logRecords()).isPositive();
        assertThat(StoreImage.same(StoreImage.read(store), image.files())).isTrue();
        assertThat(store.disk.openChannels()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void flippedBitIsReportedWithItsFileWheneverTheStoreIsRefused(boolean closed) {
        StoreImage image = image(closed);
        int refused = 0;
        int reported = 0;
        for (Map.Entry<String, byte[]> file : image.files().entrySet()) {
            for (int i = 0; i < file.getValue().length; i += 41) {
                byte[] damaged = file.getValue().clone();
                damaged[i] ^= (byte) (1 << (i % Byte.SIZE));
                Outcome outcome = check(image, file.getKey(), damaged);
                refused += outcome.refused ? 1 : 0;
                reported += outcome.reported ? 1 : 0;
            }
        }
        assertThat(refused).isGreaterThan(100);
        assertThat(reported).isGreaterThan(refused);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fileThatIsCutIsReportedWheneverTheStoreIsRefused(boolean closed) {
        StoreImage image = image(closed);
        for (Map.Entry<String, byte[]> file : image.files().entrySet()) {
            for (int length = 0; length < file.getValue().length; length += 203) {
                check(image, file.getKey(), Arrays.copyOf(file.getValue(), length));
            }
        }
    }

    private record Outcome(boolean refused, boolean reported) {}

    /** Whatever is reported is in the damaged file, and what is not reported does not keep the store from opening. */
    private static Outcome check(StoreImage image, String file, byte[] damaged) {
        SimulatedStore store = StoreImage.restore(image.with(file, damaged));
        List<StoreDamage> damages;
        try {
            damages = StoreDirectory.at(store.directory()).verify().damages();
        } catch (StoreFormatException e) {
            assertThat(file).startsWith("MANIFEST");
            return new Outcome(true, true);
        }
        assertThat(StoreImage.same(StoreImage.read(store), image.with(file, damaged)))
                .as("%s: changed", file)
                .isTrue();
        if (!damages.isEmpty() && !file.startsWith("MANIFEST")) {
            assertThat(damages).as(file).allMatch(damage -> damage.file().equals(file));
        }
        boolean refused = false;
        try {
            new Workload(store, image.ledger()).openAndCheck();
        } catch (StoreCorruptedException e) {
            refused = true;
            assertThat(damages)
                    .as(e.getMessage())
                    .anyMatch(damage -> damage.file().equals(e.file()));
        } catch (StoreFailedException e) {
            // A damaged record of a run is only met when it is read.
            refused = true;
            assertThat(damages).as(e.getMessage()).isNotEmpty();
        } catch (StoreException | AssertionError e) {
            // What a store that was killed said last can be taken away unnoticed.
            assertThat(file).as(e.toString()).isEqualTo(image.lastSegment());
        }
        return new Outcome(refused, !damages.isEmpty());
    }

    @Test
    void missingRunIsReportedWithItsTimers() {
        StoreImage image = StoreImage.closed();
        String name = image.files().keySet().stream()
                .filter(file -> file.endsWith(DataDirectory.RUN_SUFFIX))
                .findFirst()
                .orElseThrow();
        StoreDirectory whole =
                StoreDirectory.at(StoreImage.restore(image.files()).directory());
        StoreInspection.Run run = whole.inspect().runs().stream()
                .filter(each -> each.file().equals(name))
                .findFirst()
                .orElseThrow();
        List<StoreDamage> damages = StoreDirectory.at(
                        StoreImage.restore(image.without(name)).directory())
                .verify()
                .damages();
        assertThat(damages).hasSize(1);
        assertThat(damages.get(0).file()).isEqualTo(name);
        assertThat(damages.get(0).timers()).isEqualTo(OptionalLong.of(run.present()));
    }

    @Test
    void savedKeysThatAreDamagedOrCutAreReportedAsHarmless() {
        StoreImage image = StoreImage.closed();
        String name = image.files().keySet().stream()
                .filter(file -> file.endsWith(DataDirectory.KEYS_SUFFIX))
                .findFirst()
                .orElseThrow();
        byte[] keys = image.files().get(name);
        for (int i = 0; i < keys.length; i += 7) {
            byte[] damaged = keys.clone();
            damaged[i] ^= (byte) (1 << (i % Byte.SIZE));
            assertTold(image, name, damaged);
            assertTold(image, name, Arrays.copyOf(keys, i));
        }
        assertTold(image, name, Arrays.copyOf(keys, keys.length + 1));
    }

    private static void assertTold(StoreImage image, String name, byte[] damaged) {
        SimulatedStore store = StoreImage.restore(image.with(name, damaged));
        assertThat(StoreDirectory.at(store.directory()).verify().damages())
                .singleElement()
                .satisfies(damage -> assertThat(damage.file()).isEqualTo(name))
                .satisfies(damage -> assertThat(damage.timers()).isEqualTo(OptionalLong.of(0)));
        assertThat(store.disk.openChannels()).isEmpty();
    }

    @Test
    void damagedRecordIsReportedWithItsDueTime() throws IOException {
        StoreImage image = StoreImage.closed();
        SimulatedStore store = StoreImage.restore(image.files());
        DataDirectory directory = DataDirectory.view(store.directory());
        Manifest manifest = StableRead.manifest(directory);
        Progress.RunProgress one = Progress.read(directory, manifest.storeId(), manifest.progress()).runs().stream()
                .filter(run -> run.ended().cardinality() < run.count())
                .findFirst()
                .orElseThrow();
        Path file = directory.run(one.fileNumber());
        try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
            RunScan scan = new RunScan(run, one.ended());
            scan.next();
            store.disk.flipBit(file, (scan.recordOffset() + 5) * Byte.SIZE);
            StoreDamage damage =
                    StoreDirectory.at(store.directory()).verify().damages().get(0);
            assertThat(damage.file()).isEqualTo(directory.name(file));
            assertThat(damage.offset()).isEqualTo(scan.recordOffset());
            assertThat(damage.timers()).isEqualTo(OptionalLong.of(1));
            assertThat(damage.firstDue()).isEqualTo(Instant.ofEpochMilli(scan.attemptAtMs()));
            assertThat(damage.lastDue()).isEqualTo(damage.firstDue());
        }
    }

    @Test
    void endedTimerNeedNotBeReadable() throws IOException {
        StoreImage image = StoreImage.closed();
        SimulatedStore store = StoreImage.restore(image.files());
        DataDirectory directory = DataDirectory.view(store.directory());
        Manifest manifest = StableRead.manifest(directory);
        Progress.RunProgress one = Progress.read(directory, manifest.storeId(), manifest.progress()).runs().stream()
                .filter(run -> !run.ended().isEmpty())
                .findFirst()
                .orElseThrow();
        try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
            BitSet others = new BitSet();
            others.set(0, one.ended().nextSetBit(0));
            RunScan scan = new RunScan(run, others);
            scan.next();
            store.disk.flipBit(run.path(), (scan.recordOffset() + 5) * Byte.SIZE);
        }
        assertThat(StoreDirectory.at(store.directory()).verify().damages()).isEmpty();
    }

    @Test
    void damagedEntriesTakeOnlyTimersThatHaveNotEnded() throws IOException {
        SimulatedStore store = StoreImage.restore(StoreImage.closed().files());
        DataDirectory directory = DataDirectory.view(store.directory());
        Manifest manifest = StableRead.manifest(directory);
        Progress.RunProgress one = Progress.read(directory, manifest.storeId(), manifest.progress()).runs().stream()
                .filter(run -> !run.ended().isEmpty() && run.ended().cardinality() < run.count())
                .findFirst()
                .orElseThrow();
        try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
            assertThat(run.entries().blocks(run.count())).isEqualTo(1);
            store.disk.flipBit(run.path(), run.blockOffset(0) * Byte.SIZE);
        }
        assertThat(StoreDirectory.at(store.directory()).verify().damages())
                .singleElement()
                .satisfies(damage -> assertThat(damage.timers())
                        .isEqualTo(OptionalLong.of(one.count() - one.ended().cardinality())));
    }

    /** What a server is writing at the moment can look like damage. */
    @Test
    void damageThatIsGoneAtTheNextLookIsNotTold() {
        StoreImage image = StoreImage.closed();
        String name = image.files().keySet().stream()
                .filter(file -> file.endsWith(DataDirectory.RUN_SUFFIX))
                .findFirst()
                .orElseThrow();
        byte[] damaged = image.files().get(name).clone();
        damaged[3] ^= 1;
        SimulatedStore store = StoreImage.restore(image.with(name, damaged));
        StoreDirectory directory = StoreDirectory.at(store.directory());
        long before = store.disk.operations();
        assertThat(directory.verify().damages()).hasSize(1);
        long[] left = {(store.disk.operations() - before) / 2};
        store.disk.beforeEach(() -> {
            if (left[0]-- == 0) {
                store.disk.damage(store.directory().resolve(name), image.files().get(name));
            }
        });
        assertThat(directory.verify().damages()).isEmpty();
        assertThat(left[0]).isNegative();
    }

    /** It was made before the opening could say that it counts, and is no part of the log. */
    @Test
    void segmentOfAnOpeningThatDidNotEndIsNotCounted() throws IOException {
        StoreImage image = StoreImage.killed();
        SimulatedStore store = StoreImage.restore(image.files());
        int before = StoreDirectory.at(store.directory()).verify().segments();
        assertThat(before).isEqualTo((int) image.files().keySet().stream()
                .filter(name -> name.endsWith(SegmentName.SUFFIX))
                .count());
        DataDirectory directory = DataDirectory.view(store.directory());
        Manifest manifest = StableRead.manifest(directory);
        SegmentName begun = new SegmentName(manifest.syncedLsn(), manifest.epoch() + 1);
        LogSegment.create(directory.segment(begun), manifest.storeId(), begun, null)
                .close();
        StoreVerification found = StoreDirectory.at(store.directory()).verify();
        assertThat(found.damages()).isEmpty();
        assertThat(found.segments()).isEqualTo(before);
    }

    @Test
    void directoryWithoutAStoreIsRefused() {
        StoreDirectory empty = StoreDirectory.at(
                StoreImage.restore(Map.of("notes.txt", new byte[1])).directory());
        assertThatThrownBy(empty::verify).isInstanceOf(StoreException.class).hasMessageContaining("no store");
        assertThatThrownBy(empty::inspect).isInstanceOf(StoreException.class).hasMessageContaining("no store");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inspectionShowsWhatIsThereAndChangesNothing(boolean closed) {
        StoreImage image = image(closed);
        SimulatedStore store = StoreImage.restore(image.files());
        StoreInspection found = StoreDirectory.at(store.directory()).inspect();
        assertThat(StoreImage.same(StoreImage.read(store), image.files())).isTrue();
        assertThat(found.format()).isEqualTo(Manifest.FORMAT);
        assertThat(found.epoch()).isEqualTo(2);
        assertThat(found.syncedLsn()).isGreaterThanOrEqualTo(found.checkpointLsn());
        assertThat(found.segments())
                .isNotEmpty()
                .allMatch(file -> image.files().get(file.name()).length == file.bytes());
        assertThat(found.runs()).isNotEmpty().allMatch(run -> image.files().get(run.file()).length == run.bytes());
        assertThat(found.keys() != null).isEqualTo(closed);
        long inRuns =
                found.runs().stream().mapToLong(StoreInspection.Run::present).sum();
        assertThat(found.queues().stream()
                        .mapToLong(queue -> queue.pending() + queue.dead())
                        .sum())
                .isEqualTo(inRuns);
        assertThat(found.queues()).extracting(StoreInspection.Queue::name).containsAnyOf("even", "odd");
        assertThat(found.runs()).extracting(StoreInspection.Run::number).isSorted();
        int finished = (int) image.ledger().now().values().stream()
                .filter(entry -> !entry.isLive() && entry.state() != TimerState.DEAD)
                .count();
        // The log of a store that was killed says more.
        assertThat(found.finished()).isBetween(closed ? finished : 0, finished);
        assertThat(found.spares())
                .extracting(StoreInspection.File::name)
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(image.files().keySet().stream()
                        .filter(name -> name.startsWith("commitlog/spare-"))
                        .toList());
    }
}
