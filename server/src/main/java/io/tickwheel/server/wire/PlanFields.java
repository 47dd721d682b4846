package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.Plan;
import io.tickwheel.recurrence.Recurrence;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How far a recurring timer has come, beside its {@code schedule}, as an export has it: {@code {"before":0,"started":3,"nominal":"..."}}. */
final class PlanFields {

    private static final String OBJECT = "plan";
    private static final long MOST = 999_999_999_999_999_999L;

    private long before;
    private long started;
    private @Nullable Instant nominal;
    private boolean isWaiting;
    private boolean hasEnded;

    private PlanFields() {}

    static PlanFields read(JsonParser json) throws IOException {
        FieldValues.object(json, OBJECT);
        PlanFields fields = new PlanFields();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            String field = OBJECT + "." + name;
            switch (name) {
                case "before" -> fields.before = FieldValues.integer(json, field, 0, MOST);
                case "started" -> fields.started = FieldValues.integer(json, field, 0, MOST);
                case "nominal" -> fields.nominal = FieldValues.time(json, field);
                case "waiting" -> fields.isWaiting = FieldValues.flag(json, field);
                case "ended" -> fields.hasEnded = FieldValues.flag(json, field);
                default -> throw FieldValues.unknownField(field);
            }
        }
        if (fields.nominal == null) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_MISSING, OBJECT + ".nominal is not there, must be", OBJECT + ".nominal");
        }
        return fields;
    }

    Plan of(Recurrence recurrence) {
        long nominalMs = nominal == null ? 0 : nominal.toEpochMilli();
        return new Plan(recurrence, before, started, nominalMs, isWaiting, hasEnded);
    }

    /** Writes how far a plan has come in such a way that {@link #read} gives the same. */
    static void write(JsonOut out, Plan plan) {
        out.open('{');
        out.field("before").number(plan.before());
        out.field("started").number(plan.started());
        out.field("nominal").string(TimeText.format(plan.nominalMs()));
        if (plan.isWaiting()) {
            out.field("waiting").raw("true");
        }
        if (plan.hasEnded()) {
            out.field("ended").raw("true");
        }
        out.close('}');
    }
}
