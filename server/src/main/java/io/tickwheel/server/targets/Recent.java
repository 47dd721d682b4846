package io.tickwheel.server.targets;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was made of recent texts, for what is asked again and again with few of them: the targets of timers. A text that shares its place with another one takes it. What
 * fails is not kept. Thread-safe; two threads may make one result at the same time.
 */
final class Recent<V> {

    private static final int PLACES = 256;

    private final AtomicReferenceArray<@Nullable Made<V>> places = new AtomicReferenceArray<>(PLACES);
    private final Function<String, V> make;

    /** @param make always makes the same of a text, or throws */
    Recent(Function<String, V> make) {
        this.make = make;
    }

    private record Made<V>(String text, V value) {}

    V of(String text) {
        int hash = text.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        Made<V> made = places.get(place);
        if (made == null || !made.text.equals(text)) {
            made = new Made<>(text, make.apply(text));
            places.set(place, made);
        }
        return made.value;
    }
}
