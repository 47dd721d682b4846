package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a store that has nothing but its log shows, counts and keeps, whole and with one record lost. */
class SalvagedLogTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path data = disk.path("/data");
    private final StoreDirectory directory = StoreDirectory.at(data);
    private final PlainStore store = open();

    private PlainStore open() {
        PlainStore opened =
                new PlainStore(FileTimerStore.in(data).withSegmentBytes(1 << 16).withCheckpointBytes(1 << 16));
        opened.settle();
        return opened;
    }

    private static TimerKey key(String key) {
        return new TimerKey("q", key);
    }

    private void schedule(String key, String content) {
        store.calendar.schedule(
                new ScheduleCommand(key(key), 100, content.getBytes(StandardCharsets.UTF_8), OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
        store.settle();
    }

    private PendingTimer claim(String key) {
        List<ClaimedTimer> granted = new ArrayList<>();
        store.calendar.load(10_000, 10_000, 100);
        store.calendar.claim(
                store.loaded.stream()
                        .filter(timer -> timer.key().equals(key(key)))
                        .findFirst()
                        .orElseThrow(),
                granted::add);
        store.settle();
        store.loaded.remove(granted.get(0).handle());
        return granted.get(0).handle();
    }

    private void cancel(String key) {
        store.calendar.cancel(key(key), PlainStore.into(new ArrayList<>()));
        store.settle();
    }

    private List<String> exported() {
        List<String> contents = new ArrayList<>();
        long count = directory.export(timer -> contents.add(new String(timer.content(), StandardCharsets.UTF_8)));
        assertThat(count).isEqualTo(contents.size());
        return contents;
    }

    private static TimerView find(PlainStore in, String key) {
        List<List<TimerView>> answers = new ArrayList<>();
        in.calendar.find(key(key), PlainStore.into(answers));
        in.settle();
        return answers.get(0).get(0);
    }

    private List<Path> segments(Path of) throws IOException {
        try (Stream<Path> files = Files.walk(of)) {
            return files.filter(file -> file.toString().endsWith(SegmentName.SUFFIX))
                    .toList();
        }
    }

    /** Changes one byte of a content, so that its record is lost. */
    private void lose(String content) throws IOException {
        int changed = 0;
        for (Path segment : segments(data)) {
            byte[] bytes = disk.visibleBytes(segment);
            int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(content);
            if (at >= 0) {
                bytes[at] ^= 1;
                disk.damage(segment, bytes);
                changed++;
            }
        }
        assertThat(changed).isOne();
    }

    /** What says that the first one is replaced is lost, and the third one replaces the second. */
    @Test
    void timerThatWasReplacedIsKeptOnceWhenThatIsLost() throws IOException {
        for (String content : List.of("first-of-three", "second-of-three", "third-of-three")) {
            schedule("k", content);
        }
        schedule("l", "other");
        disk.crash(CrashKind.PROCESS_KILL);
        assertThat(exported()).containsExactlyInAnyOrder("third-of-three", "other");
        lose("second-of-three");
        StoreSalvage done = directory.salvage();
        assertThat(done.damages()).hasSize(1);
        assertThat(done.kept()).isEqualTo(2);
        assertThat(exported()).containsExactlyInAnyOrder("third-of-three", "other");
        PlainStore again = open();
        again.calendar.load(10_000, 10_000, 100);
        again.settle();
        assertThat(again.loaded).extracting(PendingTimer::key).containsExactlyInAnyOrder(key("k"), key("l"));
    }

    @Test
    void lastAttemptOfACancelledTimerIsStillKnown() throws IOException {
        schedule("k", "cancelled");
        schedule("l", "to-be-lost");
        schedule("m", "kept");
        PendingTimer claimed = claim("k");
        cancel("k");
        store.calendar.finish(claimed, TimerState.COMPLETED, new PastAttempt(1, 1, 1, 1, 200, "HTTP 200", ""));
        store.settle();
        TimerView before = find(store, "k");
        assertThat(before.state()).isEqualTo(TimerState.COMPLETED);
        disk.crash(CrashKind.PROCESS_KILL);
        lose("to-be-lost");
        assertThat(directory.salvage().lost()).isOne();
        assertThat(find(open(), "k")).isEqualTo(before);
    }

    /** Schedules so much that what there is goes to a run, and the log before it. */
    private void trim() throws IOException {
        schedule("large-1", "x".repeat(40_000));
        schedule("large-2", "y".repeat(40_000));
        for (int turn = 0; turn < 10; turn++) {
            // A checkpoint takes several.
            store.settle();
        }
        assertThat(disk.visibleNames(data.resolve("schedulelog")))
                .anyMatch(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                .anyMatch(name -> name.endsWith(DataDirectory.PROGRESS_SUFFIX));
    }

    @Test
    void timerOfARunThatWasReplacedIsNotGivenBackWhenThatIsLost() throws IOException {
        schedule("k", "first-of-three");
        trim();
        schedule("k", "second-of-three");
        schedule("k", "third-of-three");
        schedule("l", "other");
        disk.crash(CrashKind.PROCESS_KILL);
        lose("second-of-three");
        assertThat(directory.salvage().kept()).isEqualTo(4);
        assertThat(exported())
                .filteredOn(content -> content.length() < 100)
                .containsExactlyInAnyOrder("third-of-three", "other");
    }

    /** Its key had a later one, which says so though it has ended. */
    @Test
    void timerOfARunIsNotGivenBackWhenTheOneThatWasCancelledHadReplacedOthers() throws IOException {
        schedule("k", "first-of-three");
        trim();
        schedule("k", "second-of-three");
        schedule("k", "third-of-three");
        cancel("k");
        schedule("l", "other");
        disk.crash(CrashKind.PROCESS_KILL);
        lose("second-of-three");
        assertThat(directory.salvage().kept()).isEqualTo(3);
        assertThat(exported()).filteredOn(content -> content.length() < 100).containsExactly("other");
    }

    @Test
    void deadTimersAreShownAndExportedAsDead() throws IOException {
        schedule("k", "given-up");
        schedule("l", "pending");
        store.calendar.finish(claim("k"), TimerState.DEAD);
        store.settle();
        trim();
        StoreInspection found = directory.inspect();
        long pending = found.runs().stream()
                .filter(run -> !run.tier().equals("DEAD"))
                .mapToLong(StoreInspection.Run::present)
                .sum();
        assertThat(pending).isPositive();
        assertThat(found.queues()).containsExactly(new StoreInspection.Queue("q", pending, 1));
        schedule("m", "given-up-later");
        store.calendar.finish(claim("m"), TimerState.DEAD);
        store.settle();
        disk.crash(CrashKind.PROCESS_KILL);
        Map<String, TimerState> states = new TreeMap<>();
        directory.export(
                timer -> states.put(timer.view().key().key(), timer.view().state()));
        assertThat(states)
                .containsEntry("k", TimerState.DEAD)
                .containsEntry("l", TimerState.PENDING)
                .containsEntry("m", TimerState.DEAD);
    }

    @Test
    void whatHasFinishedBeforeIsStillKnown() throws IOException {
        schedule("k", "cancelled");
        cancel("k");
        TimerView before = find(store, "k");
        trim();
        schedule("l", "to-be-lost");
        schedule("m", "kept");
        disk.crash(CrashKind.PROCESS_KILL);
        lose("to-be-lost");
        assertThat(directory.salvage().damages()).hasSize(1);
        assertThat(find(open(), "k")).isEqualTo(before);
        assertThat(before.state()).isEqualTo(TimerState.CANCELLED);
    }

    /** Somebody may hold it, and would take the new timer for that one. */
    @Test
    void idOfATimerThatIsLostIsNotGivenAgain() throws IOException {
        schedule("k", "kept");
        schedule("l", "to-be-lost");
        String lost = find(store, "l").id();
        disk.crash(CrashKind.PROCESS_KILL);
        lose("to-be-lost");
        assertThat(directory.salvage().damages()).hasSize(1);
        PlainStore again = open();
        List<Scheduled> answers = new ArrayList<>();
        again.calendar.schedule(
                new ScheduleCommand(key("l"), 100, new byte[1], OnConflict.REPLACE, 0), PlainStore.into(answers));
        again.settle();
        assertThat(answers.get(0).timer().id()).isNotEqualTo(lost);
        assertThat(answers.get(0).previous()).isEqualTo(Scheduled.Previous.NONE);
    }

    /** Their run does not say it, only the log. */
    @Test
    void timerOfARunThatHasEndedSinceIsNotExported() throws IOException {
        schedule("k", "cancelled");
        schedule("l", "kept");
        trim();
        cancel("k");
        disk.crash(CrashKind.PROCESS_KILL);
        assertThat(exported()).contains("kept").doesNotContain("cancelled");
    }

    @Test
    void recordsOfTheLogAreCounted() {
        for (int i = 0; i < 5; i++) {
            schedule("k" + i, "content");
        }
        assertThat(directory.verify().logRecords()).isEqualTo(5);
        cancel("k0");
        cancel("k1");
        disk.crash(CrashKind.PROCESS_KILL);
        assertThat(directory.verify().logRecords()).isEqualTo(7);
    }

    @Test
    void backupTellsWhereItsLogEnds() throws IOException {
        Path copy = disk.path("/copy");
        schedule("k", "content");
        StoreBackup made = directory.backUpTo(copy);
        List<Path> copied = segments(copy);
        assertThat(copied).hasSize(1);
        assertThat(made.endLsn()).isEqualTo(Files.size(copied.get(0)) - LogSegment.HEADER_BYTES);
    }
}
