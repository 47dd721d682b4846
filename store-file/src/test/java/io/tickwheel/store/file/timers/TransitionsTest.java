package io.tickwheel.store.file.timers;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.log.RecordLog;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random transitions against a map from the key to how its timer stands. */
class TransitionsTest {

    private static final int STEPS = 6_000;
    /** As many as finish at most. */
    private static final int REMEMBERED = STEPS;

    private static final int KEYS = 12;

    /** How the timer of a key must stand. */
    private static final class Expected {
        private TimerState state = TimerState.PENDING;
        private long seq;
        private long version;
        private int attempts;
        private History history = History.NONE;
        private @Nullable LoadedTimer loaded;
    }

    /** What must be in the log, and is. */
    private static final class ListedLog implements RecordLog {
        private final List<String> lines = new ArrayList<>();

        @Override
        public long append(TimerRecord record) {
            lines.add(record.seq() + " in the place of " + record.replaces() + (record.dead() ? ", dead" : ""));
            return lines.size();
        }

        @Override
        public long append(EndRecord end) {
            lines.add(end.seq() + " " + end.state() + " after " + end.attempts() + " by " + end.ended());
            return lines.size();
        }

        @Override
        public long append(OutcomeRecord outcome) {
            lines.add("last attempt of " + outcome.timer().id() + " "
                    + outcome.timer().state());
            return lines.size();
        }
    }

    private SplittableRandom random = new SplittableRandom(0);
    private TimerTables tables = TimerTables.toLookAt(7, 1, REMEMBERED);
    private ListedLog log = new ListedLog();
    private Transitions transitions = new Transitions(tables, log, 1, finished -> {});
    private Map<TimerKey, Expected> model = new HashMap<>();
    private Set<TimerKey> finished = new HashSet<>();
    private List<String> lines = new ArrayList<>();

    private void start(long seed) {
        random = new SplittableRandom(seed);
        tables = TimerTables.toLookAt(7, 1, REMEMBERED);
        tables.queues.completed();
        log = new ListedLog();
        transitions = new Transitions(tables, log, 1, late -> {
            throw new AssertionError("the index is complete");
        });
        model = new TreeMap<>(Comparator.comparing(TimerKey::queue).thenComparing(TimerKey::key));
        finished = new HashSet<>();
        lines = new ArrayList<>();
    }

    @Test
    void everyTransitionLeavesAllInAgreement() {
        for (long seed = 0; seed < 20; seed++) {
            start(seed);
            for (int i = 0; i < STEPS / 20; i++) {
                step();
                checkAll();
            }
        }
    }

    @Test
    void whatFinishesWhileTheIndexIsFilledIsHandedOver() {
        start(1);
        tables = TimerTables.toLookAt(7, 1, REMEMBERED);
        List<FinishedRecord> late = new ArrayList<>();
        transitions = new Transitions(tables, log, 1, late::add);
        // As recovered: it stands in the memtable, and is neither in the index nor counted.
        TimerKey key = new TimerKey("q", "a");
        TimerRecord record = record(key, 0, 1, 0);
        StoreLane lane = tables.queues.get(new Lane("q", 0));
        int ordinal = tables.active().add(record, hash(key), lane);
        LoadedTimer timer = load(tables.active(), ordinal, record, lane);
        transitions.claim(timer, record);

        transitions.retry(timer, record.again(transitions.newSeq(), 9, 1, false));

        assertThat(tables.index.size()).isEqualTo(1);
        assertThat(tables.queues.live()).isEqualTo(1);
        KeyState.Standing again = standing(key);
        LoadedTimer twice = load(again.table(), again.ordinal(), again.record(), lane);
        transitions.claim(twice, again.record());
        transitions.finish(twice, TimerState.COMPLETED, attempt(2));

        assertThat(late).singleElement().extracting(FinishedRecord::history).isEqualTo(attempt(2));
        assertThat(tables.index.size()).isZero();
        assertThat(tables.queues.live()).isZero();
        assertThat(tables.loaded.size()).isZero();
    }

    @Test
    void purgeForgetsWhatIsRememberedUnderTheKeyToo() {
        start(2);
        TimerKey key = new TimerKey("q", "a");
        TimerRecord record = record(key, 0, 1, 0);
        StoreLane lane = tables.queues.get(record.lane());
        transitions.create(record.again(transitions.newSeq(), 5, 1, true), hash(key), lane);
        // As a checkpoint brings it back that had taken it in before it was evicted.
        tables.remember(hash(key), FinishedRecord.of(record, TimerState.COMPLETED, 1, History.NONE));
        transitions.purge(standing(key), lane.queue);
        assertThat(state(key)).isNull();
        assertThat(tables.queues.find("q")).as("nothing of it is known").isNull();
    }

