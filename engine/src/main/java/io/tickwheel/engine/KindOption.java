package io.tickwheel.engine;

import java.util.regex.Pattern;

/**
 * An option of a kind of target or source, which is the setting {@code targets.KIND.NAME} or {@code sources.KIND.NAME}: what a server tells of it. Immutable.
 *
 * @param name letters and digits only
 * @param unit what its value is, such as {@code text}, {@code integer}, {@code ms} or {@code bytes}
 * @param absent what holds where it is not set, such as {@code 500}; {@code none} where nothing does
 * @param isSecret whether its value must never be shown
 */
public record KindOption(String name, String unit, String absent, boolean isSecret) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]+");
    private static final String NONE = "none";

    /** @throws IllegalArgumentException when the name has other characters than letters and digits, or none */
    public KindOption {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("name is \"" + name + "\", must be letters and digits only");
        }
    }

    /** One whose value may be shown. */
    public static KindOption of(String name, String unit, Object absent) {
        return new KindOption(name, unit, absent.toString(), false);
    }

    /** One whose value may be shown, and in place of which nothing holds. */
    public static KindOption of(String name, String unit) {
        return of(name, unit, NONE);
    }

    /** One whose value is a secret, or has one in it. */
    public static KindOption secret(String name) {
        return new KindOption(name, "text", NONE, true);
    }
}
