package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.recurrence.Cron;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recurrence as it is written in bodies: {@code every}, {@code fixedDelay} or {@code cron} with its {@code zone}, and what may be said besides.
 * What is not said is null. For one recurrence; for one thread.
 */
final class ScheduleFields {

    private static final String OBJECT = "schedule";

    private @Nullable Duration every;
    private @Nullable Duration fixedDelay;
    private @Nullable String cron;
    private @Nullable ZoneId zone;
    private @Nullable Instant from;
    private @Nullable Instant until;
    private @Nullable Long count;
    private @Nullable Misfire misfire;
    private @Nullable Overlap overlap;

    private ScheduleFields() {}

    static Recurrence read(JsonParser json) throws IOException {
        FieldValues.object(json, OBJECT);
        ScheduleFields fields = new ScheduleFields();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            fields.field(json, name, OBJECT + "." + name);
        }
        try {
            return fields.recurrence();
        } catch (IllegalArgumentException e) {
            throw FieldValues.problem(ProblemCode.INVALID_SCHEDULE, OBJECT + ": " + e.getMessage(), OBJECT);
        }
    }

    private void field(JsonParser json, String name, String field) throws IOException {
        switch (name) {
            case "every" -> every = FieldValues.duration(json, field, Recurrence.LONGEST);
            case "fixedDelay" -> fixedDelay = FieldValues.duration(json, field, Recurrence.LONGEST);
            case "cron" -> cron = FieldValues.text(json, field);
            case "zone" -> zone = FieldValues.checked(json, field, ProblemCode.INVALID_SCHEDULE, ScheduleFields::zone);
            case "from" -> from = FieldValues.time(json, field);
            case "until" -> until = FieldValues.time(json, field);
            case "count" -> count = FieldValues.integer(json, field, 1, Recurrence.MAX_COUNT);
            case "misfire" ->
                misfire = FieldValues.checked(json, field, ProblemCode.INVALID_CHOICE, text -> switch (text) {
                    case "once" -> Misfire.ONCE;
                    case "skip" -> Misfire.SKIP;
                    case "all" -> Misfire.ALL;
                    default -> throw new IllegalArgumentException("must be once, skip or all");
                });
            case "overlap" ->
                overlap = FieldValues.checked(json, field, ProblemCode.INVALID_CHOICE, text -> switch (text) {
                    case "skip" -> Overlap.SKIP;
                    case "queue" -> Overlap.QUEUE;
                    case "allow" -> Overlap.ALLOW;
                    default -> throw new IllegalArgumentException("must be skip, queue or allow");
                });
            default -> throw FieldValues.unknownField(field);
        }
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be a zone that is known, such as Europe/Berlin or UTC", e);
        }
    }

    /** What they say; every setter may refuse what does not go with the rest. */
    private Recurrence recurrence() {
        Recurrence recurrence = pace();
        if (from != null) {
            recurrence = recurrence.withFrom(from);
        }
        if (until != null) {
            recurrence = recurrence.withUntil(until);
        }
        if (count != null) {
            recurrence = recurrence.withCount(count);
        }
        if (misfire != null) {
            recurrence = recurrence.withMisfire(misfire);
        }
        return overlap == null ? recurrence : recurrence.withOverlap(overlap);
    }

    private Recurrence pace() {
        int paces = (every == null ? 0 : 1) + (fixedDelay == null ? 0 : 1) + (cron == null ? 0 : 1);
        if (paces != 1) {
            throw new IllegalArgumentException("has " + paces + " of every, fixedDelay and cron, must have one");
        }
        if ((cron == null) != (zone == null)) {
            throw new IllegalArgumentException(
                    cron == null ? "has a zone, which goes with cron only" : "has cron, must have its zone with it");
        }
        if (every != null) {
            return Recurrence.fixedRate(every);
        }
        return cron != null && zone != null
                ? Recurrence.cron(cron, zone)
                : Recurrence.fixedDelay(Objects.requireNonNull(fixedDelay));
    }

    /** Writes a recurrence in such a way that {@link #read} gives the same one. */
    static void write(JsonOut out, Recurrence recurrence) {
        out.open('{');
        duration(out, "every", recurrence.every());
        duration(out, "fixedDelay", recurrence.delay());
        Cron by = recurrence.cron();
        if (by != null) {
            out.field("cron").string(by.expression());
            out.field("zone").string(by.zone().getId());
        }
        time(out, "from", recurrence.from());
        time(out, "until", recurrence.until());
        recurrence.count().ifPresent(runs -> out.field("count").number(runs));
        if (recurrence.misfire() != Misfire.ONCE) {
            out.field("misfire").string(lower(recurrence.misfire()));
        }
        if (recurrence.overlap() != Overlap.SKIP) {
            out.field("overlap").string(lower(recurrence.overlap()));
        }
        out.close('}');
    }

    private static void duration(JsonOut out, String name, @Nullable Duration value) {
        if (value != null) {
            out.field(name).string(value.toMillis() + "ms");
        }
    }

    private static void time(JsonOut out, String name, @Nullable Instant value) {
        if (value != null) {
            out.field(name).string(TimeText.format(value.toEpochMilli()));
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
