package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimerTableTest {

    private static final int REMEMBERED = 3;

    private final TimerTable table = new TimerTable(REMEMBERED);
    private long lastId;

    private StoredTimer put(String queue, String key, TimerState state) {
        StoredTimer timer = new StoredTimer(
                new LogRecord.Schedule(++lastId, new TimerKey(queue, key), 1, 0, 0, state, 0, new byte[0]),
                new TimerKey(queue, key));
        table.put(timer);
        return timer;
    }

    private List<StoredTimer> walk() {
        List<StoredTimer> met = new ArrayList<>();
        for (StoredTimer timer = table.next(); timer != null; timer = table.next()) {
            met.add(timer);
        }
        return met;
    }

    @Test
    void oldestFinishedTimersAreForgotten() {
        List<StoredTimer> timers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            timers.add(put("q", "k" + i, TimerState.PENDING));
        }
        for (int i = 4; i >= 0; i--) {
            table.setState(timers.get(i), TimerState.CANCELLED);
        }
        assertThat(table.finished()).containsExactly(timers.get(2), timers.get(1), timers.get(0));
        assertThat(table.get(new TimerKey("q", "k4"))).isNull();
        assertThat(table.get(new TimerKey("q", "k3"))).isNull();
        assertThat(table.get(new TimerKey("q", "k2"))).isSameAs(timers.get(2));
    }

    @Test
    void deadTimersAreNotForgotten() {
        for (int i = 0; i < 10; i++) {
            table.setState(put("q", "k" + i, TimerState.PENDING), TimerState.DEAD);
        }
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 0, 0, 10));
        assertThat(table.finished()).isEmpty();
        assertThat(table.liveCount()).isZero();
    }

    @Test
    void finishedTimerWhoseKeyIsUsedAgainMakesRoom() {
        StoredTimer a = put("q", "a", TimerState.COMPLETED);
        put("q", "b", TimerState.COMPLETED);
        StoredTimer again = put("q", "b", TimerState.PENDING);
        StoredTimer c = put("q", "c", TimerState.EXPIRED);
        StoredTimer d = put("q", "d", TimerState.CANCELLED);
        assertThat(table.finished()).containsExactly(a, c, d);
        assertThat(table.get(new TimerKey("q", "b"))).isSameAs(again);
    }

    @Test
    void queueGoesWithItsLastTimer() {
        put("one", "a", TimerState.COMPLETED);
        assertThat(table.queues()).containsExactly(new QueueCounts("one", 0, 0, 0));
        for (int i = 0; i < REMEMBERED; i++) {
            put("other", "k" + i, TimerState.COMPLETED);
        }
        assertThat(table.queues()).containsExactly(new QueueCounts("other", 0, 0, 0));
    }

    @Test
    void countsFollowTheStates() {
        StoredTimer a = put("q", "a", TimerState.PENDING);
        put("q", "b", TimerState.PENDING);
        put("r", "c", TimerState.PENDING);
        table.setState(a, TimerState.CLAIMED);
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 1, 1, 0), new QueueCounts("r", 1, 0, 0));
        assertThat(table.liveCount()).isEqualTo(3);
        table.setState(a, TimerState.COMPLETED);
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 1, 0, 0), new QueueCounts("r", 1, 0, 0));
        assertThat(table.liveCount()).isEqualTo(2);
        put("q", "b", TimerState.PENDING);
        assertThat(table.liveCount()).isEqualTo(2);
    }

    @Test
    void walkMeetsTheKeptTimersInTheOrderOfTheirIds() {
        StoredTimer a = put("q", "a", TimerState.PENDING);
        put("q", "b", TimerState.COMPLETED);
        StoredTimer c = put("q", "c", TimerState.DEAD);
        table.startWalk();
        assertThat(walk()).containsExactly(a, c);
    }

    @Test
    void walkGoesOnWhenItsNextTimerLeaves() {
        StoredTimer a = put("q", "a", TimerState.PENDING);
        StoredTimer b = put("q", "b", TimerState.PENDING);
        StoredTimer c = put("q", "c", TimerState.PENDING);
        StoredTimer d = put("q", "d", TimerState.PENDING);
        table.startWalk();
        assertThat(table.next()).isSameAs(a);
        table.setState(b, TimerState.CANCELLED);
        StoredTimer replacing = put("q", "c", TimerState.PENDING);
        assertThat(walk()).containsExactly(d, replacing);
        assertThat(c.inTable.list).isNull();
    }

    @Test
    void walkEndsWhenItsLastTimerLeaves() {
        put("q", "a", TimerState.PENDING);
        StoredTimer last = put("q", "b", TimerState.PENDING);
        table.startWalk();
        table.next();
        table.setState(last, TimerState.COMPLETED);
        assertThat(walk()).isEmpty();
    }

    @Test
    void changedStateKeepsThePlaceInTheWalk() {
        StoredTimer a = put("q", "a", TimerState.PENDING);
        StoredTimer b = put("q", "b", TimerState.PENDING);
        table.setState(a, TimerState.CLAIMED);
        table.setState(a, TimerState.PENDING);
        table.startWalk();
        assertThat(walk()).containsExactly(a, b);
    }
}
