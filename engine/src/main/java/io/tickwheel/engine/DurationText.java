package io.tickwheel.engine;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/** Durations as people write them, {@code 1h30m} or {@code 1500ms}, and as ISO 8601 does, {@code PT30M} or {@code P2D}. */
public final class DurationText {

    private static final String RULE = "must be a duration such as 1500ms, 30m, 1h30m, 7d or PT30M";

    private static final String NEGATIVE = "must not be negative";
    private static final String TOO_LONG = "is too long";

    private DurationText() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException with the rule that is broken
     */
    public static Duration parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(RULE);
        }
        if (text.indexOf('-') >= 0) {
            throw new IllegalArgumentException(text.matches("-?P?T?-?[0-9].*") ? NEGATIVE : RULE);
        }
        return text.charAt(0) == 'P' ? iso(text) : units(text);
    }

    /** The JDK reads months and years as an error too, which is right: they have no length. It also reads signs. */
    private static Duration iso(String text) {
        if (text.indexOf('+') >= 0) {
            throw new IllegalArgumentException(RULE);
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            boolean overflow = e.getCause() instanceof ArithmeticException
                    || String.valueOf(e.getMessage()).contains("overflow");
            throw new IllegalArgumentException(
                    overflow ? TOO_LONG : RULE + "; months and years have no fixed length", e);
        }
    }

    private static Duration units(String text) {
        Duration sum = Duration.ZERO;
        long lastUnitMs = Long.MAX_VALUE;
        int at = 0;
        while (at < text.length()) {
            int digits = at;
            while (digits < text.length() && isDigit(text.charAt(digits))) {
                digits++;
            }
            int end = digits;
            while (end < text.length() && !isDigit(text.charAt(end))) {
                end++;
            }
            long unitMs = unitMs(text.substring(digits, end));
            if (digits == at || unitMs >= lastUnitMs) {
                throw new IllegalArgumentException(RULE);
            }
            sum = plus(sum, text.substring(at, digits), unitMs);
            lastUnitMs = unitMs;
            at = end;
        }
        return sum;
    }

    private static Duration plus(Duration sum, String digits, long unitMs) {
        try {
            return sum.plus(Duration.ofMillis(Math.multiplyExact(Long.parseLong(digits), unitMs)));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException(TOO_LONG, e);
        }
    }

    private static long unitMs(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> throw new IllegalArgumentException(RULE);
        };
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
