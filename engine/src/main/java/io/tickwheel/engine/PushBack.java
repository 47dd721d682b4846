package io.tickwheel.engine;

import io.tickwheel.engine.rule.DueTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a timer remembers so that it can be pushed back: by {@link Tickwheel#touch}, and by requests with {@link TimerRequest#withMaxWait}. Immutable.
 *
 * @param delay what it was scheduled with, or the distance of its due time from the moment it was taken: 0 ms to 10,000 years, in whole milliseconds
 * @param firstScheduledAt when its key was scheduled while no timer waited under it, in whole milliseconds
 * @param maxWait how long after that moment it is due at the latest: 1 ms to 10,000 years, in whole milliseconds; null for any time
 */
public record PushBack(
        Duration delay, Instant firstScheduledAt, @Nullable Duration maxWait) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public PushBack {
        Objects.requireNonNull(delay, "delay");
        Objects.requireNonNull(firstScheduledAt, "firstScheduledAt");
        checkWhole("delay", delay, Duration.ZERO);
        DueTimes.ceilMs(firstScheduledAt);
        if (!firstScheduledAt.equals(Instant.ofEpochMilli(firstScheduledAt.toEpochMilli()))) {
            throw new IllegalArgumentException(
                    "firstScheduledAt is " + firstScheduledAt + ", must be of whole milliseconds");
        }
        if (maxWait != null) {
            checkWhole("maxWait", maxWait, Duration.ofMillis(1));
        }
    }

    private static void checkWhole(String name, Duration value, Duration least) {
        if (value.compareTo(least) < 0 || value.compareTo(DueTimes.LONGEST) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", must be " + least.toMillis() + " ms to " + DueTimes.LONGEST);
        }
        if (!value.equals(Duration.ofMillis(value.toMillis()))) {
            throw new IllegalArgumentException(name + " is " + value + ", must be of whole milliseconds");
        }
    }

    /** The same, scheduled first at another moment. */
    public PushBack since(Instant first) {
        return new PushBack(delay, first, maxWait);
    }

    /** When it is due at the latest, in milliseconds since the epoch. */
    public long latestMs() {
        return maxWait == null ? Long.MAX_VALUE : firstScheduledAt.toEpochMilli() + maxWait.toMillis();
    }
}
