package io.tickwheel.store.testkit;

import static io.tickwheel.store.testkit.CrashKind.POWER_LOSS;
import static io.tickwheel.store.testkit.CrashKind.PROCESS_KILL;
import static io.tickwheel.store.testkit.DiskScript.append;
import static io.tickwheel.store.testkit.DiskScript.createFile;
import static io.tickwheel.store.testkit.DiskScript.outcomes;
import static io.tickwheel.store.testkit.DiskScript.overwrite;
import static io.tickwheel.store.testkit.DiskScript.syncData;
import static io.tickwheel.store.testkit.DiskScript.syncDirectory;
import static io.tickwheel.store.testkit.DiskScript.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Errors, full disks, planned crashes, damage, locks and the counters. */
final class SimulatedDiskFaultTest {
    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path file = disk.path("a");

    @Test
    void failedSyncIsReportedOnceAndItsBytesAreNeverWritten() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                each -> {
                    createFile(each.path("a"), "old");
                    syncData(each.path("a"));
                    syncDirectory(each.root());
                    overwrite(each.path("a"), 0, "new");
                    each.failNext(DiskFault.SYNC_ERROR);
                    try (FileChannel channel = FileChannel.open(each.path("a"), StandardOpenOption.WRITE)) {
                        assertThatIOException().isThrownBy(() -> channel.force(false));
                        channel.force(false);
                    }
                    assertThat(text(each.path("a"))).isEqualTo("new");
                },
                each -> text(each.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void failedSyncIsForgottenWithTheCache() throws IOException {
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk each = new SimulatedDisk(seed);
            createFile(each.path("a"), "new");
            each.failNext(DiskFault.SYNC_ERROR);
            assertThatIOException().isThrownBy(() -> syncData(each.path("a")));
            append(each.path("a"), "+");
            each.dropCache();
            seen.add(text(each.path("a")));
        }

        assertThat(seen).containsExactlyInAnyOrder("...+", "new+");
    }

    @Test
    void everyChannelOpenAtAFailedSyncReportsItOnce() throws IOException {
        createFile(file, "one");
        try (FileChannel first = FileChannel.open(file, StandardOpenOption.WRITE);
                FileChannel second = FileChannel.open(file, StandardOpenOption.WRITE)) {
            disk.failNext(DiskFault.SYNC_ERROR);
            assertThatIOException().isThrownBy(() -> first.force(false)).withMessage("Input/output error");
            try (FileChannel third = FileChannel.open(file, StandardOpenOption.WRITE)) {
                third.force(false);
            }
            assertThatIOException().isThrownBy(() -> second.force(false));
            second.force(false);
            first.force(false);
        }
    }

    @Test
    void failedSyncOfADirectoryMakesTheDiskReadOnlyUntilThePowerIsLost() throws IOException {
        createFile(file, "one");
        syncData(file);
        disk.failNext(DiskFault.JOURNAL_ERROR);
        assertThatIOException().isThrownBy(() -> syncDirectory(disk.root()));

        disk.crash(PROCESS_KILL);
        assertThat(text(file)).isEqualTo("one");
        assertThatIOException().isThrownBy(() -> append(file, "+")).withMessage("Read-only file system");
        assertThatIOException().isThrownBy(() -> syncDirectory(disk.root()));
        assertThatIOException().isThrownBy(() -> Files.delete(file));

        disk.crash(POWER_LOSS);
        createFile(disk.path("b"), "two");
        syncDirectory(disk.root());
    }

    @Test
    void faultStrikesAfterTheGivenNumberOfItsOwnOperations() throws IOException {
        createFile(file, "");
        disk.failAfter(1, DiskFault.WRITE_ERROR);
        append(file, "1");
        syncData(file);
        assertThatIOException().isThrownBy(() -> append(file, "2"));
        append(file, "3");
    }

