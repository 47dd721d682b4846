package io.tickwheel.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A target that somebody wrote breaks a rule. The message is the rule, such as {@code must have no fragment}; whoever shows it says
 * which field and value it is about. Has no stack trace: it is an answer, not a fault.
 */
public final class InvalidTargetException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /** A field has a value of another type. */
    public static final String WRONG_TYPE = "wrong_type";

    /** A field is not known. */
    public static final String UNKNOWN_FIELD = "unknown_field";

    /** Any rule that has no code of its own. */
    public static final String INVALID_TARGET = "invalid_target";

    private final String code;
    private final @Nullable String field;
    private final transient @Nullable Object value;
    private final boolean valued;

    /**
     * Refuses the target as a whole.
     *
     * @param code what programs go by: {@link #INVALID_TARGET}, or another of the codes of the HTTP API
     * @param rule what must be, or is wrong
     */
    public InvalidTargetException(String code, String rule) {
        this(code, null, null, false, rule);
    }

    /** Refuses a field without showing its value; {@code rule} goes on after its name. */
    public InvalidTargetException(String code, String field, String rule) {
        this(code, Objects.requireNonNull(field, "field"), null, false, rule);
    }

    /** Refuses the value of a field. */
    InvalidTargetException(String code, String field, @Nullable Object value, String rule) {
        this(code, field, value, true, rule);
    }

    private InvalidTargetException(
            String code, @Nullable String field, @Nullable Object value, boolean valued, String rule) {
        super(Objects.requireNonNull(rule, "rule"));
        this.code = Objects.requireNonNull(code, "code");
        this.field = field;
        this.value = value;
        this.valued = valued;
    }

    /** The code of the refusal, such as {@code invalid_url}. */
    public String code() {
        return code;
    }

    /** The name of the field, with the names of those around it, such as {@code kafka.topic}; null when it is the whole target. */
    public @Nullable String field() {
        return field;
    }

    /** The neutral value of the field, which somebody wrote: not to be shown as it is. */
    public @Nullable Object value() {
        return value;
    }

    /** Whether the refusal is about the value of the field, rather than about its being there. */
    public boolean hasValue() {
        return valued;
    }

    /** Costs nothing: who writes wrong targets shall not make work. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
