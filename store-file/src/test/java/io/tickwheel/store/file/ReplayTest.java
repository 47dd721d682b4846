package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import org.junit.jupiter.api.Test;

/** The log over a snapshot that shows the timers as they were at some later time. */
class ReplayTest {

    private final TimerTable table = new TimerTable(1);
    private final Replay replay = new Replay(table, 1);

    private static LogRecord.Schedule schedule(long id, String key, long version, TimerState state) {
        return new LogRecord.Schedule(id, new TimerKey("q", key), version, 10 * id, 0, state, 0, new byte[] {1});
    }

    private StoredTimer get(String key) {
        return table.get(new TimerKey("q", key));
    }

    @Test
    void logThatIsReplayedOverItsOwnEndEndsThere() {
        replay.accept(schedule(2, "a", 2, TimerState.DEAD));
        replay.accept(schedule(1, "a", 1, TimerState.PENDING));
        replay.accept(schedule(2, "a", 2, TimerState.PENDING));
        replay.accept(new LogRecord.Retry(2, 99, 1));
        replay.accept(new LogRecord.Finish(2, TimerState.DEAD, 2));
        assertThat(get("a").version).isEqualTo(2);
        assertThat(get("a").dueAtMs).isEqualTo(99);
        assertThat(get("a").attempts).isEqualTo(2);
        assertThat(get("a").content).as("of a dead timer").hasSize(1);
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 0, 0, 1));
        assertThat(replay.nextId()).isEqualTo(3);
    }

    @Test
    void timerThatFinishedLastIsTheOneThatIsRemembered() {
        replay.accept(schedule(2, "b", 1, TimerState.CANCELLED));
        replay.accept(schedule(1, "a", 1, TimerState.PENDING));
        replay.accept(new LogRecord.Cancel(1));
        assertThat(get("b")).as("pushed out meanwhile").isNull();
        replay.accept(new LogRecord.Cancel(2));
        assertThat(get("b").state).isEqualTo(TimerState.CANCELLED);
        assertThat(get("a")).isNull();
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 0, 0, 0));
    }

    @Test
    void forgottenTimerLeavesNoQueueBehind() {
        replay.accept(
                new LogRecord.Schedule(1, new TimerKey("gone", "a"), 1, 0, 0, TimerState.CANCELLED, 0, new byte[0]));
        replay.accept(schedule(2, "b", 1, TimerState.COMPLETED));
        replay.accept(new LogRecord.Retry(1, 5, 1));
        assertThat(table.queues()).containsExactly(new QueueCounts("q", 0, 0, 0));
    }

    @Test
    void whatIsSaidOfAnUnknownTimerIsLeftOut() {
        replay.accept(new LogRecord.Cancel(8));
        replay.accept(new LogRecord.Retry(8, 1, 1));
        replay.accept(new LogRecord.Finish(8, TimerState.DEAD, 1));
        assertThat(table.queues()).isEmpty();
    }
}
