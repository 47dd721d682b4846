package io.tickwheel.store.testkit;

import static io.tickwheel.store.testkit.CrashKind.POWER_LOSS;
import static io.tickwheel.store.testkit.CrashKind.POWER_LOSS_MINIMAL;
import static io.tickwheel.store.testkit.CrashKind.PROCESS_KILL;
import static io.tickwheel.store.testkit.DiskScript.append;
import static io.tickwheel.store.testkit.DiskScript.createFile;
import static io.tickwheel.store.testkit.DiskScript.names;
import static io.tickwheel.store.testkit.DiskScript.outcomes;
import static io.tickwheel.store.testkit.DiskScript.overwrite;
import static io.tickwheel.store.testkit.DiskScript.sectors;
import static io.tickwheel.store.testkit.DiskScript.syncAll;
import static io.tickwheel.store.testkit.DiskScript.syncData;
import static io.tickwheel.store.testkit.DiskScript.syncDirectory;
import static io.tickwheel.store.testkit.DiskScript.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What survives a crash, one rule a test. */
final class SimulatedDiskTest {
    @Test
    void processKillKeepsAllThatWasWritten() throws IOException {
        Set<String> seen =
                outcomes(PROCESS_KILL, disk -> createFile(disk.path("a"), "one"), disk -> text(disk.path("a")));

        assertThat(seen).containsExactly("one");
    }

