package io.tickwheel.store.file;

import io.tickwheel.store.TimerState;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Builds the {@link TimerTable} from records, in the order in which they were written. */
final class Replay implements Consumer<LogRecord> {

    private static final byte[] NOTHING = new byte[0];

    private final TimerTable table;
    private final Map<Long, StoredTimer> byId = new HashMap<>();
    private long nextId;

    Replay(TimerTable table, long nextId) {
        this.table = table;
        this.nextId = nextId;
    }

    /** Higher than every id that was met. */
    long nextId() {
        return nextId;
    }

    @Override
    public void accept(LogRecord record) {
        if (record instanceof LogRecord.Schedule schedule) {
            StoredTimer timer = new StoredTimer(schedule, table.shared(schedule.key()));
            StoredTimer old = table.get(timer.key);
            if (old != null) {
                byId.remove(old.id);
            }
            byId.put(timer.id, timer);
            table.put(timer);
            nextId = Math.max(nextId, timer.id + 1);
        } else if (record instanceof LogRecord.Cancel cancel) {
            finish(cancel.id(), TimerState.CANCELLED);
        } else if (record instanceof LogRecord.Retry retry) {
            StoredTimer timer = byId.get(retry.id());
            if (timer != null) {
                timer.dueAtMs = retry.dueAtMs();
                timer.attempts = retry.attempts();
            }
        } else if (record instanceof LogRecord.Finish finish) {
            StoredTimer timer = byId.get(finish.id());
            if (timer != null) {
                timer.attempts = finish.attempts();
                finish(finish.id(), finish.state());
            }
        }
    }

    /** A timer that was not met was replaced, or forgotten, before the snapshot was written. */
    private void finish(long id, TimerState state) {
        StoredTimer timer = byId.get(id);
        if (timer == null) {
            return;
        }
        if (state != TimerState.DEAD) {
            timer.content = NOTHING;
            byId.remove(id);
        }
        if (table.get(timer.key) == timer) {
            table.setState(timer, state);
        } else {
            // The snapshot had it finished already, and others that finished before it have pushed it out meanwhile.
            timer.state = state;
            table.put(timer);
        }
    }
}
