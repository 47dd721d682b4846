package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.QueryBounds;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists and counts of a file store that is at work: timers come and go, and checkpoints move them, between any two turns. */
class QueriesTest {

    private static final long HOUR_MS = 3_600_000;

    /** What is due before this is loaded, so that it can be claimed. */
    private static final long LOADED_TO_MS = 10;

    private final ArrayDeque<Runnable> log = new ArrayDeque<>();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private final Set<PendingTimer> loaded = new LinkedHashSet<>();
    private final List<ClaimedTimer> claimed = new ArrayList<>();
    private SplittableRandom random = new SplittableRandom(1);
    private SimulatedDisk disk = new SimulatedDisk(1);
    private QueryBounds bounds = QueryBounds.DEFAULT;
    private long checkpointBytes = 4_096;
    private Calendar calendar;

    /** What stands under a key, pending or dead. */
    private final Map<TimerKey, Long> standing = new HashMap<>();

    /** The keys that something was done with. */
    private final Set<TimerKey> touched = new HashSet<>();

    /** Those that were given up, and stand as dead. */
    private final Set<TimerKey> dead = new HashSet<>();

    private int turns;

    private static final class Reply<T> implements Answer<T> {

        private @Nullable T result;
        private @Nullable StoreException failure;
        private int calls;

        @Override
        public void accept(T given) {
            result = given;
            calls++;
        }

        @Override
        public void fail(StoreException reason) {
            failure = reason;
            calls++;
        }
    }

    private void open() {
        log.clear();
        background.clear();
        loaded.clear();
        claimed.clear();
        StoreContext context = new StoreContext(
                log::addLast, background::addLast, () -> {}, () -> 1L, PlainStore.clock(), nanos -> {});
        calendar = FileTimerStore.in(disk.path("/data"))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(checkpointBytes)
                .withQueryBounds(bounds)
                .open(context, new RoomyListener() {
                    @Override
                    public void loaded(PendingTimer timer) {
                        loaded.add(timer);
                    }

                    @Override
                    public void unloaded(PendingTimer timer) {
                        loaded.remove(timer);
                    }
                });
    }

    private void start(long seed, QueryBounds some) {
        random = new SplittableRandom(seed);
        disk = new SimulatedDisk(seed);
        bounds = some;
        open();
    }

    /** A turn of the loop, or a task of one of the executors. */
    private void step() {
        switch (random.nextInt(4)) {
            case 0 -> run(log);
            case 1 -> run(background);
            default -> {
                calendar.work(50);
                turns++;
            }
        }
    }

    private static void run(ArrayDeque<Runnable> tasks) {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
    }

    private void settle() {
        do {
            while (!log.isEmpty() || !background.isEmpty()) {
                step();
            }
        } while (calendar.work(50) > 0 || !log.isEmpty() || !background.isEmpty() || !calendar.isQuiet());
    }

    private void crash() {
        disk.crash(CrashKind.POWER_LOSS);
        open();
    }

    private void schedule(TimerKey key, long dueAtMs) {
        calendar.schedule(
                new ScheduleCommand(key, dueAtMs, new byte[random.nextInt(60)], OnConflict.REPLACE, 0), new Reply<>());
        standing.put(key, dueAtMs);
        touched.add(key);
        dead.remove(key);
        claimed.removeIf(timer -> timer.view().key().equals(key));
    }

    private static TimerKey key(int i) {
        return new TimerKey(i % 5 == 0 ? "rare" : "q", "k" + i);
    }

