package io.tickwheel.target.kafka;

import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.TimerRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** What the headers of a record ask of Tickwheel, and those that are none of its business. Of several with one name the last one counts, as everywhere in Kafka. */
final class InboundHeaders {

    static final String DELAY = "x-delay";
    static final String DUE_AT = "tickwheel-due-at";
    static final String MESSAGE_ID = "message-id";

    private static final String OURS = "tickwheel-";
    private static final int MOST_SHOWN = 40;

    private final Headers headers;

    InboundHeaders(Headers headers) {
        this.headers = headers;
    }

    /**
     * A header as a text; null when it is not there, or has no value.
     *
     * @throws Refusal when it is no text
     */
    @Nullable
    String text(String name) {
        Header header = headers.lastHeader(name);
        byte[] value = header == null ? null : header.value();
        if (value == null) {
            return null;
        }
        try {
            return Text.of(value);
        } catch (IllegalArgumentException e) {
            throw new Refusal(name + " is no text, " + e.getMessage());
        }
    }

    /** A header as a text; null when it is not there, or is no text. */
    @Nullable
    String textOrNull(String name) {
        try {
            return text(name);
        } catch (Refusal e) {
            return null;
        }
    }

    /**
     * When the timer is due: by a delay from the time of the record on, or at a time.
     *
     * @throws Refusal when it is not said, or not so that it can be read
     */
    Instant dueAt(Instant recordedAt) {
        String delay = text(DELAY);
        String time = text(DUE_AT);
        if ((delay == null) == (time == null)) {
            throw new Refusal("headers have " + (delay == null ? "neither " : "both ") + DELAY
                    + (delay == null ? " nor " : " and ") + DUE_AT + ", must have one of them");
        }
        Instant due = delay != null ? after(recordedAt, delay) : time(String.valueOf(time));
        if (due.isAfter(TimerRequest.LAST_DUE) || due.isBefore(TimerRequest.FIRST_DUE)) {
            throw refusal(
                    delay != null ? DELAY : DUE_AT,
                    String.valueOf(delay != null ? delay : time),
                    "must be due from " + TimerRequest.FIRST_DUE + " to " + TimerRequest.LAST_DUE);
        }
        return due;
    }

    private static Instant after(Instant recordedAt, String delay) {
        try {
            return recordedAt.plus(DurationText.parse(delay.matches("[0-9]+") ? delay + "ms" : delay));
        } catch (DateTimeException | ArithmeticException e) {
            throw refusal(DELAY, delay, "must be due before " + TimerRequest.LAST_DUE);
        } catch (IllegalArgumentException e) {
            throw refusal(DELAY, delay, e.getMessage() + "; a number alone is one of milliseconds");
        }
    }

    private static Instant time(String time) {
        try {
            return OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException e) {
            throw refusal(DUE_AT, time, "must be RFC 3339 with a zone, such as 2026-11-20T15:04:05.113Z");
        }
    }

    /** A value is shown as far as a line has room. */
    static Refusal refusal(String name, String value, String rule) {
        String shown = value.length() > MOST_SHOWN ? value.substring(0, MOST_SHOWN) + "..." : value;
        return new Refusal(name + " is '" + shown + "', " + rule);
    }

    /** What comes out with the record again: all but those that Tickwheel reads or writes. */
    List<Header> others() {
        List<Header> others = new ArrayList<>();
        for (Header header : headers) {
            String name = header.key();
            if (!name.equals(DELAY) && !name.toLowerCase(Locale.ROOT).startsWith(OURS)) {
                others.add(header);
            }
        }
        return others;
    }
}
