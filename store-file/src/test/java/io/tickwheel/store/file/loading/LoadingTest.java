package io.tickwheel.store.file.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.RunsWriter;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is loaded, and when, against a map of all timers: from memtables and runs, between which timers move. */
@Tag("simulated")
class LoadingTest {

    private static final long STORE_ID = 1;

    private final QueueTable queues = new QueueTable();
    private final ChunkPool pool = new ChunkPool();
    private final List<String> told = new ArrayList<>();
    private final Map<Long, One> timers = new LinkedHashMap<>();
    private final Set<Lane> blocked = new HashSet<>();
    private final List<Run> runs = new ArrayList<>();
    private @Nullable DataDirectory directory;
    private LoadRoom room = new LoadRoom(1_000, 1_000, 0);
    private Loading loading = newLoading(16_384);
    private int nextNumber = 1;
    private long nextSeq = 1;
    private boolean moving;
    private Memtable active = newMemtable();

    /** Where a timer stands, and what became of it. */
    private static final class One {

        private final long seq;
        private final long attemptAtMs;
        private final StoreLane lane;
        private final int length;
        private TimerTable table;
        private int ordinal;
        private LoadRoom.@Nullable Age loadedAs;
        private boolean claimed;
        private boolean gone;

        One(long seq, long attemptAtMs, StoreLane lane, int length, TimerTable table, int ordinal) {
            this.seq = seq;
            this.attemptAtMs = attemptAtMs;
            this.lane = lane;
            this.length = length;
            this.table = table;
            this.ordinal = ordinal;
        }

        boolean isWaiting() {
            return loadedAs == null && !claimed && !gone;
        }

        @Override
        public String toString() {
            return seq + " of " + lane.lane + " at " + attemptAtMs + " on " + table.number() + "/" + ordinal;
        }
    }

    private Loading newLoading(int looks) {
        Loading.Target target = new Loading.Target() {
            @Override
            public boolean mayStart(Lane lane) {
                return !blocked.contains(lane);
            }

            @Override
            public LoadRoom room() {
                return room;
            }

            @Override
            public void load(
                    TimerTable table,
                    int ordinal,
                    long seq,
                    long attemptAtMs,
                    StoreLane lane,
                    LoadRoom.Age age,
                    int length) {
                One one = Objects.requireNonNull(timers.get(seq));
                assertThat(one.isWaiting()).as("loaded once").isTrue();
                assertThat(blocked).doesNotContain(lane.lane);
                assertThat(room.isOpenTo(lane.share, age)).as("there is room").isTrue();
                assertThat(attemptAtMs).isEqualTo(one.attemptAtMs);
                assertThat(lane).isSameAs(one.lane);
                assertThat(length).isEqualTo(one.length);
                room.take(lane.share, age, 1);
                one.loadedAs = age;
                told.add(lane.lane.queue() + "@" + attemptAtMs);
            }
        };
        return new Loading(target, this::isGoneElsewhere, looks);
    }

    /** As long as its table does not know: what does must not be loaded, whatever this says. */
    private boolean isGoneElsewhere(long seq) {
        One one = Objects.requireNonNull(timers.get(seq));
        return one.gone && !one.table.isEnded(one.ordinal);
    }

    private Memtable newMemtable() {
        active = new Memtable(nextNumber++, pool, queues);
        loading.add(active);
        return active;
    }

    private One add(String queue, long attemptAtMs) {
        return add(new Lane(queue, Lane.QUEUE_ROUTE), attemptAtMs);
    }

