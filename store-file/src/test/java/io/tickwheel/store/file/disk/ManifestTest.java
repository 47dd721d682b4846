package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManifestTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Manifest first = Manifest.first(77).opened(1, 10, 5, 2);
    private final Manifest second = first.again();
    private DataDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(disk.path("/data"));
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private void createBoth() throws IOException {
        first.create(directory);
        second.create(directory);
    }

    private Manifest newest() throws IOException {
        return ManifestFiles.newest(directory);
    }

    private Path file(Manifest manifest) {
        return directory.manifest(manifest.slot());
    }

    @Test
    void eachManifestSaysHowFarTheLogWasSynced() {
        assertThat(first.syncedLsn()).isEqualTo(10);
        assertThat(first.checkpointed(20, 30, 6, 3).syncedLsn()).isEqualTo(30);
        assertThat(first.closed(40, 6, 3).syncedLsn()).isEqualTo(40);
        assertThat(first.ended(50, 6, 3).syncedLsn()).isEqualTo(50);
        assertThat(first.again().syncedLsn()).isEqualTo(10);
        assertThat(first.withoutKeys().syncedLsn()).isEqualTo(10);
    }

    @Test
    void newStoreHasNone() throws IOException {
        assertThat(newest()).isNull();
        ManifestFiles.of(directory).keepOlderVersionsAway(77);
        assertThat(newest()).as("with the marker").isNull();
    }

    @Test
    void everyFieldIsReadBack() throws IOException {
        for (boolean closed : new boolean[] {true, false}) {
            Manifest written = new Manifest(3, 0x7654_3210, 0x7654_3210_0000_0002L, 3, 4, 5, 6, 7, 8, 9, closed);
            written.create(directory);
            assertThat(newest()).isEqualTo(written);
            assertThat(disk.visibleNames(directory.root())).contains("MANIFEST-76543210-A");
            Files.delete(file(written));
        }
    }

    @Test
    void manifestOfFormat2IsReadBackUnderItsOldName() throws IOException {
        Manifest written = new Manifest(2, 5, 7, 3, 4, 5, 6, 7, 8, 9, false);
        written.create(directory);
        assertThat(newest()).isEqualTo(written);
        assertThat(disk.visibleNames(directory.root())).contains("MANIFEST-B");
        assertThat(written.nameEpoch()).isZero();
    }

    @Test
    void newerOfTheTwoCounts() throws IOException {
        createBoth();
        assertThat(newest()).isEqualTo(second);
        Manifest third = second.checkpointed(100, 110, 9, 3);
        third.write(directory);
        assertThat(newest()).isEqualTo(third);
        assertThat(third.progress()).isEqualTo(third.generation());
        Manifest later = third.opened(9, 120, 10, 4);
        later.create(directory);
        assertThat(newest()).isEqualTo(later);
    }

    @Test
    void whatAnOwnerBeforeWritesLaterDoesNotCount() throws IOException {
        createBoth();
        Manifest later = second.opened(2, 120, 10, 4);
        later.create(directory);
        second.checkpointed(100, 110, 9, 3)
                .checkpointed(200, 210, 9, 3)
                .checkpointed(300, 310, 9, 3)
                .write(directory);
        assertThat(newest()).isEqualTo(later);
    }

    @Test
    void slotThatIsGoneIsNotMadeAgain() throws IOException {
        createBoth();
        Files.delete(file(first));
        assertThatThrownBy(() -> second.checkpointed(100, 110, 9, 3).write(directory))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void tornSlotFallsBackToTheOneBefore() throws IOException {
        createBoth();
        byte[] whole = disk.visibleBytes(file(second));
        for (int length = 0; length < whole.length; length++) {
            disk.damage(file(second), Arrays.copyOf(whole, length));
            assertThat(newest()).as("cut at %d", length).isEqualTo(first);
        }
    }

    @Test
    void fileOfAnotherSlotOrOwnerIsDamaged() throws IOException {
        createBoth();
        Manifest later = second.opened(2, 120, 10, 4);
        later.create(directory);
        disk.damage(file(later), disk.visibleBytes(file(first)));
        assertThat(newest()).isEqualTo(second);
        disk.damage(file(second), disk.visibleBytes(file(first)));
        assertThat(newest()).isEqualTo(first);
    }

    @Test
    void ownerWhoseManifestsAreBothDamagedIsNotTakenForOneThatDidNotBegin() throws IOException {
        createBoth();
        Manifest later = second.opened(2, 120, 10, 4);
        later.create(directory);
        disk.truncate(file(later), 3);
        assertThat(newest()).as("torn at its first opening").isEqualTo(second);
        later.again().create(directory);
        disk.truncate(file(later.again()), 3);
        assertThatThrownBy(this::newest)
                .isInstanceOf(StoreCorruptedException.class)
                .hasMessageContaining("MANIFEST-00000002-B");
    }

    @Test
    void manifestIsWholeWhenTheOtherOneHasItsName() throws IOException {
        for (int operation = 0; operation < 10; operation++) {
            SimulatedDisk crashing = new SimulatedDisk(operation);
            DataDirectory there = DataDirectory.open(crashing.path("/data"));
            for (String path : new String[] {"/", "/data"}) {
                DurableFiles.sync(crashing.path(path));
            }
            crashing.crashAfter(operation, CrashKind.POWER_LOSS_MINIMAL);
            try {
                first.create(there);
                second.create(there);
            } catch (io.tickwheel.store.testkit.SimulatedCrash crash) {
                // As planned.
            }
            if (crashing.crashed()) {
                crashing.restart();
            } else {
                crashing.crash(CrashKind.POWER_LOSS_MINIMAL);
            }
            if (Files.exists(there.manifest(second.slot()))) {
                assertThat(ManifestFiles.newest(there)).isIn(first, second);
            } else {
                assertThat(ManifestFiles.newest(there)).isIn(first, null);
            }
        }
    }

    @Test
    void logWithoutAManifestIsRefusedUnlessItWasAboutToBeBegun() throws IOException {
        SegmentName name = new SegmentName(0, 1);
        try (LogSegment segment = LogSegment.create(directory.segment(name), 77, name, null)) {
            assertThat(newest()).isNull();
            segment.write(Frame.empty(1, 0, 0, LogSegment.identity(77, name)));
        }
        assertThatThrownBy(this::newest)
                .isInstanceOf(StoreCorruptedException.class)
                .hasMessageContaining("MANIFEST-A");
    }

    @Test
    void markerKeepsOlderVersionsAwayAndTheOldManifestUntilItIsNotNeeded() throws IOException {
        for (int generation = 6; generation < 8; generation++) {
            Manifest older = new Manifest(2, 5, generation, 3, 4, 5, 6, 7, 8, 9, false);
            Manifest newer = new Manifest(2, 5, generation + 1, 3, 4, 5, 6, 7, 8, 9, false);
            older.create(directory);
            newer.create(directory);
            ManifestFiles.of(directory).keepOlderVersionsAway(77);
            assertThat(newest()).isEqualTo(newer);
            // Format, checksum: what a version that knows format 2 looks at first.
            ByteBuffer marker = ByteBuffer.wrap(disk.visibleBytes(file(older))).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(marker.limit()).isEqualTo(84);
            assertThat(marker.getInt(8)).isEqualTo(3);
            assertThat(marker.getInt(80)).isEqualTo(crc(marker));
            Manifest opened = newer.opened(6, 5, 6, 7);
            opened.create(directory);
            ManifestFiles.of(directory).dropOld();
            assertThat(file(older)).exists();
            assertThat(file(newer)).doesNotExist();
            ManifestFiles.of(directory).keepOlderVersionsAway(77);
            assertThat(newest()).isEqualTo(opened);
            assertThat(file(newer)).doesNotExist();
            Files.delete(file(older));
            Files.delete(file(opened));
        }
    }

    @Test
    void otherFormatIsRefusedAlsoWhenTheSlotBeforeIsReadable() throws IOException {
        createBoth();
        ByteBuffer other = ByteBuffer.wrap(disk.visibleBytes(file(second)))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(8, Manifest.FORMAT + 1);
        other.putInt(80, crc(other));
        disk.damage(file(second), other.array());
        assertThatThrownBy(this::newest)
                .isInstanceOf(StoreFormatException.class)
                .hasMessage("MANIFEST-00000001-B has format 4, this version reads formats 2 and 3");
        Path marker = directory.root().resolve("MANIFEST-A");
        Files.delete(file(second));
        Files.write(marker, other.array(), StandardOpenOption.CREATE_NEW);
        assertThatThrownBy(this::newest)
                .isInstanceOf(StoreFormatException.class)
                .hasMessage("MANIFEST-A has format 4, this version reads formats 2 and 3");
    }

    private static int crc(ByteBuffer manifest) {
        CRC32C crc = new CRC32C();
        crc.update(manifest.slice(0, 80));
        return (int) crc.getValue();
    }

    @Test
    void slotThatCannotBeReadIsNotTakenForMissing() throws IOException {
        createBoth();
        for (int operation = 0; operation < 3; operation++) {
            disk.failAfter(operation, DiskFault.READ_ERROR);
            assertThatThrownBy(this::newest).isInstanceOf(IOException.class);
        }
    }
}
