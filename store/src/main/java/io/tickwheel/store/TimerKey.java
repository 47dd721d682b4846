package io.tickwheel.store;

import java.util.Objects;

/**
 * The caller's name of a timer: unique among the pending timers of its queue. Both parts are any Unicode text; the limits
 * on length and characters are set at the edge that takes them in. Immutable and thread-safe.
 */
public record TimerKey(String queue, String key) {

    public TimerKey {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(key, "key");
    }

    @Override
    public String toString() {
        return queue + "/" + key;
    }
}
