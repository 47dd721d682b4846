package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is remembered of attempts comes through a salvage and an export, and a purged timer through neither. */
class KeptHistoryTest {

    private static final PastAttempt FIRST = new PastAttempt(1, 1_000, 5, 30, 503, "HTTP 503", "come back\nlater");
    private static final PastAttempt SECOND = new PastAttempt(2, 2_000, 6, 31, 410, "HTTP 410", "gone");

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final StoreDirectory directory = StoreDirectory.at(disk.path("/data"));

    private PlainStore open() {
        PlainStore store = new PlainStore(
                FileTimerStore.in(disk.path("/data")).withSegmentBytes(1 << 16).withCheckpointBytes(8_192));
        store.settle();
        return store;
    }

    private static TimerKey key(String key) {
        return new TimerKey("q", key);
    }

    private static void schedule(PlainStore store, String key, int contentBytes) {
        store.calendar.schedule(
                new ScheduleCommand(key(key), 100, new byte[contentBytes], OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
        store.settle();
    }

    private static PendingTimer claim(PlainStore store, String key) {
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

    /** One that failed once, one that died of its second attempt, and one that died and was purged. */
    private void makeTimers(boolean inRuns) {
        PlainStore store = open();
        for (String key : List.of("failed", "dead", "purged")) {
            schedule(store, key, 10);
            store.calendar.retry(claim(store, key), 5_000, FIRST);
            store.settle();
        }
        for (String key : List.of("dead", "purged")) {
            store.calendar.finish(claim(store, key), TimerState.DEAD, SECOND);
            store.settle();
        }
        for (int i = 0; inRuns && i < 60; i++) {
            schedule(store, "other" + i, 300);
        }
        store.calendar.change(ChangeCommand.purge(key("purged")), PlainStore.into(new ArrayList<>()));
        store.settle();
        disk.crash(CrashKind.PROCESS_KILL);
        assertThat(directory.inspect().runs().isEmpty()).isNotEqualTo(inRuns);
    }

    private static void check(Map<String, TimerView> timers) {
        assertThat(timers.get("failed").history()).containsExactly(FIRST);
        assertThat(timers.get("dead").state()).isEqualTo(TimerState.DEAD);
        assertThat(timers.get("dead").history()).containsExactly(FIRST, SECOND);
        assertThat(timers).doesNotContainKey("purged");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exportShowsIt(boolean inRuns) {
        makeTimers(inRuns);
        Map<String, TimerView> exported = new HashMap<>();
        long count = directory.export(timer -> exported.put(timer.view().key().key(), timer.view()));
        assertThat(count).isEqualTo(exported.size());
        check(exported);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void salvageKeepsIt(boolean inRuns) {
        makeTimers(inRuns);
        directory.salvage();
        PlainStore store = open();
        Map<String, TimerView> found = new HashMap<>();
        for (String key : List.of("failed", "dead", "purged")) {
            List<List<TimerView>> answers = new ArrayList<>();
            store.calendar.find(key(key), PlainStore.into(answers));
            store.settle();
            answers.get(0).forEach(timer -> found.put(key, timer));
        }
        check(found);
    }
}
