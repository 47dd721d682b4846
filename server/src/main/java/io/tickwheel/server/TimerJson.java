package io.tickwheel.server;

import io.tickwheel.store.Durability;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerView;
import java.util.List;

/** Timers and counts as the API shows them. */
final class TimerJson {

    private TimerJson() {}

    static void writeFields(JsonOut out, ShownTimer shown) {
        TimerView timer = shown.timer();
        out.field("queue").string(timer.key().queue());
        out.field("key").string(timer.key().key());
        out.field("id").string(timer.id());
        out.field("version").number(timer.version());
        out.field("dueAt").string(TimeText.format(timer.dueAtMs()));
        out.field("state").raw("\"").raw(timer.state().name()).raw("\"");
        out.field("durability").raw(name(shown.durability()));
    }

    private static String name(Durability durability) {
        return switch (durability) {
            case SYNC -> "\"sync\"";
            case INTERVAL -> "\"interval\"";
            case NONE -> "\"none\"";
        };
    }

    static void writeScheduled(JsonOut out, Scheduled scheduled, Scheduled.Previous previous, Durability durability) {
        writeFields(out, new ShownTimer(scheduled.timer(), durability));
        out.field("previous").raw("\"").raw(previous.name()).raw("\"");
    }

    static JsonOut found(ShownTimer shown) {
        JsonOut out = new JsonOut(256).open('{');
        writeFields(out, shown);
        out.field("attempts").number(shown.timer().attempts());
        return out.close('}');
    }

    static JsonOut queues(List<QueueCounts> queues) {
        JsonOut out = new JsonOut(64 + 96 * queues.size()).open('{');
        out.field("queues").open('[');
        for (QueueCounts queue : queues) {
            out.element().open('{');
            out.field("name").string(queue.queue());
            out.field("pending").number(queue.pending());
            out.field("claimed").number(queue.claimed());
            out.field("dead").number(queue.dead());
            out.close('}');
        }
        return out.close(']').close('}');
    }
}
