package io.tickwheel.server.targets;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** The Retry-After header of RFC 9110: seconds, or a date. */
public final class RetryAfter {

    private static final int MAX_DIGITS = 9;

    private RetryAfter() {}

    /** How long the receiver wants to be left alone; zero when it does not say so in a way that can be read. */
    public static Duration wait(@Nullable String value, Instant now) {
        if (value == null || value.isBlank()) {
            return Duration.ZERO;
        }
        String text = value.strip();
        if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return text.length() > MAX_DIGITS ? Duration.ofDays(1) : Duration.ofSeconds(Long.parseLong(text));
        }
        try {
            Instant until = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return until.isAfter(now) ? Duration.between(now, until) : Duration.ZERO;
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }
}
