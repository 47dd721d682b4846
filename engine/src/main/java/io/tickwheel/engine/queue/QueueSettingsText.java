package io.tickwheel.engine.queue;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue as a text, which is stored: one line for each field that is set, in UTF-8. Durations are in milliseconds. Every later version must
 * read it; a line that this version does not know was written by a later one, and is passed over.
 *
 * <pre>
 *   target http POST http://shop:8080/close
 *   retry 16 2.0 3600000 0.1 1000,5000
 *   rate 100.0 5
 *   paused true
 *   secrets 1764000000000 whsec_...,whsec_...
 * </pre>
 */
public final class QueueSettingsText {

    private static final int OF_RETRY = 5;

    private QueueSettingsText() {}

    static byte[] write(QueueSettings settings) {
        StringBuilder text = new StringBuilder();
        for (QueueSettings.Field field : QueueSettings.Field.values()) {
            Object value = settings.get(field);
            if (value != null) {
                text.append(field.text()).append(' ').append(text(value)).append('\n');
            }
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Object value) {
        if (value instanceof Destination target) {
            return target.target() + ' ' + target.address();
        }
        if (value instanceof RetryPolicy retry) {
            return retry.maxAttempts() + " " + retry.factor() + ' ' + ms(retry.maxBackoff()) + ' ' + retry.jitter()
                    + ' ' + list(retry.delays());
        }
        if (value instanceof RateLimit rate) {
            return rate.perSecond() + " " + rate.burst();
        }
        if (value instanceof SlowStart slow) {
            Instant since = slow.since();
            return slow.perSecond() + (since == null ? "" : " " + since.toEpochMilli());
        }
        if (value instanceof SigningSecrets secrets) {
            Instant since = secrets.since();
            return (since == null ? 0 : since.toEpochMilli()) + " " + String.join(",", secrets.reveal());
        }
        if (value instanceof List<?> levels) {
            return list(levels);
        }
        return value instanceof Duration duration ? Long.toString(ms(duration)) : value.toString();
    }

    private static String list(List<?> durations) {
        return durations.stream()
                .map(each -> Long.toString(ms((Duration) each)))
                .collect(Collectors.joining(","));
    }

    private static long ms(Duration duration) {
        return duration.toMillis();
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException when a line is none of these, with the line
     */
    public static QueueSettings read(byte[] bytes) {
        QueueSettings settings = QueueSettings.NONE;
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", 0)) {
            int blank = line.indexOf(' ');
            QueueSettings.Field field = blank < 0 ? null : field(line.substring(0, blank));
            if (field != null) {
                try {
                    settings = settings.with(field, value(field, line.substring(blank + 1)));
                } catch (RuntimeException e) {
                    throw unreadable(field, line, e);
                }
            }
        }
        return settings;
    }

    /** Errors are logged: neither the line of secrets nor what an exception quotes of it may be in one. */
    private static IllegalArgumentException unreadable(QueueSettings.Field field, String line, RuntimeException e) {
        return field == QueueSettings.Field.SECRETS
                ? new IllegalArgumentException("the line of secrets in the settings cannot be read")
                : new IllegalArgumentException(
                        "the line of settings \"" + line + "\" cannot be read: " + e.getMessage(), e);
    }

    private static QueueSettings.@Nullable Field field(String name) {
        return Arrays.stream(QueueSettings.Field.values())
                .filter(field -> field.text().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static Object value(QueueSettings.Field field, String text) {
        return switch (field) {
            case TARGET -> {
                int blank = text.indexOf(' ');
                yield new Destination(text.substring(0, blank), text.substring(blank + 1));
            }
            case RETRY -> retry(text.split(" ", 0));
            case RATE -> {
                String[] parts = text.split(" ", 0);
                yield new RateLimit(Double.parseDouble(parts[0]), Integer.parseInt(parts[1]));
            }
            case SLOW_START -> {
                String[] parts = text.split(" ", 0);
                Instant since = parts.length == 1 ? null : Instant.ofEpochMilli(Long.parseLong(parts[1]));
                yield new SlowStart(Double.parseDouble(parts[0]), since);
            }
            case SECRETS -> {
                String[] parts = text.split(" ", 0);
                yield SigningSecrets.of(List.of(parts[1].split(",", 0)))
                        .since(Instant.ofEpochMilli(Long.parseLong(parts[0])));
            }
            case CONCURRENCY, DEAD_PER_QUEUE -> Integer.valueOf(text);
            case MAX_PENDING -> Long.valueOf(text);
            case PAUSED, EXCERPTS, CLOUD_EVENTS -> flag(text);
            case DELAY_LEVELS -> durations(text);
            case EXPIRE_AFTER, DEAD_FOR -> duration(text);
        };
    }

    private static Boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("must be true or false");
        };
    }

    private static RetryPolicy retry(String[] parts) {
        if (parts.length != OF_RETRY) {
            throw new IllegalArgumentException("there are " + parts.length + " parts, must be " + OF_RETRY);
        }
        return new RetryPolicy(
                Integer.parseInt(parts[0]),
                durations(parts[4]),
                Double.parseDouble(parts[1]),
                duration(parts[2]),
                Double.parseDouble(parts[3]));
    }

    private static List<Duration> durations(String text) {
        List<Duration> durations = new ArrayList<>();
        for (String each : text.split(",", 0)) {
            durations.add(duration(each));
        }
        return durations;
    }

    private static Duration duration(String text) {
        return Duration.ofMillis(Long.parseLong(text));
    }
}
