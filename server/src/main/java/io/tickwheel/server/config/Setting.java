package io.tickwheel.server.config;

import io.tickwheel.engine.KindOption;
import java.time.Duration;

/**
 * What is to be known of a setting before anybody sets it: the one place that has its default, so that what reads it, what explains it and what documents it cannot
 * differ. Immutable.
 *
 * @param name in a file
 * @param unit what its value is, such as {@code text}, {@code integer}, {@code bytes} or {@code duration}
 * @param absent what holds where it is not set; {@code none} where nothing does
 * @param isSecret whether its value must never be shown
 */
public record Setting(String name, String unit, String absent, boolean isSecret) {

    static final String NONE = "none";
    static final String TEXT = "text";
    static final String INTEGER = "integer";
    static final String NUMBER = "number";
    static final String BYTES = "bytes";
    static final String DURATION = "duration";
    static final String FLAG = "true or false";
    static final String FILE = "file";

    /** What is shown of a secret that is set. */
    static final String HIDDEN = "(hidden)";

    private static final long SECOND_MS = 1_000;
    private static final long MINUTE_MS = 60 * SECOND_MS;
    private static final long HOUR_MS = 60 * MINUTE_MS;
    private static final long DAY_MS = 24 * HOUR_MS;

    static Setting of(String name, String unit, Object absent) {
        String text = absent instanceof Duration duration ? text(duration) : absent.toString();
        return new Setting(name, unit, text.endsWith(".0") ? text.substring(0, text.length() - 2) : text, false);
    }

    /** One in place of which nothing holds. */
    static Setting of(String name, String unit) {
        return of(name, unit, NONE);
    }

    static Setting secret(String name) {
        return new Setting(name, TEXT, NONE, true);
    }

    /** The setting that is an option of a kind of target or source. */
    static Setting of(String name, KindOption option) {
        return new Setting(name, option.unit(), option.absent(), option.isSecret());
    }

    /** The same under another name: of a queue, where this one is of any. */
    Setting as(String other) {
        return new Setting(other, unit, absent, isSecret);
    }

    /** A duration as people write it, in the largest unit that it is a multiple of. */
    private static String text(Duration duration) {
        long ms = duration.toMillis();
        if (ms % SECOND_MS != 0) {
            return ms + "ms";
        }
        if (ms % MINUTE_MS != 0) {
            return ms / SECOND_MS + "s";
        }
        if (ms % HOUR_MS != 0) {
            return ms / MINUTE_MS + "m";
        }
        return ms % DAY_MS != 0 ? ms / HOUR_MS + "h" : ms / DAY_MS + "d";
    }
}
