package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store on a disk of a few kilobytes, which somebody else fills and empties. */
@Tag("simulated")
class DiskFullTest {

    private static final long CONTENT_BYTES = 200;
    private static final long PLENTY = 1 << 20;

    /** One operation in so many is crashed in: each of them in the long form. */
    private static final int STRIDE = Math.max(1, Integer.getInteger("tickwheel.stride", 1) / 5);

    /** So many turns of the loop are several seconds on the clock of the store. */
    private static final int SECONDS = 30_000;

    private SimulatedStore store = newStore(1);
    private Workload workload = new Workload(store);

    private static SimulatedStore newStore(long seed) {
        return new SimulatedStore(seed, path -> path, 16_384);
    }

    /** What others leave to the store. */
    private void leave(long bytes) {
        store.disk.capacityBytes(store.disk.usedBytes() + bytes);
    }

    /** What was deleted would be there again after a power loss, in a place that is not there any more. */
    private void keepDeletedWhatIs() throws IOException {
        DurableFiles.sync(store.directory().resolve("commitlog"));
        DurableFiles.sync(store.directory().resolve("schedulelog"));
    }

    /** Schedules until that is refused. */
    private void fillUp() {
        int before = workload.refused();
        for (int i = 0; workload.refused() == before; i++) {
            assertThat(i).as("schedules taken").isLessThan(1_000);
            workload.schedule(i % Workload.KEYS, i, (int) CONTENT_BYTES, OnConflict.REPLACE);
            store.settle();
        }
    }

    private void assertTaken(int key) {
        int before = workload.refused();
        workload.schedule(key, 5, (int) CONTENT_BYTES, OnConflict.REPLACE);
        store.settle();
        assertThat(workload.refused()).as("refused").isEqualTo(before);
    }

    private void assertRefused(int key) {
        int before = workload.refused();
        workload.schedule(key, 5, (int) CONTENT_BYTES, OnConflict.REPLACE);
        // Any other call decides what was scheduled.
        store.calendar().loadedTo();
        assertThat(workload.refused()).as("refused").isEqualTo(before + 1);
    }

    /** Some seconds without a command. */
    private void pass() {
        for (int turn = 0; turn < SECONDS; turn++) {
            store.step();
        }
        store.settle();
    }

    /** Cancels, claims, retries, finishes and finds, each answered as ever. */
    private void useExistingTimers(int turns) {
        int answered = workload.answered();
        for (int i = 0; i < turns; i++) {
            workload.load(20 * CanonicalScript.HOUR_MS);
            workload.claimAny();
            store.settle();
            workload.endAnyClaim(0);
            if (i % 3 == 0) {
                workload.cancel(i % Workload.KEYS);
            }
            workload.find(i % Workload.KEYS);
            store.settle();
        }
        assertThat(workload.unanswered()).isZero();
        assertThat(workload.answered()).isGreaterThan(answered + turns - 1);
    }

    private void assertNothingLost() {
        store.disk.capacityBytes(Long.MAX_VALUE);
        store.crash(CrashKind.POWER_LOSS);
        workload.openAndCheck();
        store.close();
        workload.openAndCheck();
    }

    @Test
    void fullDiskRefusesSchedulesAndNothingElseUntilThereIsRoomAgain() {
        workload.openAndCheck();
        leave(60_000);
        fillUp();
        assertRefused(1);
        useExistingTimers(60);
        leave(0);
        pass();
        assertRefused(2);
        useExistingTimers(4);
        leave(PLENTY);
        pass();
        assertTaken(1);
        useExistingTimers(60);
        assertNothingLost();
    }

    @Test
    void diskThatIsFullFromTheStartTakesNoScheduleAndTakesThemWhenItIsNot() {
        leave(20_000);
        workload.openAndCheck();
        assertRefused(0);
        workload.cancel(0);
        workload.find(0);
        store.settle();
        pass();
        assertRefused(0);
        leave(PLENTY);
        pass();
        assertTaken(0);
        assertNothingLost();
    }

    private void assertChangeRefused(int key, ChangeCommand.Change change) {
        int before = workload.refused();
        workload.change(key, change, 7, 0);
        assertThat(workload.refused()).as("refused: %s", change).isEqualTo(before + 1);
    }

    @Test
    void fullDiskRefusesWhatMakesATimerPendingAndTakesAPurge() {
        workload.openAndCheck();
        for (int key = 0; key < 3; key++) {
            assertTaken(key);
        }
        workload.load(CanonicalScript.HOUR_MS);
        workload.claimAny();
        workload.claimAny();
        store.settle();
        workload.buryAny();
        workload.buryAny();
        store.settle();
        leave(5_000);
        pass();
        for (int key = 0; key < 3; key++) {
            boolean isDead = workload.isDead(key);
            assertChangeRefused(key, isDead ? ChangeCommand.Change.REDRIVE : ChangeCommand.Change.RESCHEDULE);
        }
        int refused = workload.refused();
        workload.changeAny(ChangeCommand.Change.PURGE, 0, 0);
        workload.change(9, ChangeCommand.Change.RESCHEDULE, 7, 0);
        store.settle();
        assertThat(workload.refused()).isEqualTo(refused);
        assertThat(workload.unanswered()).isZero();
        leave(PLENTY);
        pass();
        workload.changeAny(ChangeCommand.Change.REDRIVE, 7, 0);
        workload.changeAny(ChangeCommand.Change.RESCHEDULE, 7, 0);
        store.settle();
        assertThat(workload.refused()).isEqualTo(refused);
        assertNothingLost();
    }

