package io.tickwheel.server.http;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TimerPlans;
import io.tickwheel.server.audit.AuditEntry;
import io.tickwheel.server.audit.AuditLog;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call that the audit log is told of, when it is answered. */
final class AuditedCall {

    /** Longer than the id of any lease, which has a queue and a key in it. */
    private static final int LONGEST_ID = 1_024;

    private static final char RUN_SEPARATOR = '\u001F';

    private final Route route;
    private final String method;

    AuditedCall(Route route, String method) {
        this.route = route;
        this.method = method;
    }

    /**
     * Has the log told how the call ends.
     *
     * @throws ProblemException when the log is so far behind that the call is not to be carried out
     */
    void follow(Exchange exchange, AuditLog audit, Clock clock) {
        if (audit.isFull()) {
            throw new Problem(ProblemCode.OVERLOADED, "the audit log is behind, try again soon")
                    .withApplied(Problem.Applied.NO)
                    .exception();
        }
        String address = String.valueOf(exchange.request().remoteAddress().hostAddress());
        exchange.tell((status, refusal) -> audit.add(new AuditEntry(
                clock.wallMs(),
                exchange.caller(),
                address,
                asked(exchange.made()),
                status,
                refusal,
                exchange.count())));
    }

    private AuditEntry.Asked asked(@Nullable String made) {
        List<String> invalid = new ArrayList<>(0);
        String queue = route.queue();
        if (queue != null && !isName(queue, "any")) {
            invalid.add("queue");
            queue = null;
        }
        String subject = route.key() == null ? made : route.key();
        if (subject != null && !isSubject(subject)) {
            invalid.add("subject");
            subject = null;
        }
        return new AuditEntry.Asked(method, route.resource().name(), queue, subject, invalid);
    }

    /** What a path calls by a key is in a queue; the rest has an id. */
    private boolean isSubject(String subject) {
        boolean isKey = route.queue() != null && route.key() != null;
        return isKey ? isName("any", plan(subject)) : isId(subject);
    }

    /** The key of the plan of a run, whose own key is that, a separator and a number; any other key as it is. */
    private static String plan(String key) {
        return TimerPlans.isRunKey(key) ? key.substring(0, key.indexOf(RUN_SEPARATOR)) : key;
    }

    private static boolean isName(String queue, String key) {
        try {
            TimerCalls.checkNames(queue, key);
            return true;
        } catch (ProblemException e) {
            return false;
        }
    }

    private static boolean isId(String text) {
        return text.length() <= LONGEST_ID && text.chars().allMatch(c -> c > 0x20 && c < 0x7F);
    }
}
