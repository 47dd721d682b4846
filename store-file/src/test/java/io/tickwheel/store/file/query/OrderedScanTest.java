package io.tickwheel.store.file.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunWriter;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.RunsWriter;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.testkit.AllCourses;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A scan and a checkpoint, in all orders of their steps: the scan meets, and counts, what a set says, wherever each timer stands when the scan comes by. Clients end a timer and
 * schedule another one in between.
 */
@Tag("simulated")
final class OrderedScanTest {

    private static final long STORE_ID = 1;
    private static final int DEPTH = 40;
    private static final int MOST = 100_000;

    /** More than a few blocks of a run have. */
    private static final int MANY = 1_000;

    private static final long FIRST_MS = 10;

    /** It will stand in a run of its own. */
    private static final long FAR_MS = 10L * 24 * 3_600_000;

    /** Where the stretches end that are counted. */
    private static final List<Long> STRETCHES = List.of(FIRST_MS + 1, FAR_MS, FAR_MS + 1);

    private final TimerTables tables = TimerTables.toLookAt(STORE_ID, 1, 10);
    private final DataDirectory directory = DataDirectory.make(new SimulatedDisk(1).path("/data"));
    private long lastSeq;

    OrderedScanTest() throws IOException {}

    /** What the scan looks for, and what comes between its turns. */
    private enum Plan {
        MOVED_TO_RUNS(ScanRange.Kind.STANDING, null, 100, false),
        BOUNDED(ScanRange.Kind.STANDING, null, 1, false),
        OF_A_QUEUE(ScanRange.Kind.LIVE, "q", 2, false),
        LIVE(ScanRange.Kind.LIVE, null, 1, false),
        CLAIMED(ScanRange.Kind.CLAIMED, null, 100, false),
        DEAD(ScanRange.Kind.DEAD, null, 100, false),
        REWRITTEN_LIVE(ScanRange.Kind.LIVE, null, 100, true),
        REWRITTEN_OF_A_QUEUE(ScanRange.Kind.LIVE, "q", 1, true),
        REWRITTEN_CLAIMED(ScanRange.Kind.CLAIMED, null, 1, true);

        final ScanRange.Kind kind;
        final String queue;
        final int kept;

        /** Whether the timers stand in a run before, which is written anew. */
        final boolean isRewrite;

        Plan(ScanRange.Kind kind, String queue, int kept, boolean isRewrite) {
            this.kind = kind;
            this.queue = queue;
            this.kept = kept;
            this.isRewrite = isRewrite;
        }

        ScanRange range() {
            return new ScanRange(queue, kind, FAR_MS + 1);
        }
    }

    private record Timer(long seq, long dueAtMs, String queue, boolean dead, boolean claimed) {

        boolean isWanted(ScanRange range) {
            boolean ofKind = switch (range.kind()) {
                case STANDING -> true;
                case LIVE -> !dead;
                case CLAIMED -> claimed;
                case DEAD -> dead;
            };
            return ofKind && (range.queue() == null || range.queue().equals(queue)) && range.isBeforeEnd(dueAtMs);
        }
    }

    /** Where a timer stands. */
    private record Place(TimerTable table, int ordinal) {}

    /** What stands in the tables, the scan, and what is left to be done meanwhile. */
    private final class Course implements AutoCloseable {

        private final Plan plan;
        private final Map<Long, Timer> timers = new HashMap<>();
        private final Map<Long, Place> places = new HashMap<>();
        private final ArrayDeque<Runnable> checkpoint = new ArrayDeque<>();
        private final ArrayDeque<Runnable> client = new ArrayDeque<>();
        private final OrderedScan scan;

        /** The seqs that the scan is to meet before its end. */
        private final Set<Long> expected = new TreeSet<>();

        private final List<Timer> met = new ArrayList<>();
        private boolean isAtEnd;
        private int stretch;
        private int counted;

