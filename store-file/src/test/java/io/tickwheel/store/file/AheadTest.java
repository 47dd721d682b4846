package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.ChangeCommand.Change;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What commands are told after an opening while the key index is being filled: what they would be told when it is complete, and the sooner, the less there
 * is of their queue.
 */
class AheadTest {

    private static final int LARGE = 60;
    private static final long NEVER_MS = 1L << 40;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private PlainStore store;

    private PlainStore open(String directory, int turnTimers) {
        PlainStore opened = new PlainStore(FileTimerStore.in(disk.path(directory))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(8_192)
                .withTurnTimers(turnTimers));
        store = opened;
        return opened;
    }

    private static TimerKey key(String queue, int number) {
        return new TimerKey(queue, "k" + number);
    }

    private void schedule(String queue, int number) {
        schedule(queue, number, NEVER_MS);
    }

    private void schedule(String queue, int number, long dueAtMs) {
        submit(queue, number, dueAtMs);
        store.settle();
    }

    private void submit(String queue, int number, long dueAtMs) {
        store.calendar.schedule(
                new ScheduleCommand(key(queue, number), dueAtMs, new byte[100], OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
    }

    /** A queue that is large for a turn of one timer, and a small one. */
    private void fill(String directory) {
        open(directory, 8_192);
        for (int number = 0; number < LARGE; number++) {
            schedule("large", number);
        }
        schedule("small", 0);
        schedule("small", 1);
        bringToRuns();
    }

    private void bringToRuns() {
        for (int filler = 0; filler < 100; filler++) {
            schedule("filler", 0);
        }
    }

    private void crashAndOpen(String directory, int turnTimers) {
        disk.crash(CrashKind.POWER_LOSS);
        open(directory, turnTimers);
        assertThat(isIndexing()).isTrue();
    }

    private boolean isIndexing() {
        return CalendarView.isIndexing(store.calendar);
    }

    /** Else their contents would take all of the heap. */
    @Test
    void onlySoManyCommandsWaitForTheIndex() {
        fill("/data");
        crashAndOpen("/data", 1);
        int waiting = 0;
        while (store.calendar.hasRoom()) {
            submit("large", waiting % LARGE, NEVER_MS);
            assertThat(++waiting).as("commands that wait").isLessThan(10_000);
        }
        assertThat(waiting).isEqualTo(1_024);
        store.settle();
        assertThat(store.calendar.hasRoom()).isTrue();
    }

    /** Else the next opening would take the part that there is for all of it. */
    @Test
    void storeThatIsClosedWhileItsIndexIsFilledSavesNoPartOfIt() {
        fill("/data");
        crashAndOpen("/data", 1);
        do {
            store.turn();
        } while (!store.calendar.isQuiet());
        assertThat(isIndexing()).isTrue();
        store.calendar.close();
        open("/data", 8_192);
        store.settle();
        for (int number = 0; number < LARGE; number++) {
            List<List<TimerView>> found = new ArrayList<>();
            store.calendar.find(key("large", number), PlainStore.into(found));
            store.settle();
            assertThat(found.get(0)).as("timer %d", number).hasSize(1);
        }
        assertThat(store.calendar.liveCount()).isEqualTo(LARGE + 3);
    }

    /** Takes turns until there is an answer, and returns whether the index was still being filled then. */
    private boolean isAnsweredAhead(List<?> answers) {
        while (answers.isEmpty() && isIndexing()) {
            store.turn();
        }
        boolean ahead = isIndexing();
        store.settle();
        assertThat(answers).hasSize(1);
        return ahead;
    }

    private List<Cancelled> cancel(TimerKey key) {
        List<Cancelled> answers = new ArrayList<>();
        store.calendar.cancel(key, PlainStore.into(answers));
        return answers;
    }

    private List<List<TimerView>> find(TimerKey key) {
        List<List<TimerView>> answers = new ArrayList<>();
        store.calendar.find(key, PlainStore.into(answers));
        return answers;
    }

    @Test
    void keysOfLargeQueuesAreFoundBeforeTheIndexIsComplete() {
        fill("/data");
        for (int number : List.of(0, LARGE / 2, LARGE - 1)) {
            crashAndOpen("/data", 1);
            List<Cancelled> cancelled = cancel(key("large", number));
            assertThat(isAnsweredAhead(cancelled)).isTrue();
            assertThat(cancelled.get(0).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        }
        crashAndOpen("/data", 1);
        List<List<TimerView>> found = find(key("large", LARGE));
        assertThat(isAnsweredAhead(found)).as("a key that never was").isTrue();
        assertThat(found.get(0)).isEmpty();
        assertThat(live()).containsEntry("large", LARGE - 3L).containsEntry("small", 2L);
    }

    @Test
    void whatWasAnsweredAheadOutlivesACrashBeforeTheIndexIsComplete() {
        fill("/data");
        crashAndOpen("/data", 1);
        List<Cancelled> cancelled = cancel(key("large", 5));
        while (cancelled.isEmpty()) {
            store.turn();
        }
        assertThat(cancelled).extracting(Cancelled::outcome).containsExactly(Cancelled.Outcome.CANCELLED);
        assertThat(isIndexing()).isTrue();
        crashAndOpen("/data", 1);
        List<List<TimerView>> found = find(key("large", 5));
        store.settle();
        assertThat(found.get(0)).extracting(TimerView::state).containsExactly(TimerState.CANCELLED);
        assertThat(live()).containsEntry("large", LARGE - 1L).containsEntry("small", 2L);
    }

    @Test
    void smallQueuesAreKnownBeforeTheIndexIsComplete() {
        fill("/data");
        crashAndOpen("/data", 1);
        List<TimerPage> pages = new ArrayList<>();
        store.calendar.list(TimerQuery.of("small"), PlainStore.into(pages));
        List<List<TimerView>> one = find(key("small", 1));
        assertThat(isAnsweredAhead(pages)).isTrue();
        assertThat(one).hasSize(1);
        assertThat(pages.get(0).timers()).extracting(view -> view.key().key()).containsExactlyInAnyOrder("k0", "k1");
        crashAndOpen("/data", 1);
        List<List<TimerView>> found = find(key("nothing", 0));
        assertThat(isAnsweredAhead(found)).as("of a queue that never was").isTrue();
        assertThat(found.get(0)).isEmpty();
    }

    @Test
    void timersOfTheMemtableAreFoundBeforeTheIndexIsComplete() {
        fill("/data");
        List<TimerKey> keys = List.of(key("large", LARGE), key("small", 2), key("small", 3), key("large", LARGE + 1));
        for (TimerKey asked : keys) {
            keys.forEach(key -> schedule(key.queue(), Integer.parseInt(key.key().substring(1))));
            crashAndOpen("/data", 1);
            List<Cancelled> cancelled = cancel(asked);
            assertThat(isAnsweredAhead(cancelled)).isTrue();
            assertThat(cancelled.get(0).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        }
        assertThat(live()).containsEntry("large", LARGE + 1L).containsEntry("small", 4L);
    }

    @Test
    void deadTimersOfTheMemtableAreCountedOnceWhateverIsDoneToThemMeanwhile() {
        fill("/data");
        for (int number = 2; number < 6; number++) {
            schedule("small", number, 500);
        }
        store.calendar.load(1_000, 1_000, 10);
        for (PendingTimer timer : List.copyOf(store.loaded)) {
            store.calendar.claim(timer, claimed -> store.calendar.finish(timer, TimerState.DEAD));
        }
        store.settle();
        crashAndOpen("/data", 1);
        List<Changed> changed = new ArrayList<>();
        store.calendar.change(change(key("small", 2), Change.PURGE), PlainStore.into(changed));
        store.calendar.change(change(key("small", 3), Change.REDRIVE), PlainStore.into(changed));
        while (changed.size() < 2 && isIndexing()) {
            store.turn();
        }
        assertThat(isIndexing()).as("changed ahead").isTrue();
        assertThat(changed)
                .extracting(Changed::outcome)
                .containsExactly(Changed.Outcome.CHANGED, Changed.Outcome.CHANGED);
        assertThat(counts()).contains(new QueueCounts("small", 3, 0, 2));
    }

    @Test
    void keyWhoseTimerHasEndedIsShownAsItEnded() {
        fill("/data");
        cancel(key("small", 0));
        cancel(key("large", 7));
        store.settle();
        crashAndOpen("/data", 1);
        List<List<TimerView>> small = find(key("small", 0));
        List<List<TimerView>> large = find(key("large", 7));
        List<Cancelled> now = cancel(key("small", 1));
        List<List<TimerView>> behind = find(key("small", 1));
        assertThat(isAnsweredAhead(now)).isTrue();
        for (List<List<TimerView>> answer : List.of(small, large, behind)) {
            assertThat(answer).hasSize(1);
            assertThat(answer.get(0)).extracting(TimerView::state).containsExactly(TimerState.CANCELLED);
        }
    }

    @Test
    void whatBecameOfALastAttemptIsToldOnlyWhenItIsKnown() {
        fill("/data");
        schedule("small", 2, 500);
        store.calendar.load(1_000, 1_000, 10);
        PendingTimer last = store.loaded.remove(0);
        store.calendar.claim(last, claimed -> {});
        assertThat(cancel(key("small", 2))).isEmpty();
        store.settle();
        bringToRuns();
        store.calendar.finish(last, TimerState.COMPLETED);
        store.settle();
        crashAndOpen("/data", 1);
        List<List<TimerView>> found = find(key("small", 2));
        store.settle();
        assertThat(found.get(0)).extracting(TimerView::state).containsExactly(TimerState.COMPLETED);
    }

    @Test
    void listComesBehindTheCommandsOfItsQueueBeforeIt() {
        fill("/data");
        cancel(key("small", 1));
        store.settle();
        crashAndOpen("/data", 1);
        // What is known of the key is that it has ended, and so the command waits for the rest.
        submit("small", 1, NEVER_MS);
        List<TimerPage> pages = new ArrayList<>();
        store.calendar.list(TimerQuery.of("small"), PlainStore.into(pages));
        store.settle();
        assertThat(pages.get(0).timers()).hasSize(2);
    }

    @Test
    void commandComesBehindOneThatWaitsForAnotherKeyToo() {
        fill("/data");
        schedule("large", 0, 500);
        bringToRuns();
        crashAndOpen("/data", 1);
        store.calendar.load(1_000, 1_000, 10);
        PendingTimer plan = store.loaded.remove(0);
        store.calendar.claim(plan, claimed -> {});
        List<List<TimerView>> known = find(plan.key());
        while (known.isEmpty()) {
            store.turn();
        }
        assertThat(isIndexing()).isTrue();
        List<Spawned> spawned = spawn(plan, runOf(plan.key()));
        List<Cancelled> cancelled = cancel(plan.key());
        store.settle();
        assertThat(spawned).hasSize(1);
        assertThat(cancelled).extracting(Cancelled::outcome).containsExactly(Cancelled.Outcome.CANCELLED);
    }

    /** The key of the run is known sooner than that of its plan. */
    @Test
    void commandComesBehindTheRunOfAPlanThatWaits() {
        fill("/data");
        schedule("large", 0, 500);
        bringToRuns();
        crashAndOpen("/data", 1);
        store.calendar.load(1_000, 1_000, 10);
        PendingTimer plan = store.loaded.remove(0);
        store.calendar.claim(plan, claimed -> {});
        TimerKey run = runOf(plan.key());
        List<List<TimerView>> known = find(run);
        while (known.isEmpty()) {
            store.turn();
        }
        List<Spawned> spawned = spawn(plan, run);
        List<Cancelled> cancelled = cancel(run);
        assertThat(isIndexing()).isTrue();
        store.settle();
        assertThat(spawned).hasSize(1);
        assertThat(cancelled).extracting(Cancelled::outcome).containsExactly(Cancelled.Outcome.CANCELLED);
    }

    @Test
    void planMakesNoRunWhereThereIsOneThatWasNotFoundYet() {
        fill("/data");
        schedule("large", 0, 500);
        TimerKey run = runOf(key("large", 0));
        store.calendar.schedule(
                new ScheduleCommand(run, NEVER_MS, new byte[100], OnConflict.REPLACE, 0),
                PlainStore.into(new ArrayList<>()));
        bringToRuns();
        crashAndOpen("/data", 1);
        store.calendar.load(1_000, 1_000, 10);
        PendingTimer plan = store.loaded.remove(0);
        store.calendar.claim(plan, claimed -> {});
        List<List<TimerView>> known = find(plan.key());
        while (known.isEmpty()) {
            store.turn();
        }
        List<Spawned> spawned = spawn(plan, run);
        assertThat(isIndexing()).isTrue();
        store.settle();
        assertThat(spawned).extracting(answer -> answer.run().outcome()).containsExactly(Scheduled.Outcome.KEPT);
    }

    private static TimerKey runOf(TimerKey plan) {
        return new TimerKey(plan.queue(), plan.key() + SpawnCommand.SEPARATOR + "1");
    }

    private List<Spawned> spawn(PendingTimer plan, TimerKey run) {
        List<Spawned> spawned = new ArrayList<>();
        store.calendar.spawn(
                new SpawnCommand(
                        plan,
                        NEVER_MS,
                        new byte[0],
                        new ScheduleCommand(run, NEVER_MS, new byte[0], OnConflict.KEEP, 0)),
                PlainStore.into(spawned));
        return spawned;
    }

    @Test
    void whoWaitsIsToldWhenTheStoreFails() throws IOException {
        fill("/data");
        disk.crash(CrashKind.POWER_LOSS);
        damage("k" + LARGE / 2);
        open("/data", 1);
        List<String> answers = new ArrayList<>();
        store.calendar.queues(into("queues", answers));
        store.calendar.cancel(key("large", LARGE / 2), null, null, into("cancel", answers));
        store.calendar.find(key("large", 0), into("find", answers));
        assertThatThrownBy(() -> {
                    while (isIndexing()) {
                        store.turn();
                    }
                })
                .isInstanceOf(StoreFailedException.class);
        assertThat(answers).containsExactlyInAnyOrder("queues failed", "cancel failed", "find failed");
    }

    private static <T> Answer<T> into(String name, List<String> answers) {
        return new Answer<>() {

            @Override
            public void accept(T result) {
                answers.add(name + " answered");
            }

            @Override
            public void fail(StoreException reason) {
                answers.add(name + " failed");
            }
        };
    }

    /** Changes the record of a key in each run that has one. */
    private void damage(String key) throws IOException {
        byte[] name = ("large" + key).getBytes(StandardCharsets.UTF_8);
        int damaged = 0;
        try (Stream<Path> files = Files.list(disk.path("/data/schedulelog"))) {
            for (Path run : files.filter(file -> file.toString().endsWith(DataDirectory.RUN_SUFFIX))
                    .toList()) {
                byte[] bytes = Files.readAllBytes(run);
                for (int at = 0; at + name.length <= bytes.length; at++) {
                    if (Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
                        bytes[at + name.length + 20] ^= 1;
                        damaged++;
                    }
                }
                Files.write(run, bytes);
            }
        }
        assertThat(damaged).isPositive();
    }

    @Test
    void nothingOfTheFillingIsKeptWhenItIsDone() {
        fill("/data");
        crashAndOpen("/data", 1);
        find(key("small", 0));
        WeakReference<Object> build = new WeakReference<>(CalendarView.indexBuild(store.calendar));
        assertThat(build.get()).isNotNull();
        store.settle();
        for (int i = 0; i < 20 && build.get() != null; i++) {
            System.gc();
        }
        assertThat(build.get()).isNull();
        assertThat(live()).containsEntry("small", 2L);
    }

    @Test
    void countsAreRightBehindASavedIndexToo() {
        fill("/data");
        store.calendar.close();
        for (int turns = 0; turns < 90; turns += 3) {
            open("/data", 1);
            assertThat(isIndexing()).isTrue();
            for (int turn = 0; turn < turns; turn++) {
                store.turn();
            }
            find(key("small", 0));
            find(key("large", 3));
            store.settle();
            assertThat(live()).containsEntry("large", (long) LARGE).containsEntry("small", 2L);
            assertThat(store.calendar.liveCount()).isEqualTo(LARGE + 3L);
            store.calendar.close();
        }
    }

    private List<QueueCounts> counts() {
        List<List<QueueCounts>> answers = new ArrayList<>();
        store.calendar.queues(PlainStore.into(answers));
        store.settle();
        return answers.get(0);
    }

    private Map<String, Long> live() {
        TreeMap<String, Long> live = new TreeMap<>();
        counts().forEach(counts -> live.put(counts.queue(), counts.pending() + counts.claimed()));
        return live;
    }

    private static ChangeCommand change(TimerKey key, Change change) {
        return new ChangeCommand(key, null, null, change, NEVER_MS, null, 0, null);
    }
}
