package io.tickwheel.server.audit;

import io.tickwheel.server.access.Caller;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import org.jspecify.annotations.Nullable;

/**
 * One call: a line. Immutable.
 *
 * @param timeMs when it was answered
 * @param caller who made it
 * @param address from where
 * @param method of HTTP
 * @param action what it was for
 * @param queue that it named; null for none
 * @param subject the key, or the id of a lease, a bulk run or a token; null for none
 * @param status of the answer
 * @param code of the refusal; empty for none
 */
public record AuditEntry(
        long timeMs,
        Caller caller,
        String address,
        String method,
        String action,
        @Nullable String queue,
        @Nullable String subject,
        int status,
        String code) {

    byte[] line() {
        JsonOut out = new JsonOut(256).open('{');
        out.field("time").string(TimeText.format(timeMs));
        if (!caller.id().isEmpty()) {
            out.field("token").string(caller.id());
            out.field("name").string(caller.name());
        }
        out.field("address").string(address);
        out.field("method").string(method);
        out.field("action").string(action);
        if (queue != null) {
            out.field("queue").string(queue);
        }
        if (subject != null) {
            out.field("subject").string(subject);
        }
        out.field("status").number(status);
        if (!code.isEmpty()) {
            out.field("code").string(code);
        }
        return out.close('}').put('\n').toBuffer().getBytes();
    }
}
