package io.tickwheel.server.wire;

import io.tickwheel.store.file.StoreDamage;
import java.time.Instant;

/** A damage of a data directory, as commands show it. */
public final class DamageText {

    private DamageText() {}

    public static String of(StoreDamage damage) {
        StringBuilder text = new StringBuilder()
                .append(damage.file())
                .append(" at ")
                .append(damage.offset())
                .append(": ")
                .append(damage.what());
        damage.timers()
                .ifPresentOrElse(
                        timers -> text.append(timers == 0 ? "; takes no timer" : "; takes timers: " + timers),
                        () -> text.append("; how many timers it takes is not known"));
        Instant first = damage.firstDue();
        Instant last = damage.lastDue();
        if (first != null && last != null) {
            text.append(", due ").append(time(first)).append(" to ").append(time(last));
        }
        return text.toString();
    }

    public static void write(JsonOut out, StoreDamage damage) {
        out.open('{');
        out.field("file").string(damage.file());
        out.field("offset").number(damage.offset());
        out.field("what").string(damage.what());
        damage.timers().ifPresent(timers -> out.field("timers").number(timers));
        Instant first = damage.firstDue();
        if (first != null) {
            out.field("firstDue").string(time(first));
        }
        Instant last = damage.lastDue();
        if (last != null) {
            out.field("lastDue").string(time(last));
        }
        out.close('}');
    }

    private static String time(Instant instant) {
        return TimeText.format(instant.toEpochMilli());
    }
}
