package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.PushBack;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a timer remembers so that it can be pushed back, as it is shown, and as an export has it. */
final class PushBackFields {

    private static final String OBJECT = "pushBack";
    private static final String DELAY = "delay";
    private static final String FIRST = "firstScheduledAt";
    private static final String MAX_WAIT = "maxWait";

    private PushBackFields() {}

    static void write(JsonOut out, PushBack pushBack) {
        out.open('{');
        out.field(DELAY).string(pushBack.delay().toMillis() + "ms");
        out.field(FIRST).string(TimeText.format(pushBack.firstScheduledAt().toEpochMilli()));
        Duration maxWait = pushBack.maxWait();
        if (maxWait != null) {
            out.field(MAX_WAIT).string(maxWait.toMillis() + "ms");
        }
        out.close('}');
    }

    static PushBack read(JsonParser json) throws IOException {
        FieldValues.object(json, OBJECT);
        Duration delay = null;
        Instant first = null;
        Duration maxWait = null;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            String field = OBJECT + "." + Excerpt.of(name);
            switch (name) {
                case DELAY ->
                    delay = FieldValues.checked(json, field, ProblemCode.INVALID_DURATION, DurationText::parse);
                case FIRST -> first = FieldValues.checked(json, field, ProblemCode.INVALID_TIME, TimeText::parse);
                case MAX_WAIT ->
                    maxWait = FieldValues.checked(json, field, ProblemCode.INVALID_DURATION, DurationText::parse);
                default -> throw FieldValues.unknownField(field);
            }
        }
        return checked(delay, first, maxWait);
    }

    private static PushBack checked(@Nullable Duration delay, @Nullable Instant first, @Nullable Duration maxWait) {
        if (delay == null || first == null) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE, OBJECT + " must have " + DELAY + " and " + FIRST, OBJECT);
        }
        try {
            return new PushBack(delay, first, maxWait);
        } catch (IllegalArgumentException e) {
            throw FieldValues.problem(ProblemCode.OUT_OF_RANGE, OBJECT + "." + e.getMessage(), OBJECT);
        }
    }
}
