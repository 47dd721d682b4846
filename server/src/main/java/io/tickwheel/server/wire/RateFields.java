package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.RateLimit;
import java.io.IOException;
import java.util.function.DoubleFunction;

/** A rate as it is written in bodies: {@code {"perSecond": 50, "burst": 100}}. */
final class RateFields {

    private static final String PER_SECOND = "perSecond";
    private static final String BURST = "burst";

    private RateFields() {}

    /** @param withoutBurst the rate of one that does not say its burst */
    static RateLimit read(JsonParser json, String name, DoubleFunction<RateLimit> withoutBurst) throws IOException {
        FieldValues.object(json, name);
        Double perSecond = null;
        Integer burst = null;
        for (String part = json.nextFieldName(); part != null; part = json.nextFieldName()) {
            json.nextToken();
            String field = name + "." + part;
            switch (part) {
                case PER_SECOND -> perSecond = FieldValues.number(json, field, RateLimit.LEAST, RateLimit.MOST);
                case BURST -> burst = (int) FieldValues.integer(json, field, 1, RateLimit.MOST_BURST);
                default -> throw FieldValues.unknownField(field);
            }
        }
        if (perSecond == null) {
            String field = name + "." + PER_SECOND;
            throw FieldValues.problem(ProblemCode.FIELD_MISSING, field + " is not there, must be", field);
        }
        return burst == null ? withoutBurst.apply(perSecond) : new RateLimit(perSecond, burst);
    }

    static void write(JsonOut out, RateLimit rate) {
        out.open('{').field(PER_SECOND).value(rate.perSecond());
        out.field(BURST).number(rate.burst());
        out.close('}');
    }
}
