package io.tickwheel.server.wire;

import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerView;
import java.time.Instant;
import java.util.List;

/** What is asked about the plan of a recurring timer, as the API shows it. */
public final class PlanJson {

    private PlanJson() {}

    /** The times of a preview. */
    public static JsonOut times(List<Instant> times) {
        JsonOut out = new JsonOut(32 + 32 * times.size()).open('{');
        out.field("times").open('[');
        for (Instant time : times) {
            out.element().string(TimeText.format(time.toEpochMilli()));
        }
        return out.close(']').close('}');
    }

    /** The runs of a plan. */
    public static JsonOut runs(List<TimerView> runs, Durability durability) {
        JsonOut out = new JsonOut(32 + 256 * runs.size()).open('{');
        out.field("runs").open('[');
        for (TimerView run : runs) {
            out.element().open('{');
            TimerJson.writeFoundFields(out, new ShownTimer(run, durability));
            out.close('}');
        }
        return out.close(']').close('}');
    }
}