    @Test
    void planStaysClaimedForWhoseRunThereIsNoRoom() {
        int plan = 0;
        int planOfALiveRun = 1;
        workload.openAndCheck();
        assertTaken(plan);
        assertTaken(planOfALiveRun);
        assertTaken(planOfALiveRun + Workload.FIRST_RUN);
        workload.load(CanonicalScript.HOUR_MS);
        workload.claim(plan);
        workload.claim(planOfALiveRun);
        store.settle();
        leave(5_000);
        pass();
        assertThat(workload.spawn(plan, 7, false)).isFalse();
        assertThat(workload.spawn(plan, 7, false)).isFalse();
        assertThat(workload.spawn(planOfALiveRun, 7, false)).isTrue();
        assertThat(workload.spawn(plan, 7, true)).isTrue();
        store.settle();
        assertThat(workload.unanswered()).isZero();
        leave(PLENTY);
        pass();
        workload.claim(plan);
        store.settle();
        assertThat(workload.spawn(plan, 9, false)).isTrue();
        store.settle();
        assertNothingLost();
    }

    @Test
    void scheduleThatKeepsTheTimerIsAnsweredOnAFullDisk() {
        workload.openAndCheck();
        assertTaken(0);
        leave(5_000);
        pass();
        assertRefused(0);
        workload.schedule(0, 9, 10, OnConflict.KEEP);
        workload.schedule(0, 9, 10, OnConflict.FAIL);
        store.settle();
        assertThat(workload.unanswered()).isZero();
    }

    @Test
    void endsAndRetriesGoIntoTheSparesWhenNothingIsLeft() {
        workload.openAndCheck();
        fillWithRoom();
        leave(0);
        // Each turn takes some frames of 512 bytes: more in all than the segment that is under way.
        useExistingTimers(4);
        assertNothingLost();
    }

    /** It grows, unlike a spare: behind it there is no room for what proves where it ends. */
    @Test
    void logGoesOnBehindTheFirstSegmentOfAnOpening() {
        for (int life = 1; life < 4; life++) {
            workload.openAndCheck();
            assertTaken(life);
            store.rest();
            leave(0);
            workload.cancel(life);
            store.settle();
            assertThat(workload.unanswered()).isZero();
            assertNothingLost();
            store.close();
        }
    }

    /** So much that there are two spares. */
    private void fillWithRoom() {
        for (int i = 0; i < 60 || !hasTwoSpares(); i++) {
            assertThat(i).as("schedules").isLessThan(1_000);
            assertTaken(i % Workload.KEYS);
        }
    }

    private boolean hasTwoSpares() {
        return store.disk.visibleNames(store.directory().resolve("commitlog")).stream()
                        .filter(name -> name.matches("spare-\\w+-\\d"))
                        .count()
                == 2;
    }

    @Test
    void checkpointThatFindsNoRoomIsMadeWhenThereIsRoom() throws IOException {
        Set<String> full = new TreeSet<>();
        int failed = 0;
        for (int step = 0; step < 80; step++) {
            store = newStore(step);
            workload = new Workload(store);
            workload.openAndCheck();
            fillWithRoom();
            for (int i = 0; segments() < 5 + step % 3; i++) {
                assertTaken(i % Workload.KEYS);
            }
            leave(step % 4 == 0 ? 0 : 150L * step);
            try {
                for (int turn = 0; turn < 4; turn++) {
                    useExistingTimers(1);
                    store.disk.trace().stream()
                            .filter(operation -> operation.contains("schedulelog") && operation.endsWith("NO_SPACE"))
                            .map(operation -> operation.replaceAll(".*\\.(run|progress)\\.tmp.*", "$1"))
                            .forEach(full::add);
                }
                checkThatItGoesOn(step % 2 == 0);
            } catch (StoreFailedException noSpareLeft) {
                failed++;
                store.runOut();
                store.closeNow();
                assertNothingLost();
            }
        }
        assertThat(full).containsExactly("progress", "run");
        assertThat(failed).as("logs that used up their spares").isLessThan(20);
    }

