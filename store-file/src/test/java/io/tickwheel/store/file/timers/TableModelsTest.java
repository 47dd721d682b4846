package io.tickwheel.store.file.timers;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.StoreLane;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The small tables against those of the JDK. */
class TableModelsTest {

    private final SplittableRandom random = new SplittableRandom(5);

    @Test
    void loadedTimersAreFoundBySeq() {
        StoreLane lane = new QueueTable().get(new Lane("q", Lane.QUEUE_ROUTE));
        Memtable memtable = new Memtable(1, new ChunkPool(), new QueueTable());
        LoadedTable table = new LoadedTable();
        Map<Long, LoadedTimer> model = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            long seq = 1 + random.nextLong(6_000);
            LoadedTimer known = model.get(seq);
            assertThat(table.get(seq)).isSameAs(known);
            // Grows, and shrinks again.
            boolean grows = i < 50_000;
            if (known == null && grows) {
                LoadedTimer timer = new LoadedTimer(memtable, 0, seq, 0, lane, LoadRoom.Age.FRESH, 0, 0);
                table.add(timer);
                model.put(seq, timer);
            } else if (known != null && (!grows || random.nextInt(4) == 0)) {
                table.remove(known);
                model.remove(seq);
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
        int first = new LoadedTable().places();
        assertThat(table.places())
                .as("with %d timers", table.size())
                .isLessThanOrEqualTo(Math.max(first, 8 * table.size()));
        model.values().forEach(table::remove);
        assertThat(table.places()).as("with none").isEqualTo(first);
    }

    @Test
    void lastEndOfASeqIsKnownElsewhere() {
        PendingEnds table = new PendingEnds(new ChunkPool(1_024));
        Map<Long, PendingEnds.End> model = new HashMap<>();
        List<TimerState> states =
                List.of(TimerState.COMPLETED, TimerState.CANCELLED, TimerState.EXPIRED, TimerState.DEAD);
        int lastOrder = 0;
        for (int i = 1; i <= 20_000; i++) {
            long seq = 1 + random.nextLong(30_000);
            TimerState state = random.nextInt(4) == 0 ? null : states.get(random.nextInt(4));
            boolean isRemembered = state != null && state != TimerState.DEAD;
            History ended = !isRemembered || random.nextInt(4) > 0
                    ? History.NONE
                    : History.of(new PastAttempt(
                            1 + random.nextInt(99), i, 0, 0, 0, "because", i % 2 == 0 ? "" : "said " + i));
            int attempts = state == null ? 0 : random.nextInt();
            if (state == null) {
                table.addReplaced(seq);
            } else {
                table.add(new EndRecord(seq, state, attempts, ended));
            }
            int order = isRemembered ? ++lastOrder : 0;
            model.put(seq, new PendingEnds.End(order, state, attempts, ended));
            assertThat(table.size()).isEqualTo(model.size());
            assertThat(table.lastOrder()).isEqualTo(lastOrder);
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
        assertThat(earlyLane.isForgotten()).isTrue();
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

    /** Else its number would be free twice, and two queues would have it. */
    @Test
    void queueIsForgottenOnceWhicheverOfItsCountsFallsLast() {
        QueueTable queues = new QueueTable();
        queues.completed();
        QueueTable.Queue queue = queues.get("q");
        queues.count(queue, false, 1);
        queues.countClaimed(queue, 1);
        queues.count(queue, false, -1);
        assertThat(queues.find("q")).as("one is claimed").isSameAs(queue);
        queues.countClaimed(queue, -1);
        assertThat(queues.find("q")).isNull();
        assertThat(queues.get("a").number).isNotEqualTo(queues.get("b").number);
    }
}
