package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store forgets what it need not know, on the disk as in memory, and never before that is durable. */
class StoreGrowthTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private PlainStore store;

    @BeforeEach
    void open() {
        open(2);
    }

    private void open(int finishedRemembered) {
        store = new PlainStore(FileTimerStore.in(disk.path("/data"))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(8_192)
                .withFinishedRemembered(finishedRemembered));
        store.calendar.load(1_000, 1_000, 10);
    }

    private static TimerKey key(String key) {
        return new TimerKey("q", key);
    }

    private void schedule(String key) {
        store.calendar.schedule(
                new ScheduleCommand(key(key), 100, new byte[200], OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
    }

    private void cancel(String key) {
        store.calendar.cancel(key(key), PlainStore.into(new ArrayList<>()));
    }

    private List<TimerView> find(String key) {
        List<List<TimerView>> answers = new ArrayList<>();
        store.calendar.find(key(key), PlainStore.into(answers));
        store.settle();
        return answers.get(0);
    }

    private long bytesOnDisk() throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.walk(disk.path("/data"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += disk.visibleBytes(file).length;
            }
        }
        return bytes;
    }

    @Test
    void scheduleAndCancelWithoutEndTakesBoundedSpace() throws IOException {
        long most = 0;
        for (int i = 0; i < 4_000; i++) {
            schedule("k" + i);
            cancel("k" + i);
            store.settle();
            if (i % 50 == 0) {
                most = Math.max(most, bytesOnDisk());
            }
        }
        // A checkpoint's worth of log, the segment that it ends in, the segment being filled, two spares, and the
        // progress.
        assertThat(most).isBetween(4_096L, 8_192L + 5 * 4_096L);
        List<List<QueueCounts>> counts = new ArrayList<>();
        store.calendar.queues(PlainStore.into(counts));
        store.settle();
        assertThat(counts.get(0)).hasSize(1);
        store.calendar.close();
        assertThat(disk.openChannels()).isEmpty();
    }

    @Test
    void restartsLeaveAHandfulOfFiles() throws IOException {
        store.calendar.close();
        for (int restart = 0; restart < 240; restart++) {
            open(2);
            schedule("k" + restart % 7);
            schedule("l" + restart % 5);
            cancel("l" + restart % 5);
            for (int turn = 0; turn < 10; turn++) {
                // A checkpoint takes several.
                store.settle();
            }
            if (restart % 3 == 0) {
                disk.crash(restart % 2 == 0 ? CrashKind.POWER_LOSS : CrashKind.PROCESS_KILL);
            } else {
                store.calendar.close();
            }
        }
        open(2);
        store.settle();
        // The log since the last checkpoint, the segment that it ends in, and spares.
        assertThat(names("commitlog")).hasSizeBetween(1, 6);
        assertThat(names("schedulelog")).hasSizeLessThan(8);
        assertThat(names("keys")).hasSizeLessThan(2);
        // Two manifests, the marker, the mark, the lock and three directories.
        assertThat(names("")).hasSize(8);
        for (int key = 0; key < 7; key++) {
            assertThat(find("k" + key)).extracting(TimerView::state).containsExactly(TimerState.PENDING);
        }
        assertThat(store.calendar.liveCount()).isEqualTo(7);
    }

    private List<String> names(String directory) {
        return disk.visibleNames(disk.path("/data").resolve(directory));
    }

    @Test
    void closeLeavesOneProgress() throws IOException {
        schedule("pending");
        trim();
        trim();
        assertThat(progress()).hasSize(1);
        List<String> before = progress();
        store.calendar.close();
        assertThat(progress()).hasSize(1).doesNotContainAnyElementsOf(before);
    }

    @Test
    void idsAreNotUsedAgainWhenTheirTimersAreForgotten() throws IOException {
        List<Scheduled> scheduled = new ArrayList<>();
        for (int life = 0; life < 10; life++) {
            disk.crash(CrashKind.POWER_LOSS);
            open(0);
            List<String> before = progress();
            // The crash comes right after a checkpoint: neither it nor the log behind it knows any timer.
            while (progress().equals(before)) {
                store.calendar.schedule(
                        new ScheduleCommand(key("k"), 100, new byte[250], OnConflict.REPLACE, 0),
                        PlainStore.into(scheduled));
                cancel("k");
                store.settle();
            }
        }
        assertThat(scheduled)
                .hasSizeGreaterThan(50)
                .extracting(answer -> answer.timer().id())
                .doesNotHaveDuplicates();
    }

    private List<String> progress() throws IOException {
        try (Stream<Path> files = Files.list(disk.path("/data/schedulelog"))) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(DataDirectory.PROGRESS_SUFFIX))
                    .toList();
        }
    }

    @Test
    void lastFinishedTimersAreRememberedThroughACrashAndTheOthersForgotten() {
        for (String key : List.of("a", "b", "c", "d")) {
            schedule(key);
        }
        for (String key : List.of("d", "a", "c")) {
            cancel(key);
        }
        store.settle();
        for (int restart = 0; restart < 2; restart++) {
            assertThat(find("d")).isEmpty();
            assertThat(find("a")).extracting(TimerView::state).containsExactly(TimerState.CANCELLED);
            assertThat(find("b")).extracting(TimerView::state).containsExactly(TimerState.PENDING);
            assertThat(find("c")).extracting(TimerView::state).containsExactly(TimerState.CANCELLED);
            disk.crash(CrashKind.POWER_LOSS);
            open();
        }
    }

    @Test
    void timerIsShownAsForgottenOnlyWhenThatIsDurable() {
        for (String key : List.of("a", "b", "c")) {
            schedule(key);
        }
        cancel("a");
        cancel("b");
        store.settle();
        List<ClaimedTimer> claimed = new ArrayList<>();
        store.calendar.claim(store.loaded.get(0), claimed::add);
        store.calendar.finish(claimed.get(0).handle(), TimerState.COMPLETED);
        List<List<TimerView>> found = new ArrayList<>();
        List<Cancelled> cancelled = new ArrayList<>();
        store.calendar.find(key("a"), PlainStore.into(found));
        store.calendar.cancel(key("a"), PlainStore.into(cancelled));
        store.calendar.work(10);
        assertThat(found)
                .as("the end of c, for which a was forgotten, can still get lost")
                .isEmpty();
        assertThat(cancelled).isEmpty();
        store.settle();
        assertThat(found).containsExactly(List.of());
        assertThat(cancelled).extracting(Cancelled::outcome).containsExactly(Cancelled.Outcome.NOT_FOUND);
    }

    /** Brings what is pending to a run, so that an opening has something to look through. */
    private void trim() throws IOException {
        List<String> before = progress();
        for (int i = 0; progress().equals(before); i++) {
            schedule("filler" + i);
            cancel("filler" + i);
            store.settle();
        }
    }

    /** What is due in years must not keep the room of what has ended for so long. */
    @Test
    void runOfAFarTierThatHasHalfEndedIsWrittenAnew() throws IOException {
        long farMs = 1L << 40;
        for (int i = 0; i < 60; i++) {
            store.calendar.schedule(
                    new ScheduleCommand(key("far" + i), farMs, new byte[200], OnConflict.REPLACE, 0),
                    PlainStore.into(new ArrayList<>()));
        }
        trim();
        for (int i = 0; i < 40; i++) {
            cancel("far" + i);
        }
        for (int turn = 0; turn < 10; turn++) {
            // A checkpoint takes several.
            store.settle();
        }
        List<StoreInspection.Run> runs =
                StoreDirectory.at(disk.path("/data")).inspect().runs();
        assertThat(runs).isNotEmpty().allMatch(run -> run.present() == 20 && run.timers() == 20, "only what is left");
        assertThat(find("far59")).hasSize(1);
    }

    /** All of it ends within two days anyway. */
    @Test
    void runOfTheNearTierThatHasHalfEndedStaysAsItIs() throws IOException {
        for (int i = 0; i < 60; i++) {
            store.calendar.schedule(
                    new ScheduleCommand(key("near" + i), 3_600_000, new byte[200], OnConflict.REPLACE, 0),
                    PlainStore.into(new ArrayList<>()));
        }
        trim();
        for (int i = 0; i < 40; i++) {
            cancel("near" + i);
        }
        for (int turn = 0; turn < 10; turn++) {
            store.settle();
        }
        assertThat(StoreDirectory.at(disk.path("/data")).inspect().runs())
                .anyMatch(run -> run.tier().equals("NEAR") && run.timers() >= 60);
        assertThat(find("near59")).hasSize(1);
    }

    private boolean isIndexing() {
        return CalendarView.isIndexing(store.calendar);
    }

    @Test
    void timerThatFinishesWhileTheIndexIsFilledIsRememberedAsTheLast() throws IOException {
        for (String key : List.of("a", "b", "c")) {
            schedule(key);
        }
        trim();
        cancel("a");
        cancel("b");
        store.settle();
        disk.crash(CrashKind.POWER_LOSS);
        open();
        assertThat(isIndexing()).isTrue();
        assertThat(store.loaded).hasSize(1);
        store.calendar.claim(
                store.loaded.get(0), claimed -> store.calendar.finish(claimed.handle(), TimerState.COMPLETED));
        assertThat(isIndexing()).isTrue();
        store.settle();
        assertThat(find("a")).isEmpty();
        assertThat(find("b")).extracting(TimerView::state).containsExactly(TimerState.CANCELLED);
        assertThat(find("c")).extracting(TimerView::state).containsExactly(TimerState.COMPLETED);
        cancelNew("d");
        assertThat(find("b")).isEmpty();
        assertThat(find("c")).extracting(TimerView::state).containsExactly(TimerState.COMPLETED);
    }

    private void cancelNew(String key) {
        schedule(key);
        cancel(key);
    }

    @Test
    void keyThatCameBackAfterItWasForgottenIsRememberedAsItIsNow() throws IOException {
        schedule("pending");
        trim();
        cancelNew("a");
        cancelNew("k");
        cancelNew("k");
        assertThat(find("k")).extracting(TimerView::version).containsExactly(2L);
        // The first one may have begun before that.
        trimWithoutForgetting("k");
        trimWithoutForgetting("k");
        cancelNew("b");
        cancelNew("c");
        cancelNew("k");
        List<TimerView> now = find("k");
        assertThat(now).extracting(TimerView::version).containsExactly(1L);
        disk.crash(CrashKind.POWER_LOSS);
        open();
        store.settle();
        assertThat(find("k")).isEqualTo(now);
    }

    /** As {@link #trim}, by replaces alone: nothing finishes. */
    private void trimWithoutForgetting(String remembered) throws IOException {
        List<String> before = progress();
        while (progress().equals(before)) {
            schedule("pending");
            store.settle();
        }
        assertThat(find(remembered)).hasSize(1);
    }
}
