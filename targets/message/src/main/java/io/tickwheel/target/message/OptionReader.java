package io.tickwheel.target.message;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetOptions;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of a target, {@code targets.KIND.OPTION}, and refuses what breaks a rule. No refusal shows a value, as it may be a password. Immutable.
 *
 * @param options of one target
 */
public record OptionReader(TargetOptions options) {

    /** An option as it was written; null when it is not set. */
    public @Nullable String text(String name) {
        return options.settings().get(name);
    }

    /** An option as it was written; {@code absent} when it is not set. */
    public String text(String name, String absent) {
        String text = text(name);
        return text == null ? absent : text;
    }

    /**
     * An option that is an integer in a range; {@code absent} when it is not set.
     *
     * @throws InvalidTargetException when it is none
     */
    public int integer(String name, int absent, int lowest, int highest) {
        String text = text(name);
        if (text == null) {
            return absent;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= lowest && number <= highest) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw outOfRange(name, lowest, highest);
        }
        throw outOfRange(name, lowest, highest);
    }

    /**
     * An option that is {@code true} or {@code false}; {@code absent} when it is not set.
     *
     * @throws InvalidTargetException when it is neither
     */
    public boolean bool(String name, boolean absent) {
        String text = text(name, Boolean.toString(absent));
        if (!text.equals("true") && !text.equals("false")) {
            throw invalid(name, "must be true or false");
        }
        return text.equals("true");
    }

    /** Refuses the value of an option. */
    public InvalidTargetException invalid(String name, String rule) {
        return new InvalidTargetException(InvalidTargetException.INVALID_TARGET, name, rule);
    }

    private InvalidTargetException outOfRange(String name, int lowest, int highest) {
        return invalid(name, "must be an integer, " + lowest + " to " + highest);
    }
}