    private void checkThatItGoesOn(boolean dies) throws IOException {
        long operations = store.disk.operations();
        pass();
        assertThat(store.disk.operations() - operations)
                .as("operations of some seconds without room")
                .isLessThan(200);
        leave(PLENTY);
        pass();
        if (dies) {
            // What has ended or was retried since the checkpoint was begun is in the log alone.
            store.crash(CrashKind.PROCESS_KILL);
            workload.openAndCheck();
        }
        for (int i = 0; i < 30; i++) {
            assertTaken(i % Workload.KEYS);
        }
        store.rest();
        assertThat(segments()).as("segments, when the log is trimmed").isLessThan(10);
        assertNothingLost();
    }

    private long segments() throws IOException {
        try (Stream<Path> files = Files.list(store.directory().resolve("commitlog"))) {
            return files.filter(file -> file.toString().endsWith(SegmentName.SUFFIX))
                    .count();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 500, 1_000, 5_000})
    void storeClosesOnAFullDisk(int bytes) {
        for (int life = 0; life < 3; life++) {
            workload.openAndCheck();
            fillWithRoom();
            leave(bytes);
            useExistingTimers(2);
            store.close();
            assertThat(store.disk.openChannels()).as("left open").isEmpty();
            store.disk.capacityBytes(Long.MAX_VALUE);
        }
        workload.openAndCheck();
    }

    @Test
    void logThatFindsNoRoomFailsTheStore() {
        workload.openAndCheck();
        fillWithRoom();
        leave(0);
        store.disk.failFrom(0, DiskFault.NO_SPACE);
        assertThatThrownBy(() -> useExistingTimers(10)).isInstanceOf(StoreFailedException.class);
        store.disk.heal();
        store.runOut();
        store.closeNow();
        assertNothingLost();
    }

    /** Each opening may crash too. */
    @ParameterizedTest
    @EnumSource
    void storeThatWasKilledOpensOnAFullDisk(CrashKind kind) throws IOException {
        for (int operation = 0; operation < 80; operation += STRIDE) {
            store = newStore(operation);
            workload = new Workload(store);
            workload.openAndCheck();
            fillWithRoom();
            keepDeletedWhatIs();
            leave(0);
            store.crash(CrashKind.PROCESS_KILL);
            store.crashAfter(operation, kind);
            try {
                workload.openAndCheck();
                useExistingTimers(2);
                store.disk.heal();
            } catch (SimulatedStore.Died died) {
                store.crash(kind);
                workload.openAndCheck();
                useExistingTimers(2);
            }
            assertRefused(0);
            assertNothingLost();
        }
    }

    /** What was written of it before the room ended is not in the way when a spare has made some. */
    @ParameterizedTest
    @ValueSource(ints = {0, 512, 1_024, 2_048, 4_096})
    void storeThatWasClosedOpensWhereThereIsRoomForAPartOfTheEndOfItsLog(int bytes) {
        workload.openAndCheck();
        fillWithRoom();
        leave(0);
        store.close();
        leave(bytes);
        workload.openAndCheck();
        useExistingTimers(2);
        assertNothingLost();
    }

    /** The disk fills up at some time, and is emptied some time later; between and after that comes a crash. */
    @ParameterizedTest
    @EnumSource
    void everythingAnsweredIsThereAfterACrashInAnyOperationOnAFullDisk(CrashKind kind) {
        for (int order = 0; order < 3; order++) {
            long operation = 0;
            while (crashes(order, operation, kind)) {
                operation += STRIDE + operation / 60;
            }
            assertThat(operation).as("operations").isGreaterThan(40);
        }
    }

    /** Refused when there is neither room for the end of the log nor a spare. */
    private void reopen() {
        try {
            workload.openAndCheck();
        } catch (StoreException noRoom) {
            assertThat(noRoom).hasMessageContaining("No space left on device");
            leave(PLENTY);
            workload.openAndCheck();
        }
    }

    private boolean crashes(int order, long operation, CrashKind kind) {
        store = newStore(order);
        workload = new Workload(store);
        workload.openAndCheck();
        fillWithRoom();
        try {
            store.crashAfter(operation, kind);
            try {
                leave(14_000);
                useExistingTimers(10);
                assertRefused(0);
                leave(1_024);
                useExistingTimers(3);
                store.close();
                reopen();
                leave(PLENTY);
                useExistingTimers(10);
                store.crash(CrashKind.PROCESS_KILL);
                return false;
            } catch (SimulatedStore.Died died) {
                store.crash(kind);
            } catch (StoreFailedException noSpareLeft) {
                // The log itself found no room before the crash came: the one thing that stops the store.
                assertThat(noSpareLeft).hasMessageContaining("No space left on device");
                store.crash(kind);
                store.disk.capacityBytes(Long.MAX_VALUE);
                Recoveries.recoverAndGoOn(store, workload);
                return false;
            }
            store.disk.capacityBytes(Long.MAX_VALUE);
            Recoveries.recoverAndGoOn(store, workload);
            return true;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "crash " + kind + " in operation " + operation + ", order " + order + ": " + e.getMessage() + "\n"
                            + String.join("\n", store.disk.trace()),
                    e);
        }
    }
}
