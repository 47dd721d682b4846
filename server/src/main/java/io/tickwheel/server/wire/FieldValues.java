package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads single values of a body. A wrong type is a fault of the structure, a wrong value one of content. */
public final class FieldValues {

    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Pattern JAVAS_OWN = Pattern.compile(".*([0-9.][dDfF]|[xX].*)", Pattern.DOTALL);

    private FieldValues() {}

    static String text(JsonParser json, String field) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw wrongType(json, field, "a string");
        }
        String text = json.getText();
        checkUnicode(text, field);
        return text;
    }

    /** @throws ProblemException when the text has half of a surrogate pair, which has no bytes in UTF-8 */
    static void checkUnicode(String text, String field) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw problem(
                            ProblemCode.LONE_SURROGATE,
                            field + " is " + Excerpt.quoted(text) + ", must have no half of a surrogate pair",
                            field);
                }
                i++;
            }
        }
    }

    static void object(JsonParser json, String field) {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw wrongType(json, field, "an object");
        }
    }

    static long integer(JsonParser json, String field, long lowest, long highest) throws IOException {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw wrongType(json, field, "an integer");
        }
        String digits = json.getText();
        // Eighteen characters always fit a long; a longer number is out of every range there is.
        long value = digits.length() <= 18 ? Long.parseLong(digits) : Long.MIN_VALUE;
        if (value < lowest || value > highest) {
            throw problem(
                    ProblemCode.OUT_OF_RANGE,
                    field + " is " + Excerpt.of(digits) + ", must be " + lowest + " to " + highest,
                    field);
        }
        return value;
    }

    static double number(JsonParser json, String field, double lowest, double highest) throws IOException {
        if (!json.currentToken().isNumeric()) {
            throw wrongType(json, field, "a number");
        }
        double value = json.getDoubleValue();
        if (!(value >= lowest && value <= highest)) {
            throw problem(
                    ProblemCode.OUT_OF_RANGE,
                    field + " is " + Excerpt.of(json.getText()) + ", must be " + lowest + " to " + highest,
                    field);
        }
        return value;
    }

    /**
     * Reads a number outside of JSON. Java takes {@code 10d} for 10.0, too, where a rate of ten a day may be meant, and hexadecimal ones.
     *
     * @throws NumberFormatException when it is none
     */
    public static double decimal(String text) {
        if (JAVAS_OWN.matcher(text).matches()) {
            throw new NumberFormatException("number is " + Excerpt.quoted(text) + ", must have digits only");
        }
        return Double.parseDouble(text);
    }

    /** A point in time, of those that a due time may be. */
    static Instant time(JsonParser json, String field) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            long epochMs =
                    integer(json, field, TimerRequest.FIRST_DUE.toEpochMilli(), TimerRequest.LAST_DUE.toEpochMilli());
            try {
                return TimeText.ofEpochMs(epochMs);
            } catch (IllegalArgumentException e) {
                throw problem(ProblemCode.INVALID_TIME, field + " is " + epochMs + ", " + e.getMessage(), field);
            }
        }
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw wrongType(json, field, "a string or integer milliseconds since the epoch");
        }
        Instant time = checked(json, field, ProblemCode.INVALID_TIME, TimeText::parse);
        if (time.isBefore(TimerRequest.FIRST_DUE) || time.isAfter(TimerRequest.LAST_DUE)) {
            throw problem(
                    ProblemCode.OUT_OF_RANGE,
                    field + " is " + time + ", must be from " + TimerRequest.FIRST_DUE + " to " + TimerRequest.LAST_DUE,
                    field);
        }
        return time;
    }

    static Duration duration(JsonParser json, String field, Duration longest) throws IOException {
        Duration value = checked(json, field, ProblemCode.INVALID_DURATION, DurationText::parse);
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(longest) > 0) {
            throw problem(ProblemCode.OUT_OF_RANGE, field + " is " + value + ", must be 1 ms to " + longest, field);
        }
        return value;
    }

    /** One that is kept as it is, in milliseconds. */
    static Duration durationInMs(JsonParser json, String field, Duration longest) throws IOException {
        Duration value = duration(json, field, longest);
        if (!value.equals(Duration.ofMillis(value.toMillis()))) {
            throw problem(ProblemCode.OUT_OF_RANGE, field + " is " + value + ", must be of whole milliseconds", field);
        }
        return value;
    }

    static Duration expireAfter(JsonParser json) throws IOException {
        return durationInMs(json, "expireAfter", LONGEST);
    }

    static Duration maxWait(JsonParser json) throws IOException {
        return durationInMs(json, "maxWait", LONGEST);
    }

    static boolean flag(JsonParser json, String field) {
        return switch (json.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw wrongType(json, field, "true or false");
        };
    }

    /**
     * Reads a level of durability.
     *
     * @throws IllegalArgumentException with the rule, when the text is no level of durability
     */
    public static Durability durability(String text) {
        try {
            return Durability.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "must be sync, interval or none, or on Redis memory, replicated(n) or fsync(n)", e);
        }
    }

    static OnConflict onConflict(JsonParser json, ScheduleBody.Place place) throws IOException {
        if (place == ScheduleBody.Place.KEYLESS) {
            throw problem(
                    ProblemCode.FIELD_NOT_ALLOWED,
                    "onConflict must not be sent where the server makes the key: it meets no other timer",
                    "onConflict");
        }
        return checked(json, "onConflict", ProblemCode.INVALID_CHOICE, FieldValues::onConflict);
    }

    /**
     * Reads a rule for a key that has a timer.
     *
     * @throws IllegalArgumentException with the rule, when the text is none of them
     */
    public static OnConflict onConflict(String text) {
        return switch (text) {
            case "replace" -> OnConflict.REPLACE;
            case "keep" -> OnConflict.KEEP;
            case "once" -> OnConflict.ONCE;
            case "fail" -> OnConflict.FAIL;
            case "earliest" -> OnConflict.EARLIEST;
            case "latest" -> OnConflict.LATEST;
            default -> throw new IllegalArgumentException("must be replace, keep, once, fail, earliest or latest");
        };
    }

    static ProblemException wrongType(JsonParser json, String field, String wanted) {
        String found = switch (json.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            default -> String.valueOf(json.currentToken().asString()).toLowerCase(Locale.ROOT);
        };
        return problem(ProblemCode.WRONG_TYPE, field + " is " + found + ", must be " + wanted, field);
    }

    /** Reads a string and turns it into what it stands for; the rule that it breaks becomes a problem. */
    static <T> T checked(JsonParser json, String field, ProblemCode code, Function<String, T> reading)
            throws IOException {
        String text = text(json, field);
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException e) {
            throw problem(code, field + " is " + Excerpt.quoted(text) + ", " + e.getMessage(), field);
        }
    }

    static ProblemException unknownField(String name) {
        String shown = Excerpt.of(name);
        return problem(
                ProblemCode.UNKNOWN_FIELD, "field " + Excerpt.quoted(name) + " is not known, must not be sent", shown);
    }

    static ProblemException problem(ProblemCode code, String detail) {
        return new Problem(code, detail).exception();
    }

    static ProblemException problem(ProblemCode code, String detail, String field) {
        return new Problem(code, detail, field).exception();
    }
}
