package io.tickwheel.store.file.calendar;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.record.TimerIds;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.timers.KeyState;

/** Shows timers of one store to callers. Immutable. */
final class TimerViews {

    private final TimerIds ids;

    TimerViews(long storeId) {
        this.ids = new TimerIds(storeId);
    }

    TimerView of(TimerKey key, KeyState timer) {
        return new TimerView(
                key,
                publicId(timer.id()),
                timer.version(),
                timer.dueAtMs(),
                timer.attemptAtMs(),
                timer.state(),
                timer.attempts(),
                timer.history().attempts());
    }

    /** Shows a record whose timer is in another state by now. */
    TimerView of(TimerKey key, TimerRecord record, TimerState state, int attempts) {
        return new TimerView(
                key,
                publicId(record.id()),
                record.version(),
                record.dueAtMs(),
                record.attemptAtMs(),
                state,
                attempts,
                record.history().attempts());
    }

    String publicId(long id) {
        return ids.publicId(id);
    }
}