        Course(Plan plan) {
            this.plan = plan;
            this.scan = new OrderedScan(tables, plan.range(), FIRST_MS, Long.MIN_VALUE, plan.kept);
            add(FAR_MS, "q", false, true);
            add(FIRST_MS + 1, "q", false, true);
            add(FIRST_MS, "r", true, false);
            add(FIRST_MS, "q", false, true);
            if (plan.isRewrite) {
                freezeAndWrite();
                finish();
                checkpoint.add(this::rewrite);
            } else {
                checkpoint.add(this::freezeAndWrite);
            }
            long last = lastSeq;
            client.add(() -> end(last));
            client.add(() -> add(FIRST_MS + 1, "q", false, true));
        }

        private void add(long dueAtMs, String queue, boolean dead, boolean claimed) {
            long seq = ++lastSeq;
            byte[] key = ("k" + seq).getBytes(StandardCharsets.UTF_8);
            ScheduleCommand command =
                    new ScheduleCommand(new TimerKey(queue, "k" + seq), dueAtMs, new byte[0], OnConflict.REPLACE, 0);
            TimerRecord record = TimerRecord.scheduled(seq, 0, 1, command, queue.getBytes(StandardCharsets.UTF_8), key);
            Memtable active = tables.active();
            int ordinal = active.add(
                    dead ? record.again(seq, dueAtMs, 1, true) : record,
                    seq,
                    tables.queues.get(new Lane(queue, Lane.QUEUE_ROUTE)));
            if (claimed) {
                active.take(ordinal);
            }
            Timer timer = new Timer(seq, dueAtMs, queue, dead, claimed);
            timers.put(seq, timer);
            places.put(seq, new Place(active, ordinal));
            if (timer.isWanted(plan.range()) && isAhead(timer)) {
                expected.add(seq);
            }
        }

        private boolean isAhead(Timer timer) {
            return ScanRange.compare(timer.dueAtMs, timer.seq, scan.dueAtMs(), scan.seq()) >= 0;
        }

        private void end(long seq) {
            Place place = places.remove(seq);
            place.table.end(place.ordinal);
            if (isAhead(timers.get(seq))) {
                expected.remove(seq);
            }
        }

        // ---- the checkpoint

        private interface Source {
            void writeTo(RunsWriter writer) throws IOException;
        }

        private void freezeAndWrite() {
            Memtable full = tables.freeze();
            write(writer -> writer.write(full, tables.queues.laneNames()));
            checkpoint.add(tables::dropFrozen);
        }

        private void rewrite() {
            List<Run> sources = List.copyOf(tables.runs());
            List<BitSet> ended =
                    sources.stream().map(run -> (BitSet) run.ended().clone()).toList();
            write(writer -> writer.write(sources, ended));
            checkpoint.add(() -> sources.forEach(this::drop));
        }

