package io.tickwheel.server.audit;

import io.tickwheel.server.access.Caller;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which refusals are written: of each token the first {@value #MOST} of a minute. How many more there were is a line at its end, so that nobody pushes out what others have done by
 * asking for what he may not. Not thread-safe.
 */
final class Refusals {

    static final int MOST = 20;

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Map<String, Count> counts = new LinkedHashMap<>();
    private long sinceNanos;
    private long sinceMs;

    /** How many one caller has had. */
    private static final class Count {

        private final Caller caller;
        private long all;

        Count(Caller caller) {
            this.caller = caller;
        }
    }

    /** Counts a refusal, and says whether it is to be written. */
    boolean isWritten(Caller caller, long nowNanos, long nowMs) {
        if (counts.isEmpty()) {
            sinceNanos = nowNanos;
            sinceMs = nowMs;
        }
        Count count = counts.computeIfAbsent(caller.id(), id -> new Count(caller));
        count.all++;
        return count.all <= MOST;
    }

    /** Whether a minute has begun and is not over. */
    boolean isCounting(long nowNanos) {
        return !counts.isEmpty() && nowNanos - sinceNanos < MINUTE_NANOS;
    }

    /** Ends the minute, and returns the lines of what was not written. */
    byte[] end(long nowMs) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Count count : counts.values()) {
            if (count.all > MOST) {
                JsonOut out = AuditEntry.begun(nowMs, count.caller);
                out.field("action").string("REFUSED");
                out.field("since").string(TimeText.format(sinceMs));
                out.field("notWritten").number(count.all - MOST);
                lines.writeBytes(AuditEntry.ended(out));
            }
        }
        counts.clear();
        return lines.toByteArray();
    }
}