    @Test
    void processKillSyncsNothing() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("a"), "one");
                    disk.crash(PROCESS_KILL);
                    syncDirectory(disk.root());
                },
                disk -> text(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("", "...", "one");
    }

    @ParameterizedTest
    @EnumSource
    void syncedBytesUnderSyncedNamesSurvive(CrashKind kind) throws IOException {
        Set<String> seen = outcomes(
                kind,
                disk -> {
                    createFile(disk.path("a"), "one");
                    syncData(disk.path("a"));
                    syncDirectory(disk.root());
                },
                disk -> text(disk.path("a")));

        assertThat(seen).containsExactly("one");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PROCESS_KILL")
    void unsyncedTailIsKeptLostZeroedOrTornAtSectors(CrashKind kind) throws IOException {
        Set<String> seen = outcomes(
                kind,
                disk -> {
                    createFile(disk.path("a"), "s".repeat(1024));
                    syncData(disk.path("a"));
                    syncDirectory(disk.root());
                    append(disk.path("a"), "u".repeat(1024));
                },
                disk -> sectors(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("ss", "ss..", "ssu", "ssu.", "ss.u", "ssuu");
    }

    @Test
    void unsyncedWritesSurviveIndependently() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("a"), "");
                    syncDirectory(disk.root());
                    append(disk.path("a"), "1");
                    append(disk.path("a"), "2");
                },
                disk -> text(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("", ".", "1", "..", "1.", ".2", "12");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PROCESS_KILL")
    void unsyncedOverwriteLeavesEachSectorOldOrNew(CrashKind kind) throws IOException {
        Set<String> seen = outcomes(
                kind,
                disk -> {
                    createFile(disk.path("a"), "\0".repeat(2048));
                    syncData(disk.path("a"));
                    syncDirectory(disk.root());
                    overwrite(disk.path("a"), 512, "n".repeat(1024));
                },
                disk -> sectors(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("....", ".n..", "..n.", ".nn.");
    }

    @Test
    void unsyncedTruncationMayBeUndone() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("a"), "long");
                    syncData(disk.path("a"));
                    syncDirectory(disk.root());
                    try (FileChannel channel = FileChannel.open(disk.path("a"), StandardOpenOption.WRITE)) {
                        channel.truncate(1);
                    }
                },
                disk -> text(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("long", "l");
    }

    @Test
    void syncOfDataDoesNotKeepTheName() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("a"), "one");
                    syncData(disk.path("a"));
                },
                disk -> text(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("absent", "one");
    }

    @Test
    void syncOfAFileKeepsItsNameUnlessOnlyPosixIsPromised() throws IOException {
        DiskScript.Script script = disk -> {
            createFile(disk.path("a"), "one");
            syncAll(disk.path("a"));
        };

        assertThat(outcomes(POWER_LOSS, script, disk -> text(disk.path("a")))).containsExactly("one");
        assertThat(outcomes(POWER_LOSS_MINIMAL, script, disk -> text(disk.path("a"))))
                .containsExactlyInAnyOrder("absent", "one");
    }

    @Test
    void syncOfADirectoryKeepsNoBytes() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("a"), "n".repeat(1024));
                    syncDirectory(disk.root());
                },
                disk -> sectors(disk.path("a")));

        assertThat(seen).containsExactlyInAnyOrder("", "..", "n", "n.", ".n", "nn");
    }

    @Test
    void syncOfADirectoryCommitsEarlierOperationsElsewhereUnlessOnlyPosixIsPromised() throws IOException {
        DiskScript.Script script = disk -> {
            Files.createDirectory(disk.path("d"));
            syncDirectory(disk.root());
            createFile(disk.path("d", "a"), "");
            syncDirectory(disk.root());
        };

        assertThat(outcomes(POWER_LOSS, script, disk -> names(disk.path("d")))).containsExactly("a");
        assertThat(outcomes(POWER_LOSS_MINIMAL, script, disk -> names(disk.path("d"))))
                .containsExactlyInAnyOrder("", "a");
    }

    @Test
    void unsyncedNamesSurviveAsAPrefixUnlessOnlyPosixIsPromised() throws IOException {
        DiskScript.Script script = disk -> {
            createFile(disk.path("a"), "");
            createFile(disk.path("b"), "");
            createFile(disk.path("c"), "");
        };

        assertThat(outcomes(POWER_LOSS, script, disk -> names(disk.root())))
                .containsExactlyInAnyOrder("", "a", "a b", "a b c");
        assertThat(outcomes(POWER_LOSS_MINIMAL, script, disk -> names(disk.root())))
                .containsExactlyInAnyOrder("", "a", "b", "c", "a b", "a c", "b c", "a b c");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PROCESS_KILL")
    void operationsOnOneNameKeepTheirOrder(CrashKind kind) throws IOException {
        Set<String> seen = outcomes(
                kind,
                disk -> {
                    createFile(disk.path("a"), "one");
                    syncData(disk.path("a"));
                    Files.move(disk.path("a"), disk.path("b"));
                    createFile(disk.path("a"), "two");
                    syncData(disk.path("a"));
                },
                disk -> text(disk.path("a")) + " " + text(disk.path("b")));

        assertThat(seen).containsExactlyInAnyOrder("absent absent", "one absent", "absent one", "two one");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "PROCESS_KILL")
    void unsyncedRenameHappensWhollyOrNotAtAll(CrashKind kind) throws IOException {
        Set<String> seen = outcomes(
                kind,
                disk -> {
                    createFile(disk.path("snap"), "old");
                    createFile(disk.path("tmp"), "new");
                    syncData(disk.path("snap"));
                    syncData(disk.path("tmp"));
                    syncDirectory(disk.root());
                    Files.move(disk.path("tmp"), disk.path("snap"), StandardCopyOption.ATOMIC_MOVE);
                },
                disk -> text(disk.path("tmp")) + " " + text(disk.path("snap")));

        assertThat(seen).containsExactlyInAnyOrder("new old", "absent new");
    }

    @Test
    void renameSyncsNoBytesAndDoesNotBringBackTheOldOnes() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS,
                disk -> {
                    createFile(disk.path("snap"), "old");
                    syncData(disk.path("snap"));
                    createFile(disk.path("tmp"), "new");
                    Files.move(disk.path("tmp"), disk.path("snap"), StandardCopyOption.ATOMIC_MOVE);
                    syncDirectory(disk.root());
                },
                disk -> text(disk.path("snap")));

        assertThat(seen).containsExactlyInAnyOrder("", "...", "new");
    }

    @Test
    void renameBetweenDirectoriesNeedsBothSyncedWhenOnlyPosixIsPromised() throws IOException {
        DiskScript.Script script = disk -> {
            Files.createDirectory(disk.path("d"));
            createFile(disk.path("a"), "");
            syncDirectory(disk.root());
            Files.move(disk.path("a"), disk.path("d", "a"));
            syncDirectory(disk.path("d"));
        };
        DiskScript.Reading<String> reading = disk -> names(disk.root()) + "/" + names(disk.path("d"));

        assertThat(outcomes(POWER_LOSS, script, reading)).containsExactly("d/a");
        assertThat(outcomes(POWER_LOSS_MINIMAL, script, reading)).containsExactlyInAnyOrder("a d/", "d/a");
    }

    @Test
    void unsyncedDeletionMayBeUndone() throws IOException {
        DiskScript.Script script = disk -> {
            createFile(disk.path("a"), "one");
            syncData(disk.path("a"));
            syncDirectory(disk.root());
            Files.delete(disk.path("a"));
        };

        assertThat(outcomes(POWER_LOSS, script, disk -> text(disk.path("a"))))
                .containsExactlyInAnyOrder("absent", "one");
        assertThat(outcomes(
                        POWER_LOSS,
                        disk -> {
                            script.play(disk);
                            syncDirectory(disk.root());
                        },
                        disk -> text(disk.path("a"))))
                .containsExactly("absent");
    }

    @Test
    void syncedNameIsLostWithItsUnsyncedDirectory() throws IOException {
        Set<String> seen = outcomes(
                POWER_LOSS_MINIMAL,
                disk -> {
                    Files.createDirectory(disk.path("d"));
                    createFile(disk.path("d", "a"), "");
                    syncDirectory(disk.path("d"));
                },
                disk -> text(disk.path("d", "a")));

        assertThat(seen).containsExactlyInAnyOrder("absent", "");
    }

    @Test
    void fileKeyTellsFilesApartAndLastsUntilACrash() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(1);
        createFile(disk.path("a"), "one");
        createFile(disk.path("b"), "one");
        Object key = key(disk, "a");
        Files.move(disk.path("a"), disk.path("c"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(key(disk, "c")).isEqualTo(key).isNotEqualTo(key(disk, "b"));
        SimulatedDisk other = new SimulatedDisk(1);
        createFile(other.path("a"), "one");
        assertThat(key(other, "a")).isNotEqualTo(key);
        disk.crash(PROCESS_KILL);
        assertThat(key(disk, "c")).isNotEqualTo(key);
    }

    private static Object key(SimulatedDisk disk, String name) throws IOException {
        return Files.readAttributes(disk.path(name), BasicFileAttributes.class).fileKey();
    }

    @Test
    void windowsOpensNoDirectoryAndHasNoFileKeys() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(1);
        disk.actAsWindows();
        createFile(disk.path("a"), "one");
        assertThatThrownBy(() -> syncDirectory(disk.root())).isInstanceOf(AccessDeniedException.class);
        assertThat(names(disk.root())).isEqualTo("a");
        assertThat(key(disk, "a")).isNull();
    }

    @Test
    void somethingElseCanHappenBeforeEachOperation() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(1);
        createFile(disk.path("a"), "one");
        int[] calls = new int[1];
        disk.beforeEach(() -> {
            if (calls[0]++ == 0) {
                assertThat(disk.path("a")).exists();
                disk.damage(disk.path("a"), new byte[7]);
            }
        });
        assertThat(Files.size(disk.path("a"))).isEqualTo(7);
        assertThat(calls[0]).isEqualTo(2);
        disk.beforeEach(null);
        assertThat(Files.size(disk.path("a"))).isEqualTo(7);
        assertThat(calls[0]).isEqualTo(2);
    }
}
