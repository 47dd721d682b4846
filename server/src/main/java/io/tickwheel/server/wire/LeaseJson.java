package io.tickwheel.server.wire;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Lease;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leases as the API shows them. */
public final class LeaseJson {

    private static final int FIELDS_BYTES = 512;

    private LeaseJson() {}

    /** What a poll has brought. */
    public static JsonOut of(List<Lease> leases) {
        int payloads = leases.stream()
                .mapToInt(lease -> lease.attempt().payload().length)
                .sum();
        JsonOut out = new JsonOut(32 + FIELDS_BYTES * leases.size() + payloads * 4 / 3).open('{');
        out.field("leases").open('[');
        leases.forEach(lease -> write(out.element(), lease));
        return out.close(']').close('}');
    }

    private static void write(JsonOut out, Lease lease) {
        Attempt attempt = lease.attempt();
        out.open('{');
        out.field("lease").string(lease.id());
        out.field("expiresAt").string(time(lease.expiresAt()));
        out.field("queue").string(attempt.queue());
        out.field("key").string(attempt.key());
        out.field("id").string(attempt.id());
        out.field("version").number(attempt.version());
        out.field("attempt").number(attempt.number());
        out.field("dueAt").string(time(attempt.dueAt()));
        out.field("latenessMs").number(attempt.lateness().toMillis());
        ContentJson.writeBody(out, attempt.payload(), attempt.contentType(), attempt.headers(), true);
        out.close('}');
    }

    /** What became of a lease; {@code until} when it expires, where that was asked. */
    public static JsonOut taken(String lease, @Nullable Instant until) {
        JsonOut out = new JsonOut(128).open('{');
        writeTaken(out, lease, until);
        return out.close('}');
    }

    private static void writeTaken(JsonOut out, String lease, @Nullable Instant until) {
        out.field("lease").string(lease);
        if (until != null) {
            out.field("expiresAt").string(time(until));
        }
    }

    /** Writes what became of one lease of several: an {@link Instant} when it expires, a {@link Problem}, or anything else when that is all there is to say. */
    public static void writeResult(JsonOut out, String lease, Object result) {
        out.element().open('{');
        if (result instanceof Problem problem) {
            writeTaken(out, lease, null);
            out.field("status").number(problem.code().status());
            problem.writeBlame(out);
        } else {
            writeTaken(out, lease, result instanceof Instant until ? until : null);
            out.field("status").number(200);
        }
        out.close('}');
    }

    private static String time(Instant instant) {
        return TimeText.format(instant.toEpochMilli());
    }
}
