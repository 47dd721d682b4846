package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        store.calendar.change(change(key("small", 2), Change.PURGE, NEVER_MS), PlainStore.into(changed));
        store.calendar.change(change(key("small", 3), Change.REDRIVE, NEVER_MS), PlainStore.into(changed));
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
        TimerKey run = new TimerKey("large", plan.key().key() + SpawnCommand.SEPARATOR + "1");
        List<Spawned> spawned = new ArrayList<>();
        store.calendar.spawn(
                new SpawnCommand(
                        plan,
                        NEVER_MS,
                        new byte[0],
                        new ScheduleCommand(run, NEVER_MS, new byte[0], OnConflict.KEEP, 0)),
                PlainStore.into(spawned));
        List<Cancelled> cancelled = cancel(plan.key());
        store.settle();
        assertThat(spawned).hasSize(1);
        assertThat(cancelled).extracting(Cancelled::outcome).containsExactly(Cancelled.Outcome.CANCELLED);
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

    // ---- two stores with the same history, of which one is asked at once, the other when its index is complete

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89})
    void answersAreThoseOfACompleteIndex(int seed) {
        List<String> atOnce = answers("/once", seed, true);
        List<String> later = answers("/later", seed, false);
        assertThat(atOnce).hasSizeGreaterThan(100).isEqualTo(later);
    }

    private List<String> answers(String directory, int seed, boolean atOnce) {
        SplittableRandom random = new SplittableRandom(seed);
        open(directory, 8_192);
        for (int i = 0; i < 150; i++) {
            command(random, new ArrayList<>(), 0);
            if (i % 3 == 0) {
                deliver(random, 1_000);
            }
            store.settle();
        }
        disk.crash(CrashKind.POWER_LOSS);
        open(directory, 1 + seed % 4);
        assertThat(isIndexing()).isTrue();
        List<String> answers = new ArrayList<>();
        if (!atOnce) {
            store.settle();
        }
        deliver(random, 2_000);
        for (int i = 0; i < 100; i++) {
            answers.add("");
            command(random, answers, i);
            int turns = random.nextInt(4);
            for (int turn = 0; atOnce && turn < turns; turn++) {
                store.turn();
            }
        }
        store.settle();
        answers.add(counts().toString());
        for (int queue = 0; queue < 3; queue++) {
            for (int number = 0; number < 12; number++) {
                answers.add(find(key("q" + queue, number)).stream()
                        .flatMap(List::stream)
                        .map(AheadTest::shown)
                        .toList()
                        .toString());
                store.settle();
            }
        }
        return answers;
    }

    /** What does not depend on the order in which commands about other keys were decided. */
    private static String shown(@Nullable TimerView view) {
        return view == null
                ? "none"
                : view.key() + " " + view.state() + " v" + view.version() + " due " + view.dueAtMs() + " attempts "
                        + view.attempts();
    }

    private void command(SplittableRandom random, List<String> answers, int number) {
        Calendar calendar = store.calendar;
        TimerKey key = key("q" + random.nextInt(3), random.nextInt(12));
        long dueAtMs = random.nextInt(4) == 0 ? 500 : NEVER_MS + random.nextInt(1_000);
        switch (random.nextInt(6)) {
            case 0, 1 -> {
                OnConflict onConflict = anyOf(random, OnConflict.values());
                calendar.schedule(
                        new ScheduleCommand(key, dueAtMs, new byte[random.nextInt(300)], onConflict, 0),
                        PlainStore.answer((Scheduled scheduled) -> put(
                                answers,
                                number,
                                "schedule " + scheduled.outcome() + " " + scheduled.previous() + " "
                                        + shown(scheduled.timer()))));
            }
            case 2 ->
                calendar.cancel(
                        key,
                        PlainStore.answer((Cancelled cancelled) -> put(
                                answers, number, "cancel " + cancelled.outcome() + " " + shown(cancelled.timer()))));
            case 3 -> {
                Change change = anyOf(random, Change.values());
                calendar.change(
                        change(key, change, dueAtMs),
                        PlainStore.answer((Changed changed) ->
                                put(answers, number, change + " " + changed.outcome() + " " + shown(changed.timer()))));
            }
            default ->
                calendar.find(
                        key,
                        PlainStore.answer((List<TimerView> found) -> put(
                                answers,
                                number,
                                "find " + found.stream().map(AheadTest::shown).toList())));
        }
    }

    private static <T> T anyOf(SplittableRandom random, T[] values) {
        return values[random.nextInt(values.length)];
    }

    private static void put(List<String> answers, int number, String answer) {
        if (number < answers.size()) {
            assertThat(answers.get(number)).as("answered once").isEmpty();
            answers.set(number, answer);
        }
    }

    private static ChangeCommand change(TimerKey key, Change change, long dueAtMs) {
        return new ChangeCommand(key, null, null, change, dueAtMs, null, 0, null);
    }

    /** Delivers what is due: some is completed, some is tried again or given up. */
    private void deliver(SplittableRandom random, long nowMs) {
        store.calendar.load(nowMs, nowMs, 100);
        List<PendingTimer> loaded = new ArrayList<>(store.loaded);
        loaded.sort(Comparator.comparing(timer -> timer.key().toString()));
        for (PendingTimer timer : loaded) {
            int outcome = random.nextInt(4);
            store.loaded.remove(timer);
            store.calendar.claim(timer, claimed -> {
                switch (outcome) {
                    case 0 -> store.calendar.retry(timer, NEVER_MS, null);
                    case 1 -> store.calendar.finish(timer, TimerState.DEAD);
                    default -> store.calendar.finish(timer, TimerState.COMPLETED);
                }
            });
        }
        store.turn();
    }
}
