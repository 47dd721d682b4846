package io.tickwheel.server.config;

import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.server.wire.RetryFields;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings of the retry policy of timers that have none of their own. */
final class RetrySettings {

    private static final String MAX_ATTEMPTS = "retry.maxAttempts";
    private static final String BACKOFF = "retry.backoff";
    private static final String INTERVAL = "retry.interval";
    private static final String DELAYS = "retry.delays";
    private static final String FACTOR = "retry.factor";
    private static final String MAX_BACKOFF = "retry.maxBackoff";
    private static final String JITTER = "retry.jitter";

    static final List<Setting> SETTINGS = List.of(
            Setting.of(MAX_ATTEMPTS, Setting.INTEGER, RetryPolicy.DEFAULT.maxAttempts()),
            Setting.of(BACKOFF, Setting.DURATION, RetryPolicy.DEFAULT.delays().get(0)),
            Setting.of(INTERVAL, Setting.DURATION),
            Setting.of(DELAYS, "list of durations"),
            Setting.of(FACTOR, Setting.NUMBER, RetryPolicy.DEFAULT.factor()),
            Setting.of(MAX_BACKOFF, Setting.DURATION, RetryPolicy.DEFAULT.maxBackoff()),
            Setting.of(JITTER, Setting.NUMBER, RetryPolicy.DEFAULT.jitter()));

    private final Function<String, @Nullable String> values;

    private RetrySettings(Function<String, @Nullable String> values) {
        this.values = values;
    }

    /** Whether a name is that of an element of a list; the list itself is a setting too. */
    static boolean isInList(String name) {
        return name.startsWith(DELAYS + "[");
    }

    /**
     * @param values by the name of the setting; null for one that is not there
     * @throws StartException when a setting breaks its rule
     */
    static RetryPolicy read(Function<String, @Nullable String> values) {
        RetrySettings settings = new RetrySettings(values);
        String maxAttempts = values.apply(MAX_ATTEMPTS);
        RetryFields fields = new RetryFields()
                .maxAttempts(
                        maxAttempts == null
                                ? null
                                : Settings.integer(MAX_ATTEMPTS, maxAttempts, 1, RetryPolicy.MAX_ATTEMPTS))
                .backoff(settings.duration(BACKOFF))
                .interval(settings.duration(INTERVAL))
                .delays(settings.delays())
                .factor(settings.decimal(FACTOR, 1, RetryPolicy.MAX_FACTOR))
                .maxBackoff(settings.duration(MAX_BACKOFF))
                .jitter(settings.decimal(JITTER, 0, 1));
        try {
            return fields.policy();
        } catch (IllegalArgumentException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Duration duration(String name) {
        String value = values.apply(name);
        return value == null ? null : duration(name, value);
    }

    private static Duration duration(String name, String value) {
        return Settings.duration(name, value, RetryFields.SHORTEST, RetryPolicy.LONGEST);
    }

    private @Nullable List<Duration> delays() {
        String value = values.apply(DELAYS);
        if (value == null) {
            return null;
        }
        return Arrays.stream(value.split(",", -1))
                .map(delay -> duration(DELAYS, delay.strip()))
                .toList();
    }

    private @Nullable Double decimal(String name, double lowest, double highest) {
        String value = values.apply(name);
        if (value == null) {
            return null;
        }
        return Settings.decimal(name, value, lowest, highest);
    }
}
