package io.tickwheel.server.wire;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Points in time as RFC 3339 writes them: {@code 2026-11-20T15:04:05.113Z}.
 *
 * <p>Worked example: the fraction of {@code 2026-11-20T15:04:05.0001Z} is 100,000 ns; the engine rounds it up to the next
 * millisecond, because a timer may be late and never early.
 */
public final class TimeText {

    static final String RULE = "must be RFC 3339 with a zone, such as 2026-11-20T15:04:05.113Z or ...T16:04:05+01:00";

    private static final long MS_PER_DAY = 86_400_000L;
    private static final int DATE_TIME_CHARS = 19;

    /** Milliseconds since the epoch are this far from it; a smaller number may as well be seconds. */
    private static final long NEAREST_EPOCH_MS = 100_000_000_000L;

    private TimeText() {}

    /**
     * Reads a time.
     *
     * @throws IllegalArgumentException with the rule that is broken
     */
    public static Instant parse(String text) {
        int length = text.length();
        if (length < DATE_TIME_CHARS) {
            throw new IllegalArgumentException(RULE);
        }
        int at = DATE_TIME_CHARS;
        int nanos = 0;
        if (at < length && text.charAt(at) == '.') {
            int digits = 0;
            for (at++; at < length && isDigit(text.charAt(at)); at++) {
                digits++;
                if (digits > 9) {
                    throw new IllegalArgumentException("must have at most nine digits of a second");
                }
                nanos = nanos * 10 + (text.charAt(at) - '0');
            }
            if (digits == 0) {
                throw new IllegalArgumentException(RULE);
            }
            for (; digits < 9; digits++) {
                nanos *= 10;
            }
        }
        ZoneOffset offset = offset(text, at);
        return dateTime(text, nanos).toInstant(offset);
    }

    /**
     * The time that a number of milliseconds since the epoch stands for.
     *
     * <p>Worked example: 1796000000 is 2026-11-30 when it counts seconds, and 1970-01-21 when it counts milliseconds. Its sender
     * meant the first, and a timer would fire at once; so 1966-11 to 1973-03 can be written as RFC 3339 only.
     *
     * @throws IllegalArgumentException with both readings, when the number may be one of seconds
     */
    public static Instant ofEpochMs(long epochMs) {
        if (epochMs > -NEAREST_EPOCH_MS && epochMs < NEAREST_EPOCH_MS) {
            throw new IllegalArgumentException("as milliseconds " + format(epochMs) + ", as seconds "
                    + format(epochMs * 1_000) + "; must be RFC 3339, or milliseconds since the epoch of at least "
                    + NEAREST_EPOCH_MS + " or at most -" + NEAREST_EPOCH_MS);
        }
        return Instant.ofEpochMilli(epochMs);
    }

    /** The time in UTC with exactly three digits of a second. */
    public static String format(long epochMs) {
        long day = Math.floorDiv(epochMs, MS_PER_DAY);
        int ms = (int) Math.floorMod(epochMs, MS_PER_DAY);
        LocalDate date = LocalDate.ofEpochDay(day);
        StringBuilder out = new StringBuilder(24);
        int year = date.getYear();
        if (year < 0 || year > 9_999) {
            out.append(year);
        } else {
            digits(out, year, 4);
        }
        digits(out.append('-'), date.getMonthValue(), 2);
        digits(out.append('-'), date.getDayOfMonth(), 2);
        digits(out.append('T'), ms / 3_600_000, 2);
        digits(out.append(':'), ms / 60_000 % 60, 2);
        digits(out.append(':'), ms / 1_000 % 60, 2);
        digits(out.append('.'), ms % 1_000, 3);
        return out.append('Z').toString();
    }

    private static LocalDateTime dateTime(String text, int nanos) {
        boolean shape = text.charAt(4) == '-'
                && text.charAt(7) == '-'
                && (text.charAt(10) == 'T' || text.charAt(10) == 't')
                && text.charAt(13) == ':'
                && text.charAt(16) == ':';
        if (!shape) {
            throw new IllegalArgumentException(RULE);
        }
        try {
            return LocalDateTime.of(
                    number(text, 0, 4),
                    number(text, 5, 2),
                    number(text, 8, 2),
                    number(text, 11, 2),
                    number(text, 14, 2),
                    number(text, 17, 2),
                    nanos);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be a day and time that exist", e);
        }
    }

    private static ZoneOffset offset(String text, int at) {
        int left = text.length() - at;
        if (left == 0) {
            throw new IllegalArgumentException("has no zone, " + RULE);
        }
        char sign = text.charAt(at);
        if (left == 1 && (sign == 'Z' || sign == 'z')) {
            return ZoneOffset.UTC;
        }
        if (left != 6 || (sign != '+' && sign != '-') || text.charAt(at + 3) != ':') {
            throw new IllegalArgumentException(RULE);
        }
        int hours = number(text, at + 1, 2);
        int minutes = number(text, at + 4, 2);
        if (hours > 18 || minutes > 59 || (hours == 18 && minutes > 0)) {
            throw new IllegalArgumentException("must have an offset of at most 18 hours");
        }
        int seconds = hours * 3_600 + minutes * 60;
        return ZoneOffset.ofTotalSeconds(sign == '-' ? -seconds : seconds);
    }

    private static int number(String text, int from, int digits) {
        int value = 0;
        for (int i = from; i < from + digits; i++) {
            char c = text.charAt(i);
            if (!isDigit(c)) {
                throw new IllegalArgumentException(RULE);
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static void digits(StringBuilder out, int value, int width) {
        for (int unit = width == 4 ? 1_000 : width == 3 ? 100 : 10; unit > 0; unit /= 10) {
            out.append((char) ('0' + value / unit % 10));
        }
    }
}
