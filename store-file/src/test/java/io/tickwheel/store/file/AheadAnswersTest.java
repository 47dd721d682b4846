package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands are told while the key index is being filled: two stores have the same history, and one is asked at once, the other when its index is complete. */
class AheadAnswersTest {

    private static final long NEVER_MS = 1L << 40;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private PlainStore store;

    private void open(String directory, int turnTimers) {
        store = new PlainStore(FileTimerStore.in(disk.path(directory))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(8_192)
                .withTurnTimers(turnTimers));
    }

    private static TimerKey key(int queue, int number) {
        return new TimerKey("q" + queue, "k" + number);
    }

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
        assertThat(CalendarView.isIndexing(store.calendar)).isTrue();
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
        List<List<QueueCounts>> counts = new ArrayList<>();
        store.calendar.queues(PlainStore.into(counts));
        store.settle();
        answers.add(counts.get(0).toString());
        for (int queue = 0; queue < 3; queue++) {
            for (int number = 0; number < 12; number++) {
                List<List<TimerView>> found = new ArrayList<>();
                store.calendar.find(key(queue, number), PlainStore.into(found));
                store.settle();
                answers.add(found.stream()
                        .flatMap(List::stream)
                        .map(AheadAnswersTest::shown)
                        .toList()
                        .toString());
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
        TimerKey key = key(random.nextInt(3), random.nextInt(12));
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
                        new ChangeCommand(key, null, null, change, dueAtMs, null, 0, null),
                        PlainStore.answer((Changed changed) ->
                                put(answers, number, change + " " + changed.outcome() + " " + shown(changed.timer()))));
            }
            default ->
                calendar.find(
                        key,
                        PlainStore.answer((List<TimerView> found) -> put(
                                answers,
                                number,
                                "find "
                                        + found.stream()
                                                .map(AheadAnswersTest::shown)
                                                .toList())));
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
