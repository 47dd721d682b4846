package io.tickwheel.store.file.timers;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.DueHeap;
import io.tickwheel.store.file.memory.LongPairs;
import io.tickwheel.store.file.memory.OffHeapLongs;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.table.QueueTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** The tables outside the heap against those of the JDK. Their chunks are so small that there are many, and are used again. */
class OffHeapTablesTest {

    private final ChunkPool pool = new ChunkPool(128);

    @Property(tries = 300)
    void longsAreWhereTheyWerePut(
            @ForAll @Size(max = 200) List<@LongRange(min = -50, max = 50) Long> values,
            @ForAll @IntRange(max = 300) int end) {
        OffHeapLongs longs = new OffHeapLongs(pool);
        for (int life = 0; life < 2; life++) {
            values.forEach(longs::add);
            for (int i = 0; i < values.size(); i += 3) {
                longs.set(i, i);
            }
            assertThat(longs.size()).isEqualTo(values.size());
            for (int i = 0; i < values.size(); i++) {
                assertThat(longs.get(i)).isEqualTo(i % 3 == 0 ? i : values.get(i));
            }
            longs.resize(end);
            for (int i = values.size(); i < end; i++) {
                longs.set(i, -i);
            }
            for (int i = 0; i < end; i++) {
                long value = i >= values.size() ? -i : i % 3 == 0 ? i : values.get(i);
                assertThat(longs.get(i)).isEqualTo(value);
            }
            longs.free();
            assertThat(longs.size()).isZero();
        }
    }

