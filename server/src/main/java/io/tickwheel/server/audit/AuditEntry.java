package io.tickwheel.server.audit;

import io.tickwheel.server.access.Caller;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call: a line. Immutable.
 *
 * @param timeMs when it was answered
 * @param caller who made it
 * @param address from where
 * @param asked what it was for
 * @param status of the answer
 * @param code of the refusal; empty for none
 * @param count what became of its parts; null when it has none
 */
public record AuditEntry(
        long timeMs,
        Caller caller,
        String address,
        Asked asked,
        int status,
        String code,
        @Nullable AuditCount count) {

    private static final int MOST_QUEUES = 8;

    /**
     * What a call was for. Names are those that keep to their rules, so that nobody makes a line as long as he likes.
     *
     * @param method of HTTP
     * @param action what is to be done
     * @param queue that it named; null for none
     * @param subject the key, or the id of a lease, a bulk run or a token; null for none
     * @param invalid which of {@code queue} and {@code subject} it named in a way that breaks the rules
     */
    public record Asked(
            String method,
            String action,
            @Nullable String queue,
            @Nullable String subject,
            List<String> invalid) {

        public Asked {
            invalid = List.copyOf(invalid);
        }
    }

    /** Whether nothing was done, because of the caller. What a server could not do may have been done in part. */
    boolean isRefused() {
        return (status >= 400 && status < 500) || (count != null && count.done() == 0 && count.refused() > 0);
    }

    /** Begins a line with when it is, and who it is about. */
    static JsonOut begun(long timeMs, Caller caller) {
        JsonOut out = new JsonOut(256).open('{');
        out.field("time").string(TimeText.format(timeMs));
        if (!caller.id().isEmpty()) {
            out.field("token").string(caller.id());
            out.field("name").string(caller.name());
        }
        return out;
    }

    static byte[] ended(JsonOut line) {
        return line.close('}').put('\n').toBuffer().getBytes();
    }

    byte[] line() {
        JsonOut out = begun(timeMs, caller);
        out.field("address").string(address);
        out.field("method").string(asked.method());
        out.field("action").string(asked.action());
        if (asked.queue() != null) {
            out.field("queue").string(asked.queue());
        }
        if (asked.subject() != null) {
            out.field("subject").string(asked.subject());
        }
        if (!asked.invalid().isEmpty()) {
            strings(out.field("invalid"), asked.invalid());
        }
        out.field("status").number(status);
        if (!code.isEmpty()) {
            out.field("code").string(code);
        }
        if (count != null) {
            write(out, count);
        }
        return ended(out);
    }

    private static void write(JsonOut out, AuditCount count) {
        out.field("done").number(count.done());
        out.field("refused").number(count.refused());
        int all = count.queues().size();
        if (all > 0) {
            strings(out.field("queues"), count.queues().subList(0, Math.min(all, MOST_QUEUES)));
        }
        if (all > MOST_QUEUES) {
            out.field("moreQueues").number(all - MOST_QUEUES);
        }
    }

    private static void strings(JsonOut out, List<String> values) {
        out.open('[');
        values.forEach(value -> out.element().string(value));
        out.close(']');
    }
}
