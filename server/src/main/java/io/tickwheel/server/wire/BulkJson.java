package io.tickwheel.server.wire;

import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.DeadCounts;
import io.tickwheel.store.TimerQuery;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bulk runs as the API shows them. */
public final class BulkJson {

    private BulkJson() {}

    public static JsonOut of(BulkView bulk) {
        return write(new JsonOut(512), bulk);
    }

    public static JsonOut all(List<BulkView> bulks) {
        JsonOut out = new JsonOut(64 + 256 * bulks.size()).open('{');
        out.field("runs").open('[');
        bulks.forEach(bulk -> write(out.element(), bulk));
        return out.close(']').close('}');
    }

    private static JsonOut write(JsonOut out, BulkView bulk) {
        BulkRequest request = bulk.request();
        BulkProgress progress = bulk.progress();
        out.open('{');
        out.field("id").string(bulk.id());
        out.field("action").string(request.action().name().toLowerCase(Locale.ROOT));
        writeFilter(out, request);
        out.field("perSecond").number(request.perSecond());
        out.field("dryRun").raw(String.valueOf(request.dryRun()));
        out.field("state").string(progress.state().name());
        out.field("matched").number(progress.matched());
        out.field("changed").number(progress.changed());
        out.field("passed").number(progress.passed());
        writeReasons(out, progress.reasons());
        out.field("startedAt").string(TimeText.format(progress.startedAt().toEpochMilli()));
        Instant endedAt = progress.endedAt();
        if (endedAt != null) {
            out.field("endedAt").string(TimeText.format(endedAt.toEpochMilli()));
        }
        if (progress.failure() != null) {
            out.field("failure").string(progress.failure());
        }
        return out.close('}');
    }

    private static void writeFilter(JsonOut out, BulkRequest request) {
        TimerQuery timers = request.timers();
        out.field("queue").string(timers.queue());
        if (timers.state() != null) {
            out.field("timerState").string(timers.state().name());
        }
        if (!timers.keyPrefix().isEmpty()) {
            out.field("keyPrefix").string(timers.keyPrefix());
        }
        if (timers.dueFromMs() != Long.MIN_VALUE) {
            out.field("dueFrom").string(TimeText.format(timers.dueFromMs()));
        }
        if (timers.dueToMs() != Long.MAX_VALUE) {
            out.field("dueTo").string(TimeText.format(timers.dueToMs()));
        }
        if (!request.reason().isEmpty()) {
            out.field("reason").string(request.reason());
        }
    }

    private static void writeReasons(JsonOut out, Map<String, Long> reasons) {
        out.field("reasons").open('[');
        for (Map.Entry<String, Long> each : reasons.entrySet()) {
            out.element().open('{');
            out.field("reason").string(each.getKey());
            out.field("count").number(each.getValue());
            out.close('}');
        }
        out.close(']');
    }

    /** How many timers of a queue are dead, and why. */
    public static JsonOut dead(String queue, DeadCounts counts) {
        JsonOut out = new JsonOut(512).open('{');
        out.field("queue").string(queue);
        out.field("dead").number(counts.dead());
        writeReasons(out, counts.reasons());
        return out.close('}');
    }
}