        private void write(Source source) {
            try (RunsWriter writer = new RunsWriter(directory, STORE_ID, 1, tables::newNumber, 0, tables.pool)) {
                source.writeTo(writer);
                for (RunWriter.Written written : writer.finish()) {
                    Run run = new Run(RunFile.open(directory, STORE_ID, written.fileNumber()), tables.queues);
                    run.setArrived(0);
                    tables.add(run);
                    for (int i = 0; i < written.count(); i++) {
                        int ordinal = i;
                        checkpoint.add(() -> move(written, run, ordinal));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void move(RunWriter.Written written, Run to, int ordinal) {
            TimerTable from = tables.table(written.fromTable(ordinal));
            int fromOrdinal = written.fromOrdinal(ordinal);
            if (from.isEnded(fromOrdinal)) {
                to.end(ordinal);
            } else {
                if (!from.isWaiting(fromOrdinal) && !to.isDead()) {
                    to.take(ordinal);
                }
                from.end(fromOrdinal);
                places.put(to.seq(ordinal), new Place(to, ordinal));
            }
            to.setArrived(ordinal + 1);
        }

        private void drop(Run run) {
            try {
                tables.drop(run);
                Files.delete(directory.run(run.fileNumber()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void finish() {
            while (!checkpoint.isEmpty()) {
                checkpoint.remove().run();
            }
        }

        // ---- the scan

        private void list(int steps) {
            scan.prepare(1);
            for (int i = 0; i < steps && scan.isPrepared() && !isAtEnd; i++) {
                switch (scan.step()) {
                    case FOUND -> meet(scan.table(), scan.ordinal());
                    case END -> isAtEnd = true;
                    case PASSED, UNPREPARED -> {}
                }
            }
        }

        private void meet(TimerTable table, int ordinal) {
            Timer timer = timers.get(table.seq(ordinal));
            assertThat(places).containsEntry(timer.seq, new Place(table, ordinal));
            if (timer.isWanted(plan.range())) {
                met.add(timer);
            }
        }

        /** Counts those of the next stretch, which ends with a timer, or before it. */
        private void count(int budget) {
            long toMs = STRETCHES.get(stretch);
            scan.prepare(budget);
            if (!scan.isPrepared()) {
                return;
            }
            counted += (int) scan.countTo(toMs, budget).timers();
            if (scan.dueAtMs() == toMs) {
                stretch++;
                isAtEnd = stretch == STRETCHES.size();
            }
        }

        @Override
        public void close() {
            finish();
            List.copyOf(places.keySet()).forEach(this::end);
            List.copyOf(tables.runs()).forEach(this::drop);
            tables.freeze();
            tables.dropFrozen();
        }
    }

    @ParameterizedTest
    @EnumSource(Plan.class)
    void eachTimerIsMetOnceAndInOrder(Plan plan) {
        walk(plan, (course, random) -> {
            course.list(random.nextInt(4) == 0 ? 3 : 1);
            if (course.isAtEnd) {
                assertThat(course.met.stream().map(Timer::seq).toList())
                        .containsExactlyInAnyOrderElementsOf(course.expected);
                assertThat(course.met)
                        .isSortedAccordingTo((a, b) -> ScanRange.compare(a.dueAtMs, a.seq, b.dueAtMs, b.seq));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"OF_A_QUEUE", "LIVE", "REWRITTEN_LIVE", "REWRITTEN_OF_A_QUEUE"})
    void eachTimerIsCountedOnce(Plan plan) {
        walk(plan, (course, random) -> {
            course.count(1 + random.nextInt(3));
            if (course.isAtEnd) {
                assertThat(course.counted).isEqualTo(course.expected.size());
            }
        });
    }

    private interface Turn {
        void take(Course course, RandomGenerator random);
    }

    private void walk(Plan plan, Turn turn) {
        int[] walked = {0};
        int courses = AllCourses.walk(DEPTH, MOST, choices -> {
            RandomGenerator random = new SplittableRandom(walked[0]++);
            try (Course course = new Course(plan)) {
                while (!course.isAtEnd) {
                    if (!course.client.isEmpty() && random.nextInt(6) == 0) {
                        course.client.remove().run();
                    } else if (!course.checkpoint.isEmpty() && choices.nextInt(2) == 0) {
                        course.checkpoint.remove().run();
                    } else {
                        turn.take(course, random);
                    }
                }
            }
        });
        assertThat(courses).isGreaterThan(40);
    }

    /** Its file is closed, and its blocks cannot be read any more. */
    @Test
    void countGoesOnWhenTheRunThatItWasInIsGone() {
        try (Course course = new Course(Plan.LIVE)) {
            course.checkpoint.clear();
            for (int i = 0; i < MANY; i++) {
                course.add(FIRST_MS + i, "q", false, true);
            }
            course.freezeAndWrite();
            course.finish();
            course.scan.prepare(MANY);
            long counted = course.scan.countTo(FIRST_MS + 2, MANY).timers();
            course.rewrite();
            course.finish();
            course.scan.prepare(MANY);
            counted += course.scan.countTo(FAR_MS + 1, MANY).timers();
            assertThat(counted).isEqualTo(course.expected.size());
        }
    }
}
