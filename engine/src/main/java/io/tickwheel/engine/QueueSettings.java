package io.tickwheel.engine;

import io.tickwheel.engine.rule.DueTimes;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is set of a queue; what is not set is as the configuration says, or as it is for every queue. Applies to attempts that start after it is known, whenever
 * their timers were scheduled, and is kept in the store, for all of its nodes. Immutable.
 *
 * <pre>{@code
 * timers.changeQueue("close-order", QueueChange.set(QueueSettings.NONE.withRate(RateLimit.of(100)).withConcurrency(10)));
 * }</pre>
 */
public final class QueueSettings {

    /** Of which nothing is set. */
    public static final QueueSettings NONE = new QueueSettings(new EnumMap<>(Field.class));

    /** The most levels of a queue. */
    public static final int MOST_LEVELS = 100;

    public static final int MOST_CONCURRENCY = 100_000;

    /** The shortest time that dead timers are kept. */
    public static final Duration SHORTEST_DEAD_FOR = Duration.ofHours(1);

    private static final Duration SHORTEST = Duration.ofMillis(1);

    /** What can be set. */
    public enum Field {
        TARGET("target", Destination.class),
        RETRY("retry", RetryPolicy.class),
        RATE("rate", RateLimit.class),
        CONCURRENCY("concurrency", Integer.class),
        PAUSED("paused", Boolean.class),
        SLOW_START("slowStart", SlowStart.class),
        DELAY_LEVELS("delayLevels", List.class),
        EXPIRE_AFTER("expireAfter", Duration.class),
        MAX_PENDING("maxPending", Long.class),
        DEAD_FOR("deadFor", Duration.class),
        DEAD_PER_QUEUE("deadPerQueue", Integer.class),
        EXCERPTS("excerpts", Boolean.class),
        SECRETS("secrets", SigningSecrets.class),
        CLOUD_EVENTS("cloudEvents", Boolean.class);

        private final String text;
        private final Class<?> type;

        Field(String text, Class<?> type) {
            this.text = text;
            this.type = type;
        }

        /** Its name in documents, such as {@code deadFor}. */
        public String text() {
            return text;
        }
    }

    private final Map<Field, Object> values;

    private QueueSettings(Map<Field, Object> values) {
        this.values = values;
    }

    /** Where timers go that name no destination. */
    public @Nullable Destination target() {
        return (Destination) values.get(Field.TARGET);
    }

    /** How timers without a rule of their own are retried. */
    public @Nullable RetryPolicy retry() {
        return (RetryPolicy) values.get(Field.RETRY);
    }

    /** How many attempts may start a second. */
    public @Nullable RateLimit rate() {
        return (RateLimit) values.get(Field.RATE);
    }

    /** How many attempts may run at once: 1 to 100,000. */
    public @Nullable Integer concurrency() {
        return (Integer) values.get(Field.CONCURRENCY);
    }

    /** Whether no attempt starts. */
    public @Nullable Boolean paused() {
        return (Boolean) values.get(Field.PAUSED);
    }

    /** How it starts again after a pause. */
    public @Nullable SlowStart slowStart() {
        return (SlowStart) values.get(Field.SLOW_START);
    }

    /**
     * The delays that callers of a server name by their place, from 1 on: 1 to {@value #MOST_LEVELS}, each from 1 ms on, in whole milliseconds. {@link TimerRequest#atLevel} does not look at them.
     */
    @SuppressWarnings("unchecked")
    public @Nullable List<Duration> delayLevels() {
        return (List<Duration>) values.get(Field.DELAY_LEVELS);
    }

    /** How long after they were first due attempts may start, of timers that do not say it themselves; from 1 ms, in whole milliseconds. */
    public @Nullable Duration expireAfter() {
        return (Duration) values.get(Field.EXPIRE_AFTER);
    }

    /** How many timers may be pending or claimed; from 0. Replacing one is always possible. */
    public @Nullable Long maxPending() {
        return (Long) values.get(Field.MAX_PENDING);
    }

    /** How long dead timers are kept; from 1 h, in whole milliseconds. */
    public @Nullable Duration deadFor() {
        return (Duration) values.get(Field.DEAD_FOR);
    }

    /** How many dead timers are kept; from 0. */
    public @Nullable Integer deadPerQueue() {
        return (Integer) values.get(Field.DEAD_PER_QUEUE);
    }

    /** Whether the first bytes of what receivers answer are remembered with the attempts. */
    public @Nullable Boolean excerpts() {
        return (Boolean) values.get(Field.EXCERPTS);
    }