    private static History attempt(int number) {
        return History.of(new PastAttempt(number, number, 0, 0, 503, "answered 503"));
    }

    /** The attempt that ends, or none when it is not to be remembered. */
    private History attemptOf(Expected now) {
        return random.nextInt(3) == 0 ? History.NONE : attempt(now.attempts + 1);
    }

    private void step() {
        TimerKey key = new TimerKey("q" + random.nextInt(3), "k" + random.nextInt(KEYS / 3));
        Expected now = model.get(key);
        int dice = random.nextInt(10);
        if (tables.frozen() == null && random.nextInt(40) == 0) {
            tables.freeze();
        } else if (tables.frozen() != null && tables.frozen().present() == 0) {
            tables.dropFrozen();
        } else if (now != null && now.state == TimerState.DEAD && dice < 6) {
            if (dice < 4) {
                change(key, now, ChangeCommand.redrive(key, random.nextInt(100)));
            } else {
                purge(key, now);
            }
        } else if (now == null || now.state.isFinished() || dice == 0) {
            schedule(key, now);
        } else if (now.state == TimerState.PENDING && random.nextInt(10) == 0) {
            change(key, now, ChangeCommand.reschedule(key, random.nextInt(100)));
        } else if (now.state == TimerState.PENDING && dice == 1) {
            cancel(key, now);
        } else if (now.loaded == null) {
            KeyState.Standing at = standing(key);
            now.loaded = load(at.table(), at.ordinal(), at.record(), at.table().lane(at.ordinal()));
        } else if (now.state == TimerState.PENDING) {
            claimOrUnload(now, dice);
        } else {
            endAttempt(key, now, dice);
        }
    }

    private void schedule(TimerKey key, @Nullable Expected now) {
        boolean stands = now != null && (!now.state.isFinished() || now.state == TimerState.DEAD);
        TimerRecord record = record(key, stands ? now.seq : 0, now == null ? 1 : now.version + 1, random.nextInt(2));
        StoreLane lane = tables.queues.get(record.lane());
        if (stands) {
            transitions.replace(standing(key), record, hash(key), lane);
        } else {
            transitions.create(record, hash(key), lane);
        }
        lines.add(record.seq() + " in the place of " + record.replaces());
        Expected next = new Expected();
        next.seq = record.seq();
        next.version = record.version();
        finished.remove(key);
        model.put(key, next);
    }

    private void change(TimerKey key, Expected now, ChangeCommand command) {
        KeyState.Standing old = standing(key);
        TimerRecord record = old.table().record(old.ordinal(), true).changed(transitions.newSeq(), command);
        transitions.replace(old, record, hash(key), tables.queues.get(record.lane()));
        lines.add(record.seq() + " in the place of " + now.seq);
        now.seq = record.seq();
        now.loaded = null;
        now.attempts = now.state == TimerState.DEAD ? 0 : now.attempts;
        now.state = TimerState.PENDING;
    }

    private void purge(TimerKey key, Expected now) {
        transitions.purge(standing(key), tables.queues.get(key.queue()));
        lines.add(now.seq + " DEAD after " + now.attempts + " by []");
        assertThat(state(key)).as("purged: %s", key).isNull();
        model.remove(key);
    }

    private void cancel(TimerKey key, Expected now) {
        transitions.cancel(standing(key), tables.queues.get(key.queue()));
        lines.add(now.seq + " CANCELLED after " + now.attempts + " by []");
        finish(key, now, TimerState.CANCELLED);
    }

    private LoadedTimer load(TimerTable table, int ordinal, TimerRecord record, StoreLane lane) {
        table.take(ordinal);
        return transitions.load(
                table, ordinal, record.seq(), record.attemptAtMs(), lane, LoadRoom.Age.FRESH, record.length(), 0);
    }

    private void claimOrUnload(Expected now, int dice) {
        LoadedTimer timer = loaded(now);
        if (dice < 4) {
            transitions.unload(timer);
            now.loaded = null;
            assertThat(timer.isGone()).isTrue();
        } else {
            transitions.claim(timer, timer.table().record(timer.ordinal(), true));
            now.state = TimerState.CLAIMED;
        }
    }

