package io.tickwheel.recurrence;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * The spans of time in which a zone keeps its offset. The last one that was asked for is kept, so that most questions cost two comparisons.
 * Thread-safe: the span that is kept is immutable, and it does not matter which thread's it is.
 */
final class ZoneSpans {

    /**
     * A span, in seconds since the epoch.
     *
     * @param start its first second; {@link Long#MIN_VALUE} when the zone began with it
     * @param end the second after it; {@link Long#MAX_VALUE} when it does not end
     * @param offset what is added to the time to have the local time
     * @param offsetBefore the offset of the span before it; {@code offset} when it is the first one
     */
    record Span(long start, long end, int offset, int offsetBefore) {

        boolean contains(long second) {
            return second >= start && second < end;
        }
    }

    private final ZoneRules rules;
    private @Nullable Span kept;

    ZoneSpans(ZoneId zone) {
        rules = zone.getRules();
    }

    /** The span that a second is in. */
    Span at(long second) {
        Span span = kept;
        if (span == null || !span.contains(second)) {
            span = find(second);
            kept = span;
        }
        return span;
    }

    private Span find(long second) {
        ZoneOffsetTransition next = rules.nextTransition(Instant.ofEpochSecond(second));
        ZoneOffsetTransition previous = rules.previousTransition(Instant.ofEpochSecond(second + 1));
        int offset = rules.getOffset(Instant.ofEpochSecond(second)).getTotalSeconds();
        return new Span(
                previous == null ? Long.MIN_VALUE : previous.toEpochSecond(),
                next == null ? Long.MAX_VALUE : next.toEpochSecond(),
                offset,
                previous == null ? offset : previous.getOffsetBefore().getTotalSeconds());
    }
}
