package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DirectoryCall;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedCrash;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Openings on systems, and by threads, that are not as everywhere. */
class OpeningTest {

    @TempDir
    private Path temp;

    private static FileTimerStore small(Path directory) {
        return FileTimerStore.in(directory).withSegmentBytes(4_096).withCheckpointBytes(8_192);
    }

    private static void fill(Path directory) {
        try (Tickwheel timers = Tickwheel.open(small(directory))) {
            for (int i = 0; i < 200; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(i), new byte[100])
                        .join();
            }
        }
    }

    @Test
    void filesAndDirectoriesAreForTheirOwnerOnly() throws IOException {
        Path data = temp.resolve("missing/data");
        fill(data);
        StoreDirectory.at(data).backUpTo(temp.resolve("copy"));
        StoreDirectory.at(temp.resolve("restored")).restoreFrom(temp.resolve("copy"));
        damageARun(data);
        assertThat(StoreDirectory.at(data).salvage().quarantine()).isNotNull();
        TreeMap<String, String> open = new TreeMap<>();
        int files = 0;
        for (Path path : all(temp)) {
            String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
            files++;
            if (!path.equals(temp) && !rights.equals(Files.isDirectory(path) ? "rwx------" : "rw-------")) {
                open.put(temp.relativize(path).toString(), rights);
            }
        }
        assertThat(open).isEmpty();
        assertThat(files).isGreaterThan(30);
    }

    @Test
    void directoryThatIsThereKeepsItsRights() throws IOException {
        Path data = Files.createDirectory(temp.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));
        fill(data);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwxr-x---");
    }

    /** One that counts: a checkpoint that the close cut short leaves some that do not. */
    private static void damageARun(Path data) throws IOException {
        for (Path run : all(data)) {
            if (run.toString().endsWith(DataDirectory.RUN_SUFFIX)) {
                byte[] sound = Files.readAllBytes(run);
                byte[] damaged = sound.clone();
                damaged[50] ^= 1;
                Files.write(run, damaged);
                if (!StoreDirectory.at(data).verify().damages().isEmpty()) {
                    return;
                }
                Files.write(run, sound);
            }
        }
        throw new AssertionError("there is no run that counts");
    }

    private static java.util.List<Path> all(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.toList();
        }
    }

    /** Whoever made it may have died before its name was durable. */
    @Test
    void nameOfADirectoryThatIsThereIsDurableBeforeAnythingIsAccepted() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            SimulatedDisk disk = new SimulatedDisk(seed);
            Path data = Files.createDirectory(disk.path("/data"));
            scheduleOneIn(data);
            disk.crash(CrashKind.POWER_LOSS_MINIMAL);
            assertThat(new PlainStore(small(data)).calendar.liveCount())
                    .as("seed %d", seed)
                    .isEqualTo(1);
        }
    }

    @Test
    void namesOfAllDirectoriesThatWereMadeAreDurableBeforeAnythingIsAccepted() {
        for (int seed = 0; seed < 20; seed++) {
            SimulatedDisk disk = new SimulatedDisk(seed);
            Path data = disk.path("/made/for/data");
            scheduleOneIn(data);
            disk.crash(CrashKind.POWER_LOSS_MINIMAL);
            assertThat(new PlainStore(small(data)).calendar.liveCount())
                    .as("seed %d", seed)
                    .isEqualTo(1);
        }
    }

    private static void scheduleOneIn(Path data) {
        PlainStore store = new PlainStore(small(data));
        store.calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "k"), 5_000, new byte[10], OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
        store.settle();
    }

    /** What it writes anew counts from some operation on, and before that what was there. */
    @Test
    void openingThatLosesPowerAnywhereLosesNothing() {
        int crashes = 0;
        for (int seed = 0; seed < 10; seed++) {
            boolean isOpened = false;
            for (int operation = 0; !isOpened; operation++) {
                SimulatedDisk disk = new SimulatedDisk(seed);
                Path data = disk.path("/data");
                scheduleOneIn(data);
                disk.crash(CrashKind.POWER_LOSS);
                disk.crashAfter(operation, CrashKind.POWER_LOSS_MINIMAL);
                try {
                    isOpened = new PlainStore(small(data)).calendar.liveCount() == 1 && !disk.crashed();
                } catch (SimulatedCrash crash) {
                    crashes++;
                }
                if (!isOpened) {
                    disk.restart();
                    assertThat(new PlainStore(small(data)).calendar.liveCount())
                            .as("seed %d, after %d operations", seed, operation)
                            .isEqualTo(1);
                }
            }
        }
        assertThat(crashes).isGreaterThan(100);
    }

    /** As on Windows, where names are durable without it. */
    @Test
    void systemThatOpensNoDirectoryKeepsAStore() {
        SimulatedStore store = new SimulatedStore(1, UnaryOperator.identity(), 9_000);
        store.disk.actAsWindows();
        Workload workload = new Workload(store);
        for (int life = 0; life < 4; life++) {
            workload.openAndCheck();
            for (int i = 0; i < 60; i++) {
                workload.schedule(i % Workload.KEYS, i, 300, OnConflict.REPLACE);
                store.settle();
            }
            if (life % 2 == 0) {
                store.close();
            } else {
                store.crash(CrashKind.PROCESS_KILL);
            }
        }
        workload.openAndCheck();
        StoreDirectory.at(store.directory()).backUpTo(store.disk.path("/copy"));
        assertThat(StoreDirectory.at(store.disk.path("/copy")).verify().damages())
                .isEmpty();
    }

    @Test
    void failedSyncOfADirectoryIsNeverTolerated() {
        for (int sync = 0; sync < 6; sync++) {
            SimulatedDisk disk = new SimulatedDisk(1);
            disk.failAfter(sync, DiskFault.JOURNAL_ERROR);
            assertThatThrownBy(() -> DataDirectory.open(disk.path("/new/data")))
                    .as("sync %d", sync)
                    .isInstanceOf(IOException.class);
            assertThat(disk.openChannels()).as("sync %d", sync).isEmpty();
        }
    }

    /** The mark of who was killed before it, too. */
    @Test
    void openingThatIsRefusedLeavesTheDirectoryAsItWas() {
        StoreImage image = StoreImage.killed();
        TreeMap<String, byte[]> files = new TreeMap<>(image.files());
        assertThat(files).containsKey("OWNER-00000002");
        files.replaceAll((name, bytes) -> name.endsWith(DataDirectory.PROGRESS_SUFFIX) ? new byte[1] : bytes);
        SimulatedStore store = StoreImage.restore(files);
        Workload workload = new Workload(store, image.ledger());
        assertThatThrownBy(workload::openAndCheck).isInstanceOf(StoreCorruptedException.class);
        assertThat(StoreImage.same(StoreImage.read(store), files)).isTrue();
        assertThat(store.disk.openChannels()).isEmpty();
    }

    /** Not just that something could not be read: somebody must know which disk, and which file, to look at. */
    @Test
    void fileThatCannotBeReadAtAnOpeningIsNamed() {
        StoreImage image = StoreImage.killed();
        int failures = 0;
        boolean isOpened = false;
        for (int read = 0; !isOpened; read++) {
            SimulatedStore store = StoreImage.restore(image.files());
            store.disk.failAfter(read, DiskFault.READ_ERROR);
            try {
                store.open(new RoomyListener() {});
                isOpened = store.disk.trace().stream().noneMatch(line -> line.contains("READ_ERROR"));
            } catch (StoreException e) {
                assertThat(e).as("read %d", read).hasMessageMatching("I/O error: (reading )?/data.*Input/output error");
                failures++;
            }
        }
        assertThat(failures).isGreaterThan(20);
    }

    /** A clock that breaks stands for whatever may go wrong when runs, log and saved keys are open already. */
    @Test
    void openingThatFailsLeavesNoFileOpen() {
        StoreImage image = StoreImage.closed();
        int failures = 0;
        for (boolean isOpened = false; !isOpened; ) {
            SimulatedStore store = StoreImage.restore(image.files());
            AtomicInteger looks = new AtomicInteger(failures);
            LongSupplier breaking = () -> {
                if (looks.getAndDecrement() == 0) {
                    throw new IllegalStateException("the clock broke");
                }
                return 0;
            };
            StoreContext context =
                    new StoreContext(Runnable::run, Runnable::run, () -> {}, () -> 1, breaking, nanos -> {});
            try {
                FileTimerStore.in(store.directory()).open(context, new RoomyListener() {});
                isOpened = true;
                assertThat(store.disk.openChannels())
                        .extracting(open -> open.path().toString())
                        .anyMatch(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                        .anyMatch(name -> name.endsWith(SegmentName.SUFFIX))
                        .anyMatch(name -> name.endsWith(DataDirectory.KEYS_SUFFIX));
            } catch (IllegalStateException broken) {
                assertThat(store.disk.openChannels())
                        .as("after %d looks", failures)
                        .isEmpty();
                failures++;
            }
        }
        assertThat(failures).isPositive();
    }

    /** The log is read when the runs are open. */
    @Test
    void openingThatIsRefusedForItsLogLeavesNoRunOpen() {
        StoreImage image = StoreImage.killed();
        TreeMap<String, byte[]> files = new TreeMap<>(image.files());
        String oldest = files.keySet().stream()
                .filter(name -> name.endsWith(SegmentName.SUFFIX))
                .findFirst()
                .orElseThrow();
        files.put(oldest, new byte[files.get(oldest).length]);
        SimulatedStore store = StoreImage.restore(files);
        assertThatThrownBy(() -> store.open(new RoomyListener() {}))
                .isInstanceOf(StoreCorruptedException.class)
                .hasMessageContaining(SegmentName.SUFFIX);
        assertThat(store.disk.openChannels()).isEmpty();
    }

    @Test
    void interruptedThreadIsToldSoAndChangesNothing() throws Exception {
        fill(temp.resolve("data"));
        Path data = temp.resolve("data");
        StoreDirectory directory = StoreDirectory.at(data);
        String before = all(data).toString();
        Callable<?>[] calls = {
            () -> Tickwheel.open(small(data)),
            directory::inspect,
            directory::verify,
            directory::salvage,
            () -> directory.export(timer -> {}),
            () -> directory.backUpTo(temp.resolve("copy")),
            () -> StoreDirectory.at(temp.resolve("new")).restoreFrom(data)
        };
        for (Callable<?> call : calls) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(call::call)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("thread was interrupted before anything was done");
            } finally {
                assertThat(Thread.interrupted()).as("still interrupted").isTrue();
            }
        }
        assertThat(all(data).toString()).isEqualTo(before);
        assertThat(temp.resolve("copy")).doesNotExist();
        Tickwheel.open(small(data)).close();
    }

    @Test
    void interruptInTheMiddleIsNotTakenForAnIoError() {
        assertThatThrownBy(() -> DirectoryCall.run(temp, () -> {
                    throw new ClosedByInterruptException();
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("thread was interrupted at its work in " + temp);
    }
}
