package io.tickwheel.server.wire;

import org.jspecify.annotations.Nullable;

/**
 * Why a call was refused, as RFC 9457 says it.
 *
 * @param code the kind
 * @param detail the value to blame and the rule, for people
 * @param field the field, header or parameter to blame; null when it is none
 * @param applied whether the command took effect; null when that goes without saying
 * @param outcome the result of the call where the refusal is one; null else
 * @param timer the timer that stands in the way; null when none does
 */
public record Problem(
        ProblemCode code,
        String detail,
        @Nullable String field,
        @Nullable Applied applied,
        @Nullable String outcome,
        @Nullable ShownTimer timer) {

    public static final String MEDIA_TYPE = "application/problem+json";

    public enum Applied {
        NO("false"),
        UNKNOWN("\"unknown\"");

        private final String json;

        Applied(String json) {
            this.json = json;
        }
    }

    public Problem(ProblemCode code, String detail) {
        this(code, detail, null, null, null, null);
    }

    public Problem(ProblemCode code, String detail, @Nullable String field) {
        this(code, detail, field, null, null, null);
    }

    public Problem withApplied(Applied value) {
        return new Problem(code, detail, field, value, outcome, timer);
    }

    public Problem withOutcome(String value) {
        return new Problem(code, detail, field, applied, value, timer);
    }

    public ProblemException exception() {
        return new ProblemException(this);
    }

    public void write(JsonOut out) {
        out.open('{');
        out.field("type").string("urn:tickwheel:problem:" + code.code());
        out.field("title").string(code.title());
        out.field("status").number(code.status());
        writeBlame(out);
        out.close('}');
    }

    /** The fields that a line of a batch has too. */
    public void writeBlame(JsonOut out) {
        out.field("detail").string(detail);
        out.field("code").string(code.code());
        if (field != null) {
            out.field("field").string(field);
        }
        if (applied != null) {
            out.field("applied").raw(applied.json);
        }
        if (outcome != null) {
            out.field("outcome").string(outcome);
        }
        if (timer != null) {
            TimerJson.writeFields(out, timer);
        }
    }
}
