package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the loop waits for, what wakes it, and what it looks at before it answers or goes on. */
final class LoopWaitsTest extends SteppedStore {

    /** Else it would be closed, and the directory somebody else's, while a file is written. */
    @Test
    void storeIsNotQuietWhileASpareIsMadeOrTheDiskLookedAt() {
        Calendar calendar = open(store);
        scheduleAndAnswer(calendar);
        nowNanos += MS;
        turn(calendar);
        calendar.work(100);
        assertThat(background).as("a spare").hasSize(1);
        assertThat(calendar.isQuiet()).isFalse();
        runBackground();
        assertThat(calendar.isQuiet()).isTrue();
        nowNanos += 1_000 * MS;
        calendar.work(100);
        assertThat(background).as("a look").hasSize(1);
        assertThat(calendar.isQuiet()).isFalse();
        runBackground();
        assertThat(calendar.isQuiet()).isTrue();
    }

    /** What it knows may not be true any more: somebody may have taken over while it stood still. */
    @Test
    void ownerThatWasStoppedAnswersNothingBeforeItHasLookedForItsMark() throws IOException {
        Calendar calendar = open(store);
        scheduleAndAnswer(calendar);
        Files.delete(disk.path("/data/OWNER-00000001"));
        nowNanos += 51 * MS;
        List<List<TimerView>> found = new ArrayList<>();
        List<StoreException> failures = new ArrayList<>();
        calendar.find(new TimerKey("q", "k0"), new Answer<>() {
            @Override
            public void accept(List<TimerView> result) {
                found.add(result);
            }

            @Override
            public void fail(StoreException failure) {
                failures.add(failure);
            }
        });
        assertThatThrownBy(() -> calendar.work(100)).isInstanceOf(StoreFailedException.class);
        assertThat(found).isEmpty();
        assertThat(failures).hasSize(1);
    }

    /** It is found by its path; the copy would have the log of an owner who never was there. */
    @Test
    void nextSegmentIsNotBegunInACopyOfTheDirectory() throws IOException {
        Calendar calendar = open(store);
        scheduleAndAnswer(calendar);
        Path data = disk.path("/data");
        Path moved = Files.move(data, disk.path("/moved"));
        try (Stream<Path> paths = Files.walk(moved)) {
            for (Path path : paths.toList()) {
                Path copy = data.resolve(moved.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.write(copy, disk.visibleBytes(path));
                }
            }
        }
        List<String> segments = disk.visibleNames(data.resolve("commitlog"));
        schedule(calendar, 20_000);
        calendar.work(100);
        runLog();
        assertThatThrownBy(() -> calendar.work(100)).isInstanceOf(StoreFailedException.class);
        assertThat(disk.visibleNames(data.resolve("commitlog"))).isEqualTo(segments);
    }

    private void assertWakes(ArrayDeque<Runnable> executor) {
        assertThat(executor).hasSize(1);
        int before = wakes;
        executor.remove().run();
        assertThat(wakes).isEqualTo(before + 1);
    }

    /** Else it would sleep for up to half a second more. */
    @Test
    void loopIsWokenByWhatItWaitsFor() {
        Calendar calendar = open(store.withCheckpointBytes(4_096));
        schedule(calendar, 10);
        calendar.work(100);
        assertWakes(log);
        calendar.work(100);
        assertThat(answers).hasSize(1);
        // A spare, which a close waits for.
        assertWakes(background);
        nowNanos += 1_000 * MS;
        calendar.work(100);
        log.clear();
        // Whether there is room on the disk.
        assertWakes(background);
    }

    @Test
    void loopIsWokenByACheckpoint() {
        Calendar calendar = open(store.withCheckpointBytes(4_096));
        scheduleAndAnswer(calendar);
        runBackground();
        for (int i = 0; CalendarView.checkpoint(calendar) == null; i++) {
            assertThat(i).isLessThan(100);
            runBackground();
            scheduleAndAnswer(calendar);
        }
        assertWakes(background);
    }

    /** Its runs were written, and nobody has taken note of it. */
    @Test
    void closeLeavesNoRunOpenOfACheckpointThatItGivesUp() {
        Calendar calendar = open(store.withCheckpointBytes(4_096));
        while (CalendarView.checkpoint(calendar) == null) {
            scheduleAndAnswer(calendar);
            if (CalendarView.checkpoint(calendar) == null) {
                runBackground();
            }
        }
        runBackground();
        assertThat(disk.openChannels()).anyMatch(open -> open.path().toString().endsWith(DataDirectory.RUN_SUFFIX));
        int timers = answers.size();
        calendar.close();
        assertThat(disk.openChannels()).isEmpty();
        assertThat(open(store).liveCount()).isEqualTo(timers);
    }

    @Test
    void loadThatHasTooMuchToLookAtHasTheLoopComeBack() {
        List<PendingTimer> loaded = new ArrayList<>();
        Calendar calendar = open(store.withTurnTimers(1), new RoomyListener() {
            @Override
            public void loaded(PendingTimer timer) {
                loaded.add(timer);
            }
        });
        for (int i = 0; i < 10; i++) {
            scheduleAndAnswer(calendar);
        }
        int before = wakes;
        int calls = 0;
        while (!calendar.load(10_000, 10_000, 100)) {
            assertThat(wakes).isEqualTo(before + ++calls);
            assertThat(calls).isLessThan(100);
        }
        assertThat(calls).isPositive();
        assertThat(loaded).hasSize(10);
    }

    @Test
    void noMoreIsTakenWhenTheMemtableHasGrownWhileTheOneBeforeIsWritten() {
        Calendar calendar = open(store.withCheckpointBytes(4_096));
        int taken = 0;
        while (calendar.hasRoom()) {
            scheduleAndAnswer(calendar);
            assertThat(++taken).as("timers").isLessThan(1_000);
        }
        assertThat(taken).isGreaterThan(4 * 4_096 / 100);
        runBackground();
        turn(calendar);
        runBackground();
        turn(calendar);
        assertThat(calendar.hasRoom()).isTrue();
    }
}