    /** With what callbacks are signed. */
    public @Nullable SigningSecrets secrets() {
        return (SigningSecrets) values.get(Field.SECRETS);
    }

    /** Whether callbacks are CloudEvents in binary mode. */
    public @Nullable Boolean cloudEvents() {
        return (Boolean) values.get(Field.CLOUD_EVENTS);
    }

    /** What is set of a field; null when nothing is. */
    public @Nullable Object get(Field field) {
        return values.get(field);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /**
     * The same with another value of a field.
     *
     * @param value of the type that the method for the field has; null for none
     * @throws IllegalArgumentException when the value is out of its range
     * @throws ClassCastException when it is of another type
     */
    public QueueSettings with(Field field, @Nullable Object value) {
        Map<Field, Object> changed = new EnumMap<>(Field.class);
        changed.putAll(values);
        if (value == null) {
            changed.remove(field);
        } else {
            changed.put(field, checked(field, field.type.cast(value)));
        }
        return new QueueSettings(changed);
    }

    private static Object checked(Field field, Object value) {
        switch (field) {
            case CONCURRENCY -> check(field, (Integer) value, 1, MOST_CONCURRENCY);
            case MAX_PENDING -> check(field, (Long) value, 0, Long.MAX_VALUE);
            case DEAD_PER_QUEUE -> check(field, (Integer) value, 0, Integer.MAX_VALUE);
            case EXPIRE_AFTER -> check(field, (Duration) value, SHORTEST, DueTimes.LONGEST);
            case DEAD_FOR -> check(field, (Duration) value, SHORTEST_DEAD_FOR, DueTimes.LONGEST);
            case DELAY_LEVELS -> {
                List<?> levels = List.copyOf((List<?>) value);
                check(field, levels.size(), 1, MOST_LEVELS);
                levels.forEach(level -> check(field, (Duration) level, SHORTEST, DueTimes.LONGEST));
                return levels;
            }
            default -> {
                // Checks itself.
            }
        }
        return value;
    }

    private static void check(Field field, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(field.text + " is " + value + ", must be " + least + " to " + most);
        }
    }

    private static void check(Field field, Duration value, Duration least, Duration most) {
        // In this order: what is too long has more milliseconds than can be counted.
        boolean isOutside = value.compareTo(least) < 0 || value.compareTo(most) > 0;
        if (isOutside || !value.equals(Duration.ofMillis(value.toMillis()))) {
            throw new IllegalArgumentException(
                    field.text + " is " + value + ", must be " + least + " to " + most + ", in whole milliseconds");
        }
    }

    public QueueSettings withTarget(Destination target) {
        return with(Field.TARGET, target);
    }

    public QueueSettings withRetry(RetryPolicy retry) {
        return with(Field.RETRY, retry);
    }

    public QueueSettings withRate(RateLimit rate) {
        return with(Field.RATE, rate);
    }

    public QueueSettings withConcurrency(int concurrency) {
        return with(Field.CONCURRENCY, concurrency);
    }

    public QueueSettings withPaused(boolean paused) {
        return with(Field.PAUSED, paused);
    }

    public QueueSettings withSlowStart(SlowStart slowStart) {
        return with(Field.SLOW_START, slowStart);
    }

    public QueueSettings withDelayLevels(List<Duration> delayLevels) {
        return with(Field.DELAY_LEVELS, delayLevels);
    }

    public QueueSettings withExpireAfter(Duration expireAfter) {
        return with(Field.EXPIRE_AFTER, expireAfter);
    }

    public QueueSettings withMaxPending(long maxPending) {
        return with(Field.MAX_PENDING, maxPending);
    }

    public QueueSettings withDeadFor(Duration deadFor) {
        return with(Field.DEAD_FOR, deadFor);
    }

    public QueueSettings withDeadPerQueue(int deadPerQueue) {
        return with(Field.DEAD_PER_QUEUE, deadPerQueue);
    }

    public QueueSettings withExcerpts(boolean excerpts) {
        return with(Field.EXCERPTS, excerpts);
    }

    public QueueSettings withSecrets(SigningSecrets secrets) {
        return with(Field.SECRETS, secrets);
    }

    public QueueSettings withCloudEvents(boolean cloudEvents) {
        return with(Field.CLOUD_EVENTS, cloudEvents);
    }

    /** These, and where nothing is set, the others. */
    public QueueSettings over(QueueSettings others) {
        Map<Field, Object> both = new EnumMap<>(Field.class);
        both.putAll(others.values);
        both.putAll(values);
        return new QueueSettings(both);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueueSettings settings && values.equals(settings.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(values);
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