    @Test
    void lastingFaultEndsWhenHealed() throws IOException {
        createFile(file, "one");
        disk.failFrom(0, DiskFault.READ_ERROR);
        assertThatIOException().isThrownBy(() -> Files.readAllBytes(file));
        assertThatIOException().isThrownBy(() -> Files.readAllBytes(file));
        disk.heal();
        assertThat(text(file)).isEqualTo("one");
    }

    @Test
    void failedWriteMayTakeAnyOfItsBytes() throws IOException {
        Set<String> seen = outcomes(
                PROCESS_KILL,
                each -> {
                    createFile(each.path("a"), "");
                    each.failNext(DiskFault.WRITE_ERROR);
                    assertThatIOException().isThrownBy(() -> append(each.path("a"), "abc"));
                },
                each -> text(each.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("", "a", "ab", "abc");
    }

    @Test
    void shortWritesMakeProgressAtLeastEverySecondTime() throws IOException {
        createFile(file, "");
        disk.failFrom(0, DiskFault.SHORT_WRITE);
        int empty = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = 0; i < 200; i++) {
                ByteBuffer bytes = ByteBuffer.wrap(new byte[100]);
                int written = channel.write(bytes);
                assertThat(written).isBetween(0, 99).isEqualTo(bytes.position());
                if (written == 0) {
                    empty++;
                    assertThat(channel.write(bytes)).isPositive();
                }
            }
            assertThat(channel.size()).isEqualTo(channel.position());
        }
        assertThat(empty).isPositive();
    }

