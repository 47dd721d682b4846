package io.tickwheel.examples;

import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Values in memory, each of which can have an end: a timeout takes it away then, so that nobody has to look for what has ended. Thread-safe. */
final class KeyValueStore {

    private final WheelTimer timer;
    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

    /** What stands under a key. Another end makes another entry, so that the timeout of the one before takes nothing away that is not its own. */
    static final class Entry {

        private final byte[] value;
        private @Nullable Timeout end;

        private Entry(byte[] value) {
            this.value = value;
        }

        /** Must not be changed. */
        byte[] value() {
            return value;
        }

        /** How long it has still to live; empty when it has no end. */
        Optional<Duration> remaining() {
            return Optional.ofNullable(end).map(Timeout::remaining);
        }

        private void endsNever() {
            if (end != null) {
                end.cancel();
            }
        }
    }

    /** Closing the timer stays with the caller. */
    KeyValueStore(WheelTimer timer) {
        this.timer = timer;
    }

    /** The value must not be changed afterwards. */
    void put(String key, byte[] value) {
        entries.compute(key, (same, old) -> inPlaceOf(old, new Entry(value)));
    }

    void put(String key, byte[] value, Duration lifetime) {
        entries.compute(key, (same, old) -> inPlaceOf(old, ending(key, value, lifetime)));
    }

    private Entry ending(String key, byte[] value, Duration lifetime) {
        Entry entry = new Entry(value);
        entry.end = timer.schedule(() -> entries.remove(key, entry), lifetime);
        return entry;
    }

    private static Entry inPlaceOf(@Nullable Entry old, Entry entry) {
        if (old != null) {
            old.endsNever();
        }
        return entry;
    }

    Optional<Entry> find(String key) {
        return Optional.ofNullable(entries.get(key));
    }

    /** Gives whether there is something under the key. */
    boolean expire(String key, Duration lifetime) {
        return entries.computeIfPresent(key, (same, old) -> inPlaceOf(old, ending(key, old.value, lifetime))) != null;
    }

    /** Gives whether there was something with an end under the key; it has none now. */
    boolean persist(String key) {
        boolean[] had = {false};
        entries.computeIfPresent(key, (same, old) -> {
            had[0] = old.end != null;
            return inPlaceOf(old, new Entry(old.value));
        });
        return had[0];
    }

    /** Gives whether there was something under the key. */
    boolean remove(String key) {
        Entry entry = entries.remove(key);
        if (entry != null) {
            entry.endsNever();
        }
        return entry != null;
    }
}