    private void endAttempt(TimerKey key, Expected now, int dice) {
        LoadedTimer timer = loaded(now);
        TimerRecord record = timer.record();
        if (dice < 4) {
            transitions.release(timer);
            now.state = TimerState.PENDING;
            return;
        }
        now.loaded = null;
        History ended = attemptOf(now);
        if (dice < 6) {
            TimerState outcome = dice == 4 ? TimerState.COMPLETED : TimerState.EXPIRED;
            transitions.finish(timer, outcome, ended);
            lines.add(now.seq + " " + outcome + " after " + (now.attempts + 1) + " by " + ended);
            now.attempts++;
            now.history = now.history.and(ended);
            finish(key, now, outcome);
            return;
        }
        TimerRecord again;
        if (dice == 6) {
            again = record.remembering(ended).again(transitions.newSeq(), 5, now.attempts + 1, true);
            transitions.bury(timer, again);
            now.attempts++;
            now.history = now.history.and(ended);
        } else if (dice == 7) {
            again = record.rerouted(transitions.newSeq(), 2);
            int ordinal = transitions.reroute(timer, again, tables.queues.get(again.lane()));
            assertThat(tables.active().lane(ordinal).lane).isEqualTo(again.lane());
        } else {
            again = record.remembering(ended).again(transitions.newSeq(), 5, now.attempts + 1, false);
            transitions.retry(timer, again);
            now.attempts++;
            now.history = now.history.and(ended);
        }
        lines.add(again.seq() + " in the place of " + now.seq + (again.dead() ? ", dead" : ""));
        now.state = again.dead() ? TimerState.DEAD : TimerState.PENDING;
        now.seq = again.seq();
    }

    private void finish(TimerKey key, Expected now, TimerState outcome) {
        now.state = outcome;
        now.loaded = null;
        finished.add(key);
    }

    private void checkAll() {
        int loaded = 0;
        long standing = 0;
        Map<String, long[]> counts = new TreeMap<>();
        for (Map.Entry<TimerKey, Expected> one : model.entrySet()) {
            TimerKey key = one.getKey();
            Expected expected = one.getValue();
            KeyState found = state(key);
            assertThat(found).as("%s", key).isNotNull();
            assertThat(found.state()).as("%s", key).isEqualTo(expected.state);
            assertThat(found.version()).isEqualTo(expected.version);
            assertThat(found.history()).isEqualTo(expected.history);
            int running = expected.state == TimerState.CLAIMED ? 1 : 0;
            assertThat(found.attempts()).as("attempts of %s", key).isEqualTo(expected.attempts + running);
            long[] ofQueue = counts.computeIfAbsent(key.queue(), queue -> new long[3]);
            if (found instanceof KeyState.Standing at) {
                standing++;
                assertThat(at.record().seq()).isEqualTo(expected.seq);
                assertThat(at.loaded()).isSameAs(expected.loaded);
                assertThat(at.table().isEnded(at.ordinal())).isFalse();
                assertThat(at.table().isWaiting(at.ordinal()))
                        .isEqualTo(expected.loaded == null && expected.state == TimerState.PENDING);
            }
            loaded += expected.loaded == null ? 0 : 1;
            switch (expected.state) {
                case PENDING -> ofQueue[0]++;
                case CLAIMED -> ofQueue[1]++;
                case DEAD -> ofQueue[2]++;
                default -> {}
            }
        }
        assertThat(tables.loaded.size()).isEqualTo(loaded);
        assertThat(tables.index.size()).isEqualTo(standing);
        assertThat(tables.finished.size()).isEqualTo(finished.size());
        List<QueueCounts> expected = new ArrayList<>();
        counts.forEach((queue, three) -> expected.add(new QueueCounts(queue, three[0], three[1], three[2])));
        assertThat(tables.queues.counts()).isEqualTo(expected);
        assertThat(log.lines).isEqualTo(lines);
        Memtable frozen = tables.frozen();
        assertThat(tables.active().present() + (frozen == null ? 0 : frozen.present()))
                .isEqualTo((int) standing);
    }

    private static LoadedTimer loaded(Expected now) {
        LoadedTimer loaded = now.loaded;
        assertThat(loaded).isNotNull();
        return loaded;
    }

    private KeyState.Standing standing(TimerKey key) {
        return (KeyState.Standing) state(key);
    }

    private @Nullable KeyState state(TimerKey key) {
        return tables.state(hash(key), bytes(key.queue()), bytes(key.key()));
    }

    private long hash(TimerKey key) {
        return tables.hash(bytes(key.queue()), bytes(key.key()));
    }

    private TimerRecord record(TimerKey key, long replaces, long version, long route) {
        ScheduleCommand command =
                new ScheduleCommand(key, 1_000 + random.nextInt(100), new byte[3], route, OnConflict.REPLACE, 0, null);
        return TimerRecord.scheduled(
                transitions.newSeq(), replaces, version, command, bytes(key.queue()), bytes(key.key()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
