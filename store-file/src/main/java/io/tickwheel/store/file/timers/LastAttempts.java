package io.tickwheel.store.file.timers;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.record.FinishedRecord;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The timers that were cancelled while an attempt ran, for as long as that runs. On the disk, and in all other tables, they have ended as
 * cancelled: so a crash leaves just that. Owned by the loop; O(1).
 */
final class LastAttempts {

    private final Map<TimerKey, Last> byKey = new HashMap<>();

    private record Last(LoadedTimer timer, FinishedRecord record) {}

    void add(LoadedTimer timer, FinishedRecord record) {
        byKey.put(timer.key(), new Last(timer, record));
    }

    /** The one of a key, as it is remembered; null when there is none. */
    @Nullable
    FinishedRecord get(byte[] queue, byte[] key) {
        if (byKey.isEmpty()) {
            return null;
        }
        Last last = byKey.get(
                new TimerKey(new String(queue, StandardCharsets.UTF_8), new String(key, StandardCharsets.UTF_8)));
        return last == null ? null : last.record;
    }

    boolean contains(LoadedTimer timer) {
        Last last = byKey.get(timer.key());
        return last != null && last.timer == timer;
    }

    /** Forgets the one of a timer, and returns how it was remembered; null when its key has had a new timer since. */
    @Nullable
    FinishedRecord remove(LoadedTimer timer) {
        Last last = byKey.get(timer.key());
        if (last == null || last.timer != timer) {
            return null;
        }
        byKey.remove(timer.key());
        return last.record;
    }

    /** Forgets the one of a key that has a new timer. */
    void forget(TimerKey key) {
        byKey.remove(key);
    }
}