    /** Near, mid and far, many at the same time. */
    private long anyDue() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextInt((int) LOADED_TO_MS);
            case 1 -> HOUR_MS;
            case 2 -> random.nextInt(40) * HOUR_MS;
            case 3 -> random.nextInt(60) * 24L * HOUR_MS;
            default -> random.nextInt(4_000) * 24L * HOUR_MS;
        };
    }

    /** Does something with a timer that {@code mayTouch} lets it. */
    private void disturb(int keys, int mayTouch) {
        TimerKey key = key(random.nextInt(keys) / mayTouch * mayTouch);
        switch (random.nextInt(5)) {
            case 0 -> {
                calendar.cancel(key, new Reply<>());
                // A last attempt that runs is not listed.
                if (!dead.contains(key)) {
                    standing.remove(key);
                    touched.add(key);
                }
            }
            case 1 -> claimOne();
            case 2 -> endOne();
            default -> schedule(key, anyDue());
        }
    }

    private void claimOne() {
        calendar.load(0, LOADED_TO_MS, 20);
        if (!loaded.isEmpty()) {
            PendingTimer timer = loaded.iterator().next();
            calendar.claim(timer, granted -> {
                loaded.remove(timer);
                claimed.add(granted);
            });
        }
    }

    private void endOne() {
        if (claimed.isEmpty()) {
            return;
        }
        ClaimedTimer timer = claimed.remove(random.nextInt(claimed.size()));
        TimerKey key = timer.view().key();
        switch (random.nextInt(3)) {
            case 0 -> {
                if (calendar.finish(timer.handle(), TimerState.DEAD)) {
                    dead.add(key);
                }
            }
            case 1 -> {
                if (calendar.finish(timer.handle(), TimerState.COMPLETED)) {
                    standing.remove(key);
                    touched.add(key);
                }
            }
            default -> {
                long dueAtMs = timer.view().dueAtMs() + HOUR_MS;
                if (calendar.retry(timer.handle(), dueAtMs)) {
                    standing.put(key, dueAtMs);
                    touched.add(key);
                }
            }
        }
    }

    private TimerPage list(TimerQuery query, Runnable meanwhile) {
        Reply<TimerPage> reply = new Reply<>();
        calendar.list(query, reply);
        await(reply, meanwhile);
        return reply.result;
    }

    private void await(Reply<?> reply, Runnable meanwhile) {
        for (int steps = 0; reply.calls == 0; steps++) {
            assertThat(steps).as("steps").isLessThan(1_000_000);
            step();
            meanwhile.run();
        }
        assertThat(reply.calls).isEqualTo(1);
        assertThat(reply.failure).isNull();
    }

    private List<TimerView> listAll(TimerQuery query, Runnable meanwhile) {
        List<TimerView> shown = new ArrayList<>();
        TimerCursor next = null;
        do {
            TimerPage page = list(next == null ? query : query.withAfter(next), meanwhile);
            assertThat(page.timers()).hasSizeLessThanOrEqualTo(query.limit());
            shown.addAll(page.timers());
            next = page.next();
            if (random.nextInt(20) == 0) {
                settle();
                crash();
            }
        } while (next != null);
        return shown;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 200, 300})
    void whatStandsInTheListAllTheTimeIsShownOnce(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + 15; seed++) {
            standing.clear();
            dead.clear();
            SplittableRandom sizes = new SplittableRandom(seed);
            start(seed, new QueryBounds(1 + sizes.nextInt(60), 1 + sizes.nextInt(400), 1 + sizes.nextInt(40)));
            int keys = 250;
            for (int i = 0; i < 400; i++) {
                disturb(keys, 1);
                step();
            }
            touched.clear();
            Map<TimerKey, Long> before = Map.copyOf(standing);
            Set<TimerKey> deadBefore = Set.copyOf(dead);
            TimerQuery query = TimerQuery.of("q").withLimit(1 + random.nextInt(30));
            List<TimerView> shown = listAll(query, () -> {
                if (random.nextInt(8) == 0) {
                    disturb(keys, 7);
                }
            });
            assertThat(shown)
                    .as("seed %d", seed)
                    .isSortedAccordingTo((a, b) -> Long.compare(a.attemptAtMs(), b.attemptAtMs()));
            assertThat(shown.stream().map(view -> view.id() + view.attemptAtMs() + view.state()))
                    .as("seed %d", seed)
                    .doesNotHaveDuplicates();
            Map<TimerKey, Long> untouched = new HashMap<>(before);
            untouched
                    .keySet()
                    .removeIf(key -> touched.contains(key) || !key.queue().equals("q"));
            assertThat(untouched).hasSizeGreaterThan(30);
            List<TimerKey> keysShown = new ArrayList<>();
            for (TimerView view : shown) {
                if (untouched.containsKey(view.key())) {
                    keysShown.add(view.key());
                    assertThat(view.attemptAtMs()).isEqualTo(untouched.get(view.key()));
                }
            }
            assertThat(keysShown).as("seed %d", seed).containsAll(untouched.keySet());
            // What was given up meanwhile may have been shown before that too.
            keysShown.removeIf(key -> dead.contains(key) && !deadBefore.contains(key));
            assertThat(keysShown).as("seed %d", seed).doesNotHaveDuplicates();
        }
    }

    @Test
    void whatIsDueInTheRangeIsCountedOnceThoughItIsMovedMeanwhile() {
        for (long seed = 0; seed < 40; seed++) {
            standing.clear();
            SplittableRandom sizes = new SplittableRandom(seed);
            start(seed, new QueryBounds(1 + sizes.nextInt(60), 1, 1 + sizes.nextInt(40)));
            for (int i = 0; i < 400; i++) {
                schedule(key(random.nextInt(300)), 1_000 + anyDue());
                if (random.nextInt(5) == 0) {
                    TimerKey gone = key(random.nextInt(300));
                    calendar.cancel(gone, new Reply<>());
                    standing.remove(gone);
                }
                step();
            }
            for (String queue : new String[] {"q", "rare", "none", null}) {
                DueCountQuery query = new DueCountQuery(
                        queue, HOUR_MS / 2, random.nextInt(2) == 0 ? HOUR_MS / 2 : 17 * 24 * HOUR_MS, 300);
                long[] expected = new long[query.buckets()];
                standing.forEach((key, dueAtMs) -> {
                    boolean asked = queue == null || queue.equals(key.queue());
                    if (asked && dueAtMs >= query.fromMs() && dueAtMs < query.toMs()) {
                        expected[(int) ((dueAtMs - query.fromMs()) / query.bucketMs())]++;
                    }
                });
                Reply<DueCounts> reply = new Reply<>();
                calendar.countDue(query, reply);
                // Others come and go, before the range, and make for checkpoints.
                await(reply, () -> {
                    TimerKey other = new TimerKey("q", "other" + random.nextInt(3));
                    if (random.nextInt(3) == 0) {
                        calendar.schedule(
                                new ScheduleCommand(other, 500, new byte[200], OnConflict.REPLACE, 0), new Reply<>());
                    }
                });
                assertThat(reply.result.counts().stream()
                                .mapToLong(Long::longValue)
                                .toArray())
                        .as("seed %d queue %s", seed, queue)
                        .containsExactly(expected);
            }
        }
    }

    @Test
    void pageGoesOnInTheMillisecondInWhichTheListBegins() {
        start(1, QueryBounds.DEFAULT);
        for (int i = 0; i < 25; i++) {
            schedule(new TimerKey("q", "k" + i), HOUR_MS);
        }
        settle();
        TimerQuery query = TimerQuery.of("q").withDue(HOUR_MS, 2 * HOUR_MS).withLimit(20);
        TimerPage first = list(query, () -> {});
        TimerPage second = list(query.withAfter(first.next()), () -> {});
        assertThat(second.next()).isNull();
        List<TimerView> both = new ArrayList<>(first.timers());
        both.addAll(second.timers());
        assertThat(both).extracting(view -> view.key().key()).hasSize(25).doesNotHaveDuplicates();
    }

    @Test
    void callThatFindsNothingEndsWithAShortPageAndGoesOnBehindIt() {
        start(1, new QueryBounds(40, 500, 1_000));
        for (int i = 1; i <= 1_000; i++) {
            schedule(new TimerKey("q", "k" + i), i * HOUR_MS);
            settle();
        }
        TimerQuery query = TimerQuery.of("q").withKeyPrefix("k1000").withLimit(10);
        TimerPage first = list(query, () -> {});
        assertThat(first.timers()).isEmpty();
        assertThat(first.next()).isNotNull();
        assertThat(listAll(query, () -> {}))
                .extracting(view -> view.key().key())
                .containsExactly("k1000");
        // Whatever else there is, the due range leads to what is asked for.
        TimerPage page = list(TimerQuery.of("q").withDue(700 * HOUR_MS, 703 * HOUR_MS), () -> {});
        assertThat(page.timers()).extracting(view -> view.key().key()).containsExactly("k700", "k701", "k702");
        assertThat(page.next()).isNull();
    }

    @Test
    void countOfARunOfOneQueueLooksAtFewOfItsTimers() {
        checkpointBytes = 1 << 20;
        start(1, new QueryBounds(500, 500, 100));
        for (int i = 0; i < 20_000; i++) {
            schedule(new TimerKey("q", "k" + i), i * 1_000L);
            if (i % 100 == 0) {
                settle();
            }
        }
        // What the log still has is in the memtable, where it is looked at in full.
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "large"), 30_000_000, new byte[1 << 20], OnConflict.REPLACE, 0),
                new Reply<>());
        settle();
        turns = 0;
        Reply<DueCounts> reply = new Reply<>();
        calendar.countDue(new DueCountQuery("q", 500, 2_000_000, 10), reply);
        await(reply, () -> {});
        assertThat(reply.result.counts())
                .containsExactly(2_000L, 2_000L, 2_000L, 2_000L, 2_000L, 2_000L, 2_000L, 2_000L, 2_000L, 1_999L);
        assertThat(turns).isLessThan(10);
    }

    @Test
    void claimedOnesAreFoundAmongManyOthers() {
        start(1, new QueryBounds(50, 200, 1_000));
        for (int i = 0; i < 1_000; i++) {
            schedule(new TimerKey("q", "k" + i), i < 3 ? i : i * HOUR_MS);
            settle();
        }
        claimOne();
        claimOne();
        settle();
        TimerPage page = list(TimerQuery.of("q").withState(TimerState.CLAIMED), () -> {});
        assertThat(page.timers()).extracting(view -> view.key().key()).containsExactly("k0", "k1");
        assertThat(page.next()).as("after a call that looks at 200").isNull();
    }

    @Test
    void listThatIsUnderWayFailsWithTheStore() {
        start(1, new QueryBounds(1, 1_000, 1));
        for (int i = 0; i < 20; i++) {
            schedule(key(i), i);
        }
        settle();
        List<Reply<TimerPage>> replies = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            replies.add(new Reply<>());
            calendar.list(TimerQuery.of("q"), replies.get(i));
        }
        calendar.work(10);
        calendar.fail(new IllegalStateException("a bug"));
        assertThat(replies).allSatisfy(reply -> {
            assertThat(reply.calls).isEqualTo(1);
            assertThat(reply.failure).isNotNull();
        });
    }
}
