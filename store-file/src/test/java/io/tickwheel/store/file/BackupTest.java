package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.tools.BackupList;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedCrash;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BackupTest {

    private static final int TIMERS = 200;

    /** Copies of a store that is written, and commands between one and the next. */
    private static final int ALL_ROUNDS = 12;

    private static final int ROUND = 300;

    @TempDir
    private Path temp;

    /** Schedules and cancels one timer after the other, and knows how many commands were answered. */
    private static final class Writer {

        private final Tickwheel timers;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final Semaphore answers = new Semaphore(0);
        private volatile int answered;
        private volatile boolean stop;

        Writer(Tickwheel timers) {
            this.timers = timers;
        }

        /** Command n schedules timer n; of ten timers the first is then cancelled, which is a command of its own. */
        void next(int number) {
            answered = number;
            if (stop) {
                ended.complete(null);
                return;
            }
            var command = number % 10 == 9
                    ? timers.cancel("q", "k" + (number - 9))
                    : timers.schedule("q", "k" + number, Duration.ofHours(1 + number % 3_000), new byte[100]);
            var unused = command.whenComplete((answer, failure) -> {
                if (failure != null) {
                    ended.completeExceptionally(failure);
                    answers.release(ALL_ROUNDS * ROUND);
                } else {
                    next(number + 1);
                    answers.release();
                }
            });
        }

        /** Waits for that many answers more, or for a failure. */
        void await(int more) {
            answers.acquireUninterruptibly(more);
        }
    }

    private static FileTimerStore store(Path directory) {
        return FileTimerStore.in(directory).withSegmentBytes(4_096).withCheckpointBytes(8_192);
    }

    @Test
    void backupOfAStoreThatIsWrittenHasAllThatWasAcceptedBeforeAndAFirstPartOfTheRest() {
        Path data = temp.resolve("data");
        List<Integer> before = new ArrayList<>();
        List<Integer> after = new ArrayList<>();
        try (Tickwheel timers = Tickwheel.open(store(data))) {
            Writer writer = new Writer(timers);
            writer.next(0);
            for (int i = 0; i < ALL_ROUNDS; i++) {
                writer.await(ROUND);
                before.add(writer.answered);
                StoreBackup made = StoreDirectory.at(data).backUpTo(temp.resolve("copy" + i));
                after.add(writer.answered + 1);
                assertThat(made.files()).isGreaterThan(1);
            }
            writer.stop = true;
            writer.ended.join();
        }
        for (int i = 0; i < before.size(); i++) {
            Path restored = temp.resolve("restored" + i);
            StoreDirectory.at(restored).restoreFrom(temp.resolve("copy" + i));
            assertThat(StoreDirectory.at(restored).verify().damages()).isEmpty();
            check(restored, before.get(i), after.get(i));
        }
    }

    /** Some number of commands between the two took effect, in their order, and nothing else. */
    private static void check(Path directory, int atLeast, int atMost) {
        try (Tickwheel timers = Tickwheel.open(store(directory))) {
            int commands = 0;
            boolean ended = false;
            for (int number = 0; number <= atMost + 10; number++) {
                boolean done;
                if (number % 10 == 9) {
                    done = state(timers, number - 9) == TimerState.CANCELLED;
                } else {
                    done = state(timers, number) != null;
                }
                assertThat(ended && done).as("%s after a gap", number).isFalse();
                ended |= !done;
                commands += done ? 1 : 0;
            }
            assertThat(commands).isBetween(atLeast, atMost);
        }
    }

    private static TimerState state(Tickwheel timers, int number) {
        return timers.find("q", "k" + number).join().map(view -> view.state()).orElse(null);
    }

    private Path small() {
        Path data = temp.resolve("data");
        try (Tickwheel timers = Tickwheel.open(store(data))) {
            for (int i = 0; i < 200; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1), new byte[100])
                        .join();
            }
        }
        Path copy = temp.resolve("copy");
        StoreDirectory.at(data).backUpTo(copy);
        return copy;
    }

    /** After the answer: nothing of a backup, nor of what was restored from one, waits for a sync. */
    @ParameterizedTest
    @EnumSource
    void aLossOfPowerTakesNothingOfABackupNorOfWhatWasRestored(CrashKind kind) {
        for (int seed = 1; seed <= 12; seed++) {
            loseAfterBackup(kind, new SimulatedDisk(seed));
        }
    }

    /** At each of its operations, by one kind of crash or the next: what was restored up to there is no store, and no less than all is taken for one. */
    @ParameterizedTest
    @EnumSource
    void restoreThatIsCutOffLeavesNothingThatOpens(CrashKind kind) throws IOException {
        int refused = 0;
        boolean isCut = true;
        List<CrashKind> kinds = List.of(CrashKind.values());
        for (int operation = kinds.indexOf(kind); isCut; operation += kinds.size()) {
            SimulatedDisk disk = new SimulatedDisk(operation);
            Path target = disk.path("/restored");
            closeAStore(disk);
            StoreDirectory.at(disk.path("/data")).backUpTo(disk.path("/copy"));
            disk.crashAfter(operation, kind);
            try {
                StoreDirectory.at(target).restoreFrom(disk.path("/copy"));
                isCut = false;
                disk.crash(kind);
            } catch (SimulatedCrash crash) {
                disk.restart();
            }
            boolean hasBegun = !disk.visibleNames(target).isEmpty();
            try {
                PlainStore restored = new PlainStore(store(target));
                restored.settle();
                assertThat(restored.calendar.liveCount())
                        .as("after %d operations", operation)
                        .isEqualTo(hasBegun ? TIMERS : 0);
            } catch (StoreCorruptedException e) {
                assertThat(isCut).as("refused: %s", e.getMessage()).isTrue();
                assertThat(e).hasMessageContaining("RESTORING").hasMessageContaining("restore again");
                assertThatThrownBy(() -> StoreDirectory.at(target).salvage()).hasMessage(e.getMessage());
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(3);
    }

    private static void loseAfterBackup(CrashKind kind, SimulatedDisk disk) {
        closeAStore(disk);
        StoreBackup made = StoreDirectory.at(disk.path("/data")).backUpTo(disk.path("/copy"));
        disk.crash(kind);
        assertThat(StoreDirectory.at(disk.path("/restored")).restoreFrom(disk.path("/copy")))
                .isEqualTo(made);
        disk.crash(kind);
        assertThat(StoreDirectory.at(disk.path("/restored")).verify().damages()).isEmpty();
        PlainStore restored = new PlainStore(store(disk.path("/restored")));
        restored.settle();
        assertThat(restored.calendar.liveCount()).isEqualTo(TIMERS);
    }

    private static void closeAStore(SimulatedDisk disk) {
        PlainStore store = new PlainStore(store(disk.path("/data")));
        List<Scheduled> answers = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            store.calendar.schedule(
                    new ScheduleCommand(new TimerKey("q", "k" + i), i * 60_000L, new byte[100], OnConflict.FAIL, 0),
                    PlainStore.into(answers));
            store.settle();
        }
        assertThat(answers).hasSize(TIMERS);
        store.calendar.close();
    }

    @Test
    void damagedOrIncompleteBackupIsRefusedAndNothingIsCopied() throws IOException {
        Path copy = small();
        Map<String, BackupList.Entry> files = BackupList.read(copy).files();
        assertThat(files.keySet()).anyMatch(name -> name.endsWith(".run")).anyMatch(name -> name.endsWith(".log"));
        Path target = temp.resolve("target");
        List<String> all = new ArrayList<>(files.keySet());
        all.add(DataDirectory.BACKUP);
        for (String name : all) {
            Path file = copy.resolve(name);
            byte[] bytes = Files.readAllBytes(file);
            byte[] damaged = bytes.clone();
            damaged[bytes.length / 2] ^= 4;
            Files.write(file, damaged);
            assertThatThrownBy(() -> StoreDirectory.at(target).restoreFrom(copy))
                    .as(name)
                    .isInstanceOf(StoreCorruptedException.class)
                    .hasMessageContaining(name);
            Files.delete(file);
            assertThatThrownBy(() -> StoreDirectory.at(target).restoreFrom(copy))
                    .as(name)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(name);
            Files.write(file, bytes);
        }
        assertThat(target).doesNotExist();
        StoreDirectory.at(target).restoreFrom(copy);
        assertThat(StoreDirectory.at(target).verify().damages()).isEmpty();
    }

    @Test
    void targetMustBeEmpty() throws IOException {
        Path copy = small();
        Path data = temp.resolve("data");
        assertThatThrownBy(() -> StoreDirectory.at(data).backUpTo(copy)).hasMessageContaining("not empty");
        assertThatThrownBy(() -> StoreDirectory.at(data).restoreFrom(copy)).hasMessageContaining("not empty");
        Path none = Files.createDirectory(temp.resolve("none"));
        assertThatThrownBy(() -> StoreDirectory.at(none).backUpTo(temp.resolve("other")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("no store");
        assertThat(temp.resolve("other")).doesNotExist();
    }

    @Test
    void aBackupIsNotOpenedAndCanBeRestoredAfterTheAttempt() throws IOException {
        Path copy = small();
        assertThatThrownBy(() -> Tickwheel.open(store(copy)).close())
                .isInstanceOf(StoreException.class)
                .hasMessage(copy
                        + " is a backup, as its file BACKUP says: restore it to a new directory, and use that one");
        assertThatThrownBy(() -> StoreDirectory.at(copy).salvage())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(copy + " is a backup");
        Path restored = temp.resolve("restored");
        StoreDirectory.at(restored).restoreFrom(copy);
        try (Tickwheel timers = Tickwheel.open(store(restored))) {
            assertThat(timers.liveCount()).isEqualTo(200);
        }
    }

    @Test
    void damagedStoreIsNotBackedUp() {
        StoreImage image = StoreImage.killed();
        String run = image.files().keySet().stream()
                .filter(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                .findFirst()
                .orElseThrow();
        SimulatedStore store = StoreImage.restore(image.files());
        StoreDirectory.at(store.directory()).backUpTo(store.disk.path("/copy"));
        assertThat(StoreImage.same(StoreImage.read(store), image.files())).isTrue();
        byte[] damaged = image.files().get(run).clone();
        damaged[4_100] ^= 1;
        SimulatedStore other = StoreImage.restore(image.with(run, damaged));
        assertThatThrownBy(() -> StoreDirectory.at(other.directory()).backUpTo(other.disk.path("/copy")))
                .isInstanceOf(StoreCorruptedException.class)
                .hasMessageContaining(run);
        assertThat(other.disk.openChannels()).isEmpty();
    }
}