    @Property(tries = 300)
    void pairsAreSortedAndThoseOfOneKeyStayInTheirOrder(
            @ForAll @Size(max = 200) List<Long> keys, @ForAll @IntRange(max = 63) int shift) {
        LongPairs pairs = new LongPairs(pool);
        List<long[]> model = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            // Of narrow spans there are many of one key.
            long key = keys.get(i) >> shift;
            pairs.add(key, i);
            model.add(new long[] {key, i});
        }
        pairs.sort();
        model.sort(Comparator.comparingLong(pair -> pair[0]));
        assertThat(pairs.size()).isEqualTo(model.size());
        for (int i = 0; i < model.size(); i++) {
            assertThat(new long[] {pairs.key(i), pairs.value(i)}).isEqualTo(model.get(i));
        }
        pairs.free();
        assertThat(pairs.size()).isZero();
    }

    /** A step: 0 removes the first, any other adds a record of so many bytes, less one. */
    @Property(tries = 100)
    void recordsComeOutAsTheyWentIn(@ForAll @Size(max = 300) List<@IntRange(max = 125) Integer> steps) {
        RecordQueue queue = new RecordQueue(pool);
        ArrayDeque<byte[]> model = new ArrayDeque<>();
        long bytes = 0;
        for (int step : steps) {
            long end = queue.end();
            long last = end;
            if (step % 4 == 0) {
                if (queue.size() > 0) {
                    queue.removeFirst();
                    bytes -= model.removeFirst().length;
                }
            } else {
                byte[] record = new byte[step - 1];
                Arrays.fill(record, (byte) step);
                last = queue.add(record.length);
                queue.chunk(last).put(queue.offset(last), record);
                model.add(record);
                bytes += record.length;
            }
            assertThat(queue.size()).isEqualTo(model.size());
            assertThat(queue.bytes()).isEqualTo(bytes);
            assertThat(records(queue)).containsExactlyElementsOf(model);
            // Where the end was before is where what came then begins.
            assertThat(queue.from(end)).isEqualTo(step % 4 == 0 ? queue.end() : last);
        }
        queue.free();
        assertThat(records(queue)).isEmpty();
        queue.add(1);
        assertThat(queue.size()).isEqualTo(1);
    }

    @Example
    void queueThatWasEmptyKeepsNoChunkOfBefore() {
        ChunkPool chunks = new ChunkPool(64);
        RecordQueue queue = new RecordQueue(chunks);
        ByteBuffer before = queue.chunk(queue.add(50));
        queue.removeFirst();
        assertThat(queue.chunk(queue.add(50))).isNotSameAs(before);
        assertThat(chunks.take()).as("given back").isSameAs(before);
    }

    private static List<byte[]> records(RecordQueue queue) {
        List<byte[]> records = new ArrayList<>();
        for (long at = queue.first(); at < queue.end(); at = queue.next(at)) {
            byte[] record = new byte[queue.length(at)];
            queue.chunk(at).get(queue.offset(at), record);
            records.add(record);
        }
        return records;
    }

    private record Due(long dueAtMs, int ordinal) {

        static final Comparator<Due> ORDER =
                Comparator.comparingLong(Due::dueAtMs).thenComparingInt(Due::ordinal);
    }

    /** A step: a due time to be added, or as many polls as it lacks to 0. */
    @Property(tries = 300)
    void whatIsDueFirstComesFirst(
            @ForAll @Size(max = 600) List<@LongRange(min = -5, max = 40) Long> steps, @ForAll boolean isReversed) {
        DueHeap heap = new DueHeap(pool);
        PriorityQueue<Due> model = new PriorityQueue<>(Due.ORDER);
        for (int i = 0; i < steps.size(); i++) {
            long step = steps.get(i);
            if (step >= 0) {
                int ordinal = i * 31 % 600;
                heap.add(step, ordinal);
                model.add(new Due(step, ordinal));
            }
            for (long polls = step; polls < 0 && !model.isEmpty(); polls++) {
                assertThat(new Due(heap.firstDueMs(), heap.firstOrdinal())).isEqualTo(model.poll());
                heap.poll();
            }
            assertThat(heap.size()).isEqualTo(model.size());
        }
        List<Due> rest = new ArrayList<>(model);
        rest.sort(isReversed ? Due.ORDER.reversed() : Due.ORDER);
        DueHeap last = isReversed ? heap.reversed() : heap;
        for (Due due : rest) {
            Due first = new Due(last.firstDueMs(), last.firstOrdinal());
            assertThat(isReversed ? new Due(~first.dueAtMs, ~first.ordinal) : first)
                    .isEqualTo(due);
            last.poll();
        }
        assertThat(last.isEmpty()).isTrue();
        assertThat(heap.isEmpty()).isTrue();
    }

    /** As below: what was given back is known by what was left in it. */
    @Example
    void chunksOfDueTimesThatWerePassedAreGivenBack() {
        ChunkPool own = new ChunkPool(128);
        DueHeap heap = new DueHeap(own);
        for (int ordinal = 1; ordinal <= 80; ordinal++) {
            heap.add(ordinal, ordinal);
        }
        for (int ordinal = 1; ordinal <= 80; ordinal++) {
            assertThat(heap.firstOrdinal()).isEqualTo(ordinal);
            heap.poll();
        }
        int used = 0;
        for (int chunk = 0; chunk < 20; chunk++) {
            if (own.take().mismatch(ByteBuffer.allocate(128)) >= 0) {
                used++;
            }
        }
        assertThat(used).as("chunks of 8 due times, but for those in arrays").isEqualTo(9);
    }

    /** What was given back is used again, with what was left in it. */
    @Example
    void endsThatAreClearedGiveTheirMemoryBack() {
        ChunkPool own = new ChunkPool(128);
        PendingEnds ends = new PendingEnds(own);
        for (int seq = 1; seq <= 50; seq++) {
            ends.add(new EndRecord(
                    seq, TimerState.COMPLETED, seq, History.of(new PastAttempt(1, seq, 1, 0, 0, "", "-".repeat(60)))));
        }
        assertThat(ends.get(50)).isNotNull();
        ends.clear();
        assertThat(ends.get(50)).isNull();
        int used = 0;
        for (int chunk = 0; chunk < 100; chunk++) {
            if (own.take().mismatch(ByteBuffer.allocate(128)) >= 0) {
                used++;
            }
        }
        assertThat(used)
                .as("chunks of 128 bytes, for 50 attempts of more than 60 bytes")
                .isBetween(25, 99);
    }

    /** A store that has been open for long: positions are counted for ever. Each record has a chunk of its own, to get there with few. */
    @Example
    void whatHasFinishedIsFoundBeyondTwoGibibytesOfIt() {
        QueueTable queues = new QueueTable();
        queues.completed();
        int chunkBytes = 128 << 10;
        FinishedTable table = new FinishedTable(queues, 2, new ChunkPool(chunkBytes));
        byte[] queue = {'q'};
        byte[][] keys = new byte[3][0xffff];
        for (int i = 0; i < keys.length; i++) {
            keys[i][0] = (byte) i;
        }
        int boundary = (int) ((1L << 31) / chunkBytes);
        for (int id = 1; id <= boundary + 10; id++) {
            byte[] key = keys[id % 3];
            table.add(
                    id % 3,
                    queues.get("q"),
                    new FinishedRecord(TimerState.COMPLETED, id, 2, 3, 4, 5, 6, queue, key, History.NONE));
            assertThat(table.size()).isEqualTo(Math.min(id, 2));
            if (id > boundary - 10) {
                FinishedRecord known = table.get(id % 3, queue, key);
                assertThat(known == null ? 0 : known.id()).isEqualTo(id);
                assertThat(table.get((id + 1) % 3, queue, keys[(id + 1) % 3])).isNull();
            }
        }
        assertThat(table.firstPosition()).isGreaterThan(1L << 31);
    }

    /** Many more than are remembered: those that have gone leave the index too, a part of it at a time, and are not found in it until then. */
    @Example
    void whatHasGoneLeavesTheIndexToo() {
        QueueTable queues = new QueueTable();
        queues.completed();
        int remembered = 1_000;
        int most = 4_096;
        FinishedTable table = new FinishedTable(queues, remembered, new ChunkPool(1 << 14));
        byte[] queue = {'q'};
        for (int id = 1; id <= 20_000; id++) {
            table.add(
                    spread(id),
                    queues.get("q"),
                    new FinishedRecord(
                            TimerState.COMPLETED, id, 2, 3, 4, 5, 6, queue, Remembered.name("k", id), History.NONE));
            if (id % 37 == 0) {
                assertThat(table.size()).isEqualTo(Math.min(id, remembered));
                assertThat(table.stale()).isBetween(Math.min(Math.max(0, id - remembered), most - 64), most);
                for (int other : new int[] {id, id - remembered + 1, id - remembered, id - remembered - 700, 1}) {
                    FinishedRecord known = table.get(spread(other), queue, Remembered.name("k", other));
                    assertThat(known == null ? 0 : known.id())
                            .isEqualTo(other > 0 && other > id - remembered ? other : 0);
                }
            }
        }
    }

    /** Of any number, over all of the index, but two of each three numbers in a row have one hash. */
    private static long spread(int id) {
        return (id / 3 * 2 + id % 3 / 2) * 0x9e3779b97f4a7c15L;
    }

    /** A finished timer, or null for one that was forgotten early. */
    private static final class Remembered {

        private final QueueTable queues = new QueueTable();
        private final int most;
        private final FinishedTable table;
        private final List<@Nullable FinishedRecord> model = new ArrayList<>();

        Remembered(int most, ChunkPool pool) {
            this.most = most;
            this.table = new FinishedTable(queues, most, pool);
            queues.completed();
        }

        private static FinishedRecord record(int step) {
            return new FinishedRecord(
                    TimerState.CANCELLED,
                    step,
                    2,
                    3,
                    4,
                    5,
                    6,
                    name("q", step % 5),
                    name("key-of-some-length-", step % 41),
                    step % 3 == 0 ? history(step) : History.NONE);
        }

        private static History history(int step) {
            return History.of(new PastAttempt(1 + step % 9, step, 0, 0, 0, "-".repeat(step % 7), "+".repeat(step % 3)));
        }

        private static byte[] name(String kind, int number) {
            return (kind + number).getBytes(StandardCharsets.UTF_8);
        }

        /** Few, so that keys share one. */
        private static long hash(FinishedRecord record) {
            return record.key()[record.key().length - 1] & 3;
        }

        void add(int step) {
            FinishedRecord record = record(step);
            forget(record);
            model.add(record);
            if (model.size() > most) {
                model.remove(0);
            }
            QueueTable.Queue queue = queues.get(new String(record.queue(), StandardCharsets.UTF_8));
            table.add(hash(record), queue, record);
        }

        /** With one more attempt, the same number of them, or an id that is not remembered. */
        void amend(int step) {
            FinishedRecord record = record(step);
            FinishedRecord known = known(record);
            if (known == null) {
                table.amend(hash(record), record);
                return;
            }
            FinishedRecord other = new FinishedRecord(
                    TimerState.COMPLETED, known.id() + 1, 2, 3, 4, 5, 6, known.queue(), known.key(), History.NONE);
            table.amend(hash(other), other);
            FinishedRecord amended = known.with(
                    TimerState.COMPLETED,
                    7,
                    step % 2 == 0 || !known.history().isEmpty() ? History.NONE : history(step));
            table.amend(hash(amended), amended);
            if (amended.length() == known.length()) {
                model.replaceAll(one -> known.equals(one) ? amended : one);
                return;
            }
            model.replaceAll(one -> known.equals(one) ? null : one);
            model.add(amended);
            if (model.size() > most) {
                model.remove(0);
            }
        }

        void removeUpTo(int step, int id) {
            FinishedRecord record = record(step);
            FinishedRecord last = new FinishedRecord(
                    TimerState.CANCELLED, id, 2, 3, 4, 5, 6, record.queue(), record.key(), History.NONE);
            model.replaceAll(one -> one != null && isSame(one, record) && one.id() <= id ? null : one);
            table.removeUpTo(hash(last), last);
        }

        private @Nullable FinishedRecord known(FinishedRecord record) {
            return all().stream().filter(one -> isSame(one, record)).findFirst().orElse(null);
        }

        void remove(int step) {
            FinishedRecord record = record(step);
            forget(record);
            table.remove(hash(record), record.queue(), record.key());
        }

        private void forget(FinishedRecord record) {
            model.replaceAll(one -> one != null && isSame(one, record) ? null : one);
        }

        private static boolean isSame(FinishedRecord one, FinishedRecord other) {
            return Arrays.equals(one.queue(), other.queue()) && Arrays.equals(one.key(), other.key());
        }

        List<FinishedRecord> all() {
            return model.stream().filter(one -> one != null).toList();
        }

        void check(int step) {
            FinishedRecord record = record(step);
            FinishedRecord known = known(record);
            assertThat(table.get(hash(record), record.queue(), record.key())).isEqualTo(known);
            assertThat(table.size()).isEqualTo(all().size());
            assertThat(table.recordBytes())
                    .isEqualTo(all().stream().mapToLong(FinishedRecord::length).sum());
            assertThat(queues.counts()).hasSize((int)
                    all().stream().map(one -> one.queue()[1]).distinct().count());
        }

        void checkCopy(ChunkPool pool) {
            assertThat(copied(table.copy(pool))).isEqualTo(all());
        }

        /** While others finish, and from the end on too: what stands at the end of it all is copied. */
        void checkCopyBeside(List<Integer> steps, ChunkPool pool) {
            RecordQueue copy = new RecordQueue(pool);
            long next = table.firstPosition();
            for (int step : steps) {
                if (!table.isEnd(next)) {
                    next = table.copy(next, copy);
                }
                add(step);
            }
            while (!table.isEnd(next)) {
                next = table.copy(next, copy);
            }
            assertThat(copied(copy)).containsSubsequence(all());
        }

        private static List<FinishedRecord> copied(RecordQueue records) {
            List<FinishedRecord> copied = new ArrayList<>();
            for (long at = records.first(); at < records.end(); at = records.next(at)) {
                ByteBuffer chunk = records.chunk(at);
                int offset = records.offset(at);
                assertThat(FinishedRecord.length(chunk, offset)).isEqualTo(records.length(at));
                copied.add(FinishedRecord.read(chunk, offset));
            }
            return copied;
        }
    }

    /** A step: a key to be forgotten, at any rate or when it is not newer, to be amended, or to be remembered as the last. */
    @Property(tries = 100)
    void lastFinishedTimersAreRememberedInTheirOrder(
            @ForAll @Size(max = 300) List<@IntRange(max = 9_999) Integer> steps,
            @ForAll @IntRange(min = 1, max = 60) int most,
            @ForAll @IntRange(min = 8, max = 200) int kinds) {
        ChunkPool pool = new ChunkPool(256);
        Remembered remembered = new Remembered(most, pool);
        int added = 0;
        for (int step : steps) {
            int kind = step / 41 % kinds;
            switch (kind) {
                case 0 -> remembered.remove(step);
                case 1 -> remembered.removeUpTo(step, step * 7 % 10_000);
                case 2, 3 -> remembered.amend(step);
                case 8 -> remembered.amend(added);
                case 9 -> remembered.removeUpTo(added, added);
                case 10 -> remembered.remove(added);
                default -> {
                    remembered.add(step);
                    added = step;
                }
            }
            // A look ends what waits to be done to many at once, so it is seldom among many kinds.
            if (kind < 8) {
                remembered.check(step);
            }
        }
        for (int key = 0; key < 5 * 41; key++) {
            remembered.check(key);
        }
        remembered.checkCopy(pool);
        remembered.checkCopyBeside(steps, pool);
        remembered.checkCopy(pool);
    }
}
