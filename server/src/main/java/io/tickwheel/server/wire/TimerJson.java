package io.tickwheel.server.wire;

import io.tickwheel.store.Changed;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Timers and counts as the API shows them. */
public final class TimerJson {

    private TimerJson() {}

    public static void writeFields(JsonOut out, ShownTimer shown) {
        TimerView timer = shown.timer();
        out.field("queue").string(timer.key().queue());
        out.field("key").string(timer.key().key());
        out.field("id").string(timer.id());
        out.field("version").number(timer.version());
        out.field("dueAt").string(TimeText.format(timer.dueAtMs()));
        if (timer.attemptAtMs() != timer.dueAtMs()) {
            out.field("attemptAt").string(TimeText.format(timer.attemptAtMs()));
        }
        out.field("state").raw("\"").raw(timer.state().name()).raw("\"");
        out.field("durability").string(shown.durability().toString());
    }

    public static void writeScheduled(
            JsonOut out,
            Scheduled scheduled,
            Scheduled.Outcome outcome,
            Scheduled.Previous previous,
            Durability durability) {
        out.field("outcome").string(outcome.name());
        writeFields(out, new ShownTimer(scheduled.timer(), durability));
        out.field("previous").raw("\"").raw(previous.name()).raw("\"");
    }

    public static JsonOut found(ShownTimer shown) {
        return writeFound(new JsonOut(256), shown);
    }

    private static JsonOut writeFound(JsonOut out, ShownTimer shown) {
        out.open('{');
        writeFoundFields(out, shown);
        return out.close('}');
    }

    static void writeFoundFields(JsonOut out, ShownTimer shown) {
        writeFields(out, shown);
        TimerView timer = shown.timer();
        out.field("attempts").number(timer.attempts());
        List<PastAttempt> history = timer.history();
        if (timer.state() == TimerState.DEAD && !history.isEmpty()) {
            PastAttempt last = history.get(history.size() - 1);
            out.field("reason").string(last.reason());
            out.field("diedAt").string(TimeText.format(last.endedAt().toEpochMilli()));
        }
        if (!history.isEmpty()) {
            writeHistory(out, history);
        }
    }

    private static void writeHistory(JsonOut out, List<PastAttempt> history) {
        out.field("history").open('[');
        for (PastAttempt past : history) {
            out.element().open('{');
            out.field("number").number(past.number());
            out.field("startedAt").string(TimeText.format(past.startedAtMs()));
            out.field("lateMs").number(past.lateMs());
            out.field("durationMs").number(past.durationMs());
            if (past.status() != 0) {
                out.field("status").number(past.status());
            }
            if (!past.hasSucceeded()) {
                out.field("reason").string(past.reason());
            }
            if (!past.excerpt().isEmpty()) {
                out.field("excerpt").string(past.excerpt());
            }
            out.close('}');
        }
        out.close(']');
    }

    /** A timer after a change, and what became of it. */
    public static JsonOut changed(Changed changed, Durability durability) {
        JsonOut out = new JsonOut(256).open('{');
        out.field("outcome").string(changed.outcome().name());
        writeFields(out, new ShownTimer(Objects.requireNonNull(changed.timer()), durability));
        return out.close('}');
    }

    public static JsonOut page(TimerPage page, Durability durability) {
        JsonOut out = new JsonOut(128 + 192 * page.timers().size()).open('{');
        out.field("timers").open('[');
        for (TimerView timer : page.timers()) {
            writeFound(out.element(), new ShownTimer(timer, durability));
        }
        out.close(']');
        TimerCursor next = page.next();
        if (next != null) {
            out.field("next").string(next.text());
        }
        return out.close('}');
    }

    public static JsonOut load(String queue, DueCounts load) {
        JsonOut out = new JsonOut(192 + 4 * load.counts().size()).open('{');
        out.field("queue").string(queue);
        out.field("from").string(TimeText.format(load.fromMs()));
        out.field("bucketMs").number(load.bucketMs());
        out.field("counts").open('[');
        for (long count : load.counts()) {
            out.element().number(count);
        }
        return out.close(']').close('}');
    }

    /**
     * A page of queues.
     *
     * @param paused whether a queue is
     * @param next the name behind which the next page begins; null when there is none
     */
    public static JsonOut queues(List<QueueCounts> queues, Predicate<String> paused, @Nullable String next) {
        JsonOut out = new JsonOut(64 + 96 * queues.size()).open('{');
        out.field("queues").open('[');
        for (QueueCounts queue : queues) {
            out.element().open('{');
            out.field("name").string(queue.queue());
            writeCounts(out, queue);
            if (paused.test(queue.queue())) {
                out.field("paused").value(true);
            }
            out.close('}');
        }
        out.close(']');
        if (next != null) {
            out.field("next").string(next);
        }
        return out.close('}');
    }

    static void writeCounts(JsonOut out, QueueCounts counts) {
        out.field("pending").number(counts.pending());
        out.field("claimed").number(counts.claimed());
        out.field("dead").number(counts.dead());
    }
}
