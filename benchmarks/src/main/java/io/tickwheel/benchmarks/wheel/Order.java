package io.tickwheel.benchmarks.wheel;

import java.util.Arrays;
import java.util.Locale;

/** In which order timers that are scheduled one after the other come due: neighbours in memory at the same time, or anywhere. */
enum Order {
    SEQUENTIAL,
    RANDOM;

    static Order named(String name) {
        return Arrays.stream(values())
                .filter(order -> order.toString().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("order is '" + name + "', must be sequential or random"));
    }

    /** Returns a place of {@code places} for one of {@code timers}. */
    long place(int timer, int timers, long places, SplitMix random) {
        return this == SEQUENTIAL ? timer * places / timers : SplitMix.upper(random.next(), places);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
