package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The small tables against those of the JDK. */
class TableModelsTest {

    private final SplittableRandom random = new SplittableRandom(5);

    private record Entry(long due, int ordinal) {}

    @Test
    void heapGivesWhatAPriorityQueueGives() {
        DueHeap heap = new DueHeap();
        PriorityQueue<Entry> model =
                new PriorityQueue<>(Comparator.comparingLong(Entry::due).thenComparingInt(Entry::ordinal));
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(5) < 3) {
                Entry entry = new Entry(random.nextInt(100), random.nextInt(1_000));
                heap.add(entry.due, entry.ordinal);
                model.add(entry);
            } else if (!model.isEmpty()) {
                Entry first = model.poll();
                assertThat(new Entry(heap.firstDueMs(), heap.firstOrdinal())).isEqualTo(first);
                heap.poll();
            }
            assertThat(heap.size()).isEqualTo(model.size());
        }
    }

    @Test
    void loadedTimersAreFoundBySeq() {
        StoreLane lane = new QueueTable().get(new Lane("q", Lane.QUEUE_ROUTE));
        Memtable shelf = new Memtable(1, new ChunkPool(), new QueueTable());
        LoadedTable table = new LoadedTable();
        Map<Long, LoadedTimer> model = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long seq = 1 + random.nextLong(6_000);
            LoadedTimer known = model.get(seq);
            assertThat(table.get(seq)).isSameAs(known);
            // Grows, and shrinks again.
            boolean grows = i < 50_000;
            if (known == null && grows) {
                LoadedTimer timer = new LoadedTimer(shelf, 0, seq, 0, lane, LoadRoom.Age.FRESH, 0, 0);
                table.add(timer);
                model.put(seq, timer);
            } else if (known != null && (!grows || random.nextInt(4) == 0)) {
                table.remove(known);
                model.remove(seq);
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
    }

    @Test
    void lastEndOfASeqIsKnownElsewhere() {
        EndedElsewhere table = new EndedElsewhere();
        Map<Long, EndedElsewhere.End> model = new HashMap<>();
        List<TimerState> states = List.of(TimerState.COMPLETED, TimerState.CANCELLED, TimerState.EXPIRED);
        for (int order = 0; order < 20_000; order++) {
            long seq = 1 + random.nextLong(30_000);
            TimerState state = random.nextInt(4) == 0 ? null : states.get(random.nextInt(3));
            int attempts = state == null ? 0 : random.nextInt();
            if (state == null) {
                table.addReplaced(seq);
            } else {
                table.add(new EndRecord(seq, state, attempts));
            }
            model.put(seq, new EndedElsewhere.End(order, state, attempts));
            assertThat(table.size()).isEqualTo(model.size());
        }
        for (long seq = 1; seq <= 30_000; seq++) {
            assertThat(table.contains(seq)).isEqualTo(model.containsKey(seq));
            assertThat(table.get(seq)).isEqualTo(model.get(seq));
        }
        table.clear();
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.contains(1)).isFalse();
    }

    @Test
    void lastFinishedTimersAreRememberedInTheirOrder() {
        QueueTable queues = new QueueTable();
        queues.completed();
        FinishedTable table = new FinishedTable(queues, 100);
        Map<TimerKey, Long> model = new LinkedHashMap<>();
        for (long i = 0; i < 20_000; i++) {
            TimerKey key = new TimerKey("q" + random.nextInt(20), "k" + random.nextInt(30));
            if (random.nextInt(4) == 0) {
                table.remove(key);
                model.remove(key);
            } else {
                table.add(key, i, 1, 0, 0, TimerState.COMPLETED, 1, 0);
                model.remove(key);
                model.put(key, i);
            }
            assertThat(table.size()).isLessThanOrEqualTo(100);
            FinishedTable.Finished found = table.get(key);
            assertThat(found == null ? null : found.id()).isEqualTo(model.get(key));
        }
        // What is remembered is the end of what there was.
        List<Long> ids = List.copyOf(model.values());
        long order = table.firstOrder();
        List<Long> remembered = new ArrayList<>();
        for (; order < table.nextOrder(); order++) {
            FinishedTable.Finished one = table.at(order);
            if (one != null) {
                remembered.add(one.id());
            }
        }
        assertThat(remembered)
                .hasSizeGreaterThan(50)
                .isEqualTo(ids.subList(ids.size() - remembered.size(), ids.size()));
        remembered.forEach(id -> assertThat(ids).contains(id));
    }

    @Test
    void queueIsForgottenWhenNothingOfItIsKnown() {
        QueueTable queues = new QueueTable();
        StoreLane earlyLane = queues.get(new Lane("early", 1));
        QueueTable.Queue early = queues.get("early");
        assertThat(earlyLane.queue).isSameAs(early);
        queues.count(early, false, 1);
        queues.count(early, false, -1);
        assertThat(queues.find("early")).as("before all are counted").isSameAs(early);
        queues.completed();
        assertThat(queues.find("early")).isNull();
        assertThat(earlyLane.forgotten).isTrue();
        assertThat(queues.find(earlyLane.lane)).isNull();
        QueueTable.Queue queue = queues.get("q");
        StoreLane lane = queues.get(new Lane("q", 7));
        assertThat(lane.number).as("used again").isEqualTo(earlyLane.number);
        assertThat(queues.lane(lane.number)).isSameAs(lane);
        queues.count(queue, false, 1);
        queues.countFinished(queue, 1);
        queues.count(queue, false, -1);
        assertThat(queues.find("q")).as("one is remembered").isSameAs(queue);
        queues.count(queue, true, 1);
        queues.countFinished(queue, -1);
        assertThat(queues.find("q")).as("one is dead").isSameAs(queue);
        queues.count(queue, true, -1);
        assertThat(queues.find("q")).isNull();
        assertThat(queues.live()).isZero();
    }
}
