package io.tickwheel.server.wire;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.QueueView;
import java.util.List;

/** Queues with what is set of them. */
public final class QueueJson {

    private QueueJson() {}

    /** A queue: what is set of it, what the configuration says, and what applies where the first goes over the second. */
    public static JsonOut of(QueueView view, TargetKinds kinds) {
        JsonOut out = new JsonOut(512).open('{');
        out.field("name").string(view.queue());
        TimerJson.writeCounts(out, view.counts());
        if (view.id() != null) {
            out.field("id").string(view.id());
        }
        QueueFields.write(out.field("settings"), view.settings(), kinds);
        QueueFields.write(out.field("configuration"), view.configured(), kinds);
        QueueFields.write(out.field("effective"), view.effective(), kinds);
        return out.close('}');
    }

    /** What became of a queue that was deleted, and the bulk runs that empty it. */
    public static JsonOut deleted(String queue, List<Bulk> emptying) {
        JsonOut out = new JsonOut(256).open('{');
        out.field("outcome").string(emptying.isEmpty() ? "DELETED" : "PURGING");
        out.field("name").string(queue);
        if (!emptying.isEmpty()) {
            out.field("bulkRuns").open('[');
            emptying.forEach(bulk -> out.element().string(bulk.id()));
            out.close(']');
        }
        return out.close('}');
    }
}