    private One add(Lane lane, long attemptAtMs) {
        long seq = nextSeq++;
        ScheduleCommand command = new ScheduleCommand(
                new TimerKey(lane.queue(), "k" + seq),
                attemptAtMs,
                TimerRecord.NO_CONTENT,
                Math.max(0, lane.route()),
                OnConflict.REPLACE,
                0,
                null);
        TimerRecord record = TimerRecord.scheduled(seq, 0, 1, command, utf8(lane.queue()), utf8("k" + seq));
        StoreLane known = queues.get(lane);
        int ordinal = active.add(record, seq, known);
        One one = new One(seq, attemptAtMs, known, record.length(), active, ordinal);
        timers.put(seq, one);
        loading.offer(active, ordinal, seq, attemptAtMs, known, record.length());
        return one;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void claim(One one) {
        if (one.loadedAs != null) {
            room.giveBack(one.lane.share, one.loadedAs, 1);
            one.loadedAs = null;
            one.claimed = true;
        }
    }

    private void claimAll(String queue) {
        timers.values().stream()
                .filter(one -> one.lane.lane.queue().equals(queue))
                .forEach(this::claim);
    }

    private void cancel(One one) {
        if (one.loadedAs != null) {
            room.giveBack(one.lane.share, one.loadedAs, 1);
            one.loadedAs = null;
        }
        if (!one.gone) {
            one.gone = true;
            one.table.end(one.ordinal);
        }
    }

    private void unload(One one) {
        if (one.loadedAs != null) {
            room.giveBack(one.lane.share, one.loadedAs, 1);
            one.loadedAs = null;
            one.table.untake(one.ordinal);
            loading.unloaded(one.table, one.ordinal, one.attemptAtMs, one.lane);
        }
    }

    private void suspend(Lane lane) {
        blocked.add(lane);
        loading.suspend(queues.find(lane));
    }

    private void resume(Lane lane) {
        blocked.remove(lane);
        loading.resume(queues.find(lane));
    }

    private static DataDirectory directory(long seed) {
        try {
            return DataDirectory.make(new SimulatedDisk(seed).path("/data"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Run run : runs) {
            run.close();
        }
    }

    /** Moves what is in the active memtable to runs, a timer at a time; calls {@code between} now and then. */
    private void moveToRuns(SplittableRandom random, Runnable between) {
        Memtable full = active;
        newMemtable();
        move(List.of(full), writer -> writer.write(full, queues.laneNames()), random, between);
        full.free();
    }

    /** Moves what is left in all runs to new ones. */
    private void mergeRuns(SplittableRandom random, Runnable between) throws IOException {
        List<Run> old = List.copyOf(runs);
        List<BitSet> ended =
                old.stream().map(run -> (BitSet) run.ended().clone()).toList();
        move(old, writer -> writer.write(old, ended), random, between);
        runs.removeAll(old);
        for (Run run : old) {
            run.close();
        }
    }

    private interface Writing {
        void write(RunsWriter writer) throws IOException;
    }

    private void move(List<? extends TimerTable> old, Writing writing, SplittableRandom random, Runnable between) {
        List<Run> made = new ArrayList<>();
        try {
            DataDirectory into = Objects.requireNonNull(directory);
            List<RunWriter.Written> writtenRuns;
            try (RunsWriter writer = new RunsWriter(into, STORE_ID, 1, () -> nextNumber++, 0, new ChunkPool())) {
                writing.write(writer);
                writtenRuns = writer.finish();
            }
            for (RunWriter.Written one : writtenRuns) {
                Run run = new Run(RunFile.open(into, STORE_ID, one.fileNumber()), queues);
                run.setArrived(0);
                made.add(run);
                runs.add(run);
            }
            loading.beginMove();
            moving = true;
            for (int i = 0; i < made.size(); i++) {
                RunWriter.Written written = writtenRuns.get(i);
                for (int ordinal = 0; ordinal < written.count(); ordinal++) {
                    int number = written.fromTable(ordinal);
                    TimerTable from = old.stream()
                            .filter(table -> table.number() == number)
                            .findFirst()
                            .orElseThrow();
                    move(from, written.fromOrdinal(ordinal), made.get(i), ordinal);
                    if (random.nextInt(8) == 0) {
                        between.run();
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        made.forEach(loading::add);
        moving = false;
        old.forEach(loading::remove);
    }

    private void move(TimerTable from, int fromOrdinal, Run to, int toOrdinal) {
        One one = Objects.requireNonNull(timers.get(to.seq(toOrdinal)));
        if (from.isEnded(fromOrdinal)) {
            to.end(toOrdinal);
        } else {
            if (!from.isWaiting(fromOrdinal)) {
                to.take(toOrdinal);
            }
            from.end(fromOrdinal);
        }
        one.table = to;
        one.ordinal = toOrdinal;
        to.setArrived(toOrdinal + 1);
    }

    @Test
    void timersAreLoadedInOrderUpToTheGivenTime() {
        add("q", 30);
        add("q", 10);
        newMemtable();
        add("q", 20);
        assertThat(loading.load(10, 10, 10)).isTrue();
        assertThat(told).isEmpty();
        assertThat(loading.load(25, 25, 10)).isTrue();
        assertThat(told).containsExactly("q@10", "q@20");
        assertThat(loading.loadedTo()).isEqualTo(25);
        add("q", 24);
        assertThat(told).as("within the loaded range").containsExactly("q@10", "q@20", "q@24");
    }

    @Test
    void whatIsGoneIsPassed() {
        One gone = add("q", 5);
        gone.gone = true;
        One late = add("q", -90_000);
        late.gone = true;
        add("q", 6);
        assertThat(loading.load(10, 10, 10)).isTrue();
        assertThat(told).containsExactly("q@6");
    }

    @Test
    void firstTimerInYearsDoesNotMakeAllBeforeItLoadEarly() {
        add("q", 1_000_000);
        loading.startAt(1_000_000);
        assertThat(loading.load(0, 100, 10)).isTrue();
        add("q", 5_000);
        assertThat(told).isEmpty();
        assertThat(loading.loadedTo()).isEqualTo(100);
    }

    @Test
    void nothingIsLeftBehindInTheMillisecondWhereTheMergeStands() {
        loading = newLoading(8);
        room = new LoadRoom(8, 8, 0);
        newMemtable();
        for (int i = 0; i < 30; i++) {
            add(i < 12 ? "bulk" : "other", 5);
        }
        for (int turn = 0; turn < 200; turn++) {
            loading.load(10, 10, 40);
            claimAll("bulk");
            claimAll("other");
        }
        assertThat(told).hasSize(30);
    }

    @Test
    void lanesThatCannotStartAreAnsweredByABound() {
        Lane stuck = new Lane("stuck", Lane.QUEUE_ROUTE);
        blocked.add(stuck);
        List<One> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(add(stuck, 100 + i));
            add("well", 100 + i);
        }
        assertThat(loading.load(5_000, 5_000, 100)).isTrue();
        assertThat(told).hasSize(20).allMatch(one -> one.startsWith("well"));
        assertThat(loading.waiting()).containsExactly(new WaitingLane(stuck, 100));
        waiting.subList(0, 7).forEach(this::cancel);
        assertThat(loading.waiting())
                .as("what is cancelled waits no more")
                .containsExactly(new WaitingLane(stuck, 107));
        waiting.forEach(this::cancel);
        assertThat(loading.waiting()).isEmpty();
        add(stuck, 4_000);
        assertThat(loading.waiting()).containsExactly(new WaitingLane(stuck, 4_000));
    }

    @Test
    void laneThatFoundNoRoomForLongGoesOnInTheTablesThatCameMeanwhile() {
        directory = directory(1);
        loading = newLoading(100);
        room = new LoadRoom(8, 8, 0);
        newMemtable();
        for (int i = 0; i < 20; i++) {
            add("bulk", i);
        }
        for (int turn = 0; turn < 2_001; turn++) {
            assertThat(loading.load(100_000, 100_000, 10)).isFalse();
        }
        assertThat(told).containsExactly("bulk@0", "bulk@1");
        moveToRuns(new SplittableRandom(1), () -> {});
        for (int turn = 0; turn < 20; turn++) {
            claimAll("bulk");
            loading.load(100_000, 100_000, 10);
        }
        assertThat(told).hasSize(20);
    }

    @Test
    void everyTimerOfRandomCoursesIsLoadedOnce() throws IOException {
        for (long seed = 0; seed < 400; seed++) {
            LoadingTest course = new LoadingTest();
            try {
                course.course(new SplittableRandom(seed), seed);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            } finally {
                course.close();
            }
        }
    }

    private void course(SplittableRandom random, long seed) throws IOException {
        directory = directory(seed);
        room = new LoadRoom(4 + random.nextInt(60), 100, 0);
        loading = newLoading(1 + random.nextInt(40));
        newMemtable();
        long[] nowMs = {random.nextInt(100_000)};
        if (random.nextBoolean()) {
            blocked.add(anyLane(random));
        }
        for (int i = 0; i < 250; i++) {
            step(random, nowMs);
            if (random.nextInt(60) == 0) {
                moveToRuns(random, () -> step(random, nowMs));
            }
            if (random.nextInt(60) == 0 && !runs.isEmpty()) {
                mergeRuns(random, () -> step(random, nowMs));
            }
            loading.waiting().forEach(lane -> assertThat(lane.sinceMs()).isLessThanOrEqualTo(nowMs[0]));
        }
        List.copyOf(blocked).forEach(this::resume);
        for (int turn = 0; turn < 20_000 && !load(nowMs[0] + 200_000, random); turn++) {
            timers.values().forEach(this::claim);
        }
        assertThat(timers.values().stream().filter(One::isWaiting)).isEmpty();
        assertThat(loading.waiting()).isEmpty();
    }

    private static Lane anyLane(SplittableRandom random) {
        return new Lane("q" + random.nextInt(3), random.nextInt(2));
    }

    private One any(SplittableRandom random) {
        return Objects.requireNonNull(timers.get(1 + random.nextLong(nextSeq - 1)));
    }

    private void step(SplittableRandom random, long[] nowMs) {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> {
                long reachMs = random.nextInt(10) == 0 ? 100_000 : 3_000;
                add(anyLane(random), nowMs[0] + random.nextLong(2 * reachMs) - reachMs);
            }
            case 3, 4 -> {
                nowMs[0] += random.nextInt(random.nextInt(10) == 0 ? 20_000 : 500);
                load(nowMs[0], random);
            }
            case 5 -> claimAll("q" + random.nextInt(3));
            case 6 -> {
                if (nextSeq > 1) {
                    cancel(any(random));
                }
            }
            case 7 -> {
                if (nextSeq > 1) {
                    unload(any(random));
                }
            }
            default -> {
                Lane lane = anyLane(random);
                if (blocked.contains(lane)) {
                    resume(lane);
                } else {
                    suspend(lane);
                }
            }
        }
    }

    private boolean load(long nowMs, SplittableRandom random) {
        boolean all = loading.load(nowMs, nowMs + random.nextInt(3_000), 1 + random.nextInt(12));
        long toMs = loading.loadedTo();
        long firstMs = loading.firstToLoad();
        assertThat(firstMs).isGreaterThanOrEqualTo(toMs);
        timers.values().stream()
                .filter(one -> one.isWaiting() && !moving && !blocked.contains(one.lane.lane))
                .forEach(one -> assertThat(one.attemptAtMs)
                        .as("the attempt of %s, not loaded", one.seq)
                        .isGreaterThanOrEqualTo(firstMs));
        return all;
    }
}