    @Test
    void fullDiskTakesWhatFitsAndThenRefuses() throws IOException {
        disk.capacityBytes(10);
        createFile(file, "12345678");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            assertThat(channel.write(ByteBuffer.wrap(new byte[5]))).isEqualTo(2);
            assertThatIOException()
                    .isThrownBy(() -> channel.write(ByteBuffer.wrap(new byte[5])))
                    .withMessage("No space left on device");
        }
        overwrite(file, 0, "abcdefghij");
        assertThat(Files.getFileStore(file).getUsableSpace()).isZero();
    }

    @Test
    void deletedFileHoldsItsSpaceUntilItIsClosed() throws IOException {
        disk.capacityBytes(10);
        createFile(file, "1234567890");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Files.delete(file);
            assertThat(channel.size()).isEqualTo(10);
            assertThat(Files.getFileStore(disk.root()).getUsableSpace()).isZero();
        }
        assertThat(Files.getFileStore(disk.root()).getUsableSpace()).isEqualTo(10);
    }

    @Test
    void everyOtherFaultIsReportedByItsOperation() throws IOException {
        createFile(file, "one");
        disk.failNext(DiskFault.NO_SPACE);
        assertThatIOException().isThrownBy(() -> append(file, "two")).withMessage("No space left on device");
        disk.failNext(DiskFault.NO_SPACE);
        assertThatIOException().isThrownBy(() -> createFile(disk.path("b"), "")).withMessageContaining("No space left");
        disk.failNext(DiskFault.SYNC_NO_SPACE);
        assertThatIOException().isThrownBy(() -> syncData(file)).withMessage("No space left on device");
        disk.failNext(DiskFault.METADATA_ERROR);
        assertThatIOException().isThrownBy(() -> Files.move(file, disk.path("b")));
        assertThat(Files.exists(file)).isTrue();
        assertThat(Files.exists(disk.path("b"))).isFalse();
    }

    @Test
    void faultByChanceStrikesAtItsRate() throws IOException {
        createFile(file, "");
        disk.failRandomly(DiskFault.SYNC_ERROR, 0.25);
        int failed = 0;
        for (int i = 0; i < 1000; i++) {
            try {
                syncData(file);
            } catch (IOException expected) {
                failed++;
            }
        }
        assertThat(failed).isBetween(200, 300);
        assertThatIllegalArgumentException().isThrownBy(() -> disk.failRandomly(DiskFault.SYNC_ERROR, 1.5));
    }

    @Test
    void plannedCrashStrikesWithinTheNextOperationAndLasts() throws IOException {
        createFile(file, "one");
        disk.crashAfter(1, PROCESS_KILL);
        assertThat(Files.exists(file)).isTrue();
        assertThatExceptionOfType(SimulatedCrash.class).isThrownBy(() -> Files.exists(file));
        assertThatExceptionOfType(SimulatedCrash.class).isThrownBy(() -> createFile(disk.path("b"), ""));
        assertThat(disk.crashed()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> disk.visibleBytes(file));

        disk.restart();
        assertThat(disk.crashed()).isFalse();
        assertThat(text(file)).isEqualTo("one");
        assertThatIllegalStateException().isThrownBy(disk::restart);
    }

    @Test
    void crashCutsTheWriteInProgressAtAnyByte() throws IOException {
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 200; seed++) {
            SimulatedDisk each = new SimulatedDisk(seed);
            createFile(each.path("a"), "");
            each.crashAfter(1, PROCESS_KILL);
            assertThatExceptionOfType(SimulatedCrash.class).isThrownBy(() -> append(each.path("a"), "abc"));
            each.restart();
            seen.add(text(each.path("a")));
        }

        assertThat(seen).containsExactlyInAnyOrder("", "a", "ab", "abc");
    }

    @Test
    void crashDoesOrDoesNotTheRenameInProgress() throws IOException {
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk each = new SimulatedDisk(seed);
            createFile(each.path("a"), "one");
            each.crashAfter(0, PROCESS_KILL);
            assertThatExceptionOfType(SimulatedCrash.class)
                    .isThrownBy(() -> Files.move(each.path("a"), each.path("b"), StandardCopyOption.ATOMIC_MOVE));
            each.restart();
            seen.add(DiskScript.names(each.root()));
        }

        assertThat(seen).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void crashWithinAMoveThatIsNotAtomicMayLeaveNoTarget() throws IOException {
        Set<String> seen = new HashSet<>();
        for (int seed = 0; seed < 50; seed++) {
            SimulatedDisk each = new SimulatedDisk(seed);
            createFile(each.path("a"), "old");
            createFile(each.path("b"), "new");
            each.crashAfter(2, PROCESS_KILL);
            assertThatExceptionOfType(SimulatedCrash.class)
                    .isThrownBy(() -> Files.move(each.path("b"), each.path("a"), StandardCopyOption.REPLACE_EXISTING));
            each.restart();
            seen.add(text(each.path("a")));
        }

        assertThat(seen).containsExactlyInAnyOrder("absent", "new");
    }

    @Test
    void crashClosesChannelsAndReleasesLocks() throws IOException {
        FileChannel old = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        assertThat(old.tryLock()).isNotNull();
        disk.crash(PROCESS_KILL);

        assertThat(disk.openChannels()).isEmpty();
        assertThatExceptionOfType(ClosedChannelException.class)
                .isThrownBy(() -> old.write(ByteBuffer.wrap(new byte[1])));
        try (FileChannel next = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThat(next.tryLock()).isNotNull();
        }
    }

    @Test
    void secondLockOverlapsInOneProcessAndIsNullForAnother() throws IOException {
        try (FileChannel first = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
                FileChannel second = FileChannel.open(file, StandardOpenOption.WRITE)) {
            try (var lock = first.tryLock()) {
                assertThat(lock.isValid()).isTrue();
                assertThatExceptionOfType(OverlappingFileLockException.class).isThrownBy(second::tryLock);
            }
            try (var other = disk.lockAsOtherProcess(file)) {
                assertThat(other).isNotNull();
                assertThat(second.tryLock()).isNull();
                assertThatIOException().isThrownBy(second::lock);
            }
            assertThat(second.tryLock()).isNotNull();
        }
    }

    @Test
    void sharedLockNeedsNoRightToWriteAndKeepsOthersAway() throws IOException {
        createFile(file, "one");
        disk.mountReadOnly();
        try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
            try (var other = disk.lockAsOtherProcess(file)) {
                assertThat(other).isNotNull();
                assertThat(reader.tryLock(0, Long.MAX_VALUE, true)).isNull();
            }
            try (var lock = reader.tryLock(0, Long.MAX_VALUE, true)) {
                assertThat(lock.isShared()).isTrue();
                assertThatIllegalStateException().isThrownBy(() -> disk.lockAsOtherProcess(file));
            }
        }
    }

    @Test
    void readOnlyDiskTakesNothingUntilThePowerIsLost() throws IOException {
        createFile(file, "one");
        syncData(file);
        syncDirectory(disk.root());
        disk.mountReadOnly();
        assertThat(text(file)).isEqualTo("one");
        assertThatIOException().isThrownBy(() -> append(file, "+")).withMessage("Read-only file system");
        assertThatIOException().isThrownBy(() -> createFile(disk.path("b"), ""));
        disk.crash(POWER_LOSS);
        append(file, "+");
        assertThat(text(file)).isEqualTo("one+");
    }

    @Test
    void spoiledBytesEndAReadAndFailTheOneThatBeginsThere() throws IOException {
        createFile(file, "abcdef");
        disk.spoil(file, 2, 4);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            assertThat(channel.read(ByteBuffer.allocate(6), 0)).isEqualTo(2);
            assertThat(channel.read(ByteBuffer.allocate(2), 0)).isEqualTo(2);
            assertThatIOException().isThrownBy(() -> channel.read(ByteBuffer.allocate(6), 2));
            assertThatIOException().isThrownBy(() -> channel.read(ByteBuffer.allocate(1), 3));
            assertThat(channel.read(ByteBuffer.allocate(6), 4)).isEqualTo(2);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'x', 'y'}), 2);
        }
        assertThat(text(file)).isEqualTo("abxyef");
        assertThatIllegalArgumentException().isThrownBy(() -> disk.spoil(file, 5, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.spoil(file, 3, 3));
    }

    @Test
    void damageIsDurable() throws IOException {
        createFile(file, "one");
        syncDirectory(disk.root());
        disk.flipBit(file, 8);
        assertThat(text(file)).isEqualTo("ooe");
        disk.truncate(file, 2);
        disk.crash(POWER_LOSS);
        assertThat(text(file)).isEqualTo("oo");
        disk.damage(file, new byte[] {'x'});
        assertThat(disk.durableBytes(file)).containsExactly('x');
        assertThat(disk.visibleBytes(file)).containsExactly('x');
        assertThatIllegalArgumentException().isThrownBy(() -> disk.flipBit(file, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> disk.truncate(disk.path("none"), 0));
    }

    @Test
    void openChannelsAreListed() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            assertThat(channel.isOpen()).isTrue();
            assertThat(disk.openChannels()).containsExactly(new OpenChannel(file, null));
        }
        assertThat(disk.openChannels()).isEmpty();
    }

    @Test
    void openChannelsAreListedWithTheirOpenerIfThatIsAskedFor() throws IOException {
        disk.rememberOpeners();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            assertThat(channel.isOpen()).isTrue();
            assertThat(disk.openChannels()).singleElement().satisfies(open -> {
                assertThat(open.path()).isEqualTo(file);
                assertThat(open.openedAt())
                        .hasStackTraceContaining("openChannelsAreListedWithTheirOpenerIfThatIsAskedFor");
            });
        }
        assertThat(disk.openChannels()).isEmpty();
    }

    @Test
    void operationsAndSyncsAreCountedAndTraced() throws IOException {
        createFile(file, "one");
        syncData(file);
        assertThat(disk.operations()).isEqualTo(4);
        assertThat(disk.syncs()).isEqualTo(1);
        assertThat(disk.trace()).containsExactly("1 CREATE a", "2 WRITE a [0, +3)", "3 OPEN a", "4 SYNC a");
    }

    @Test
    void traceHashTellsBytesApart() throws IOException {
        SimulatedDisk other = new SimulatedDisk(1);
        createFile(file, "one");
        createFile(other.path("a"), "two");
        assertThat(disk.trace()).isEqualTo(other.trace());
        assertThat(disk.traceHash()).isNotEqualTo(other.traceHash());
    }
}
