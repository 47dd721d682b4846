package io.tickwheel.server.config;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads what is logged, and in which form. */
final class LogSettings {

    private static final String FORMAT = "log.format";
    private static final String ACCESS = "log.access";
    private static final String TEXT = "text";
    private static final String JSON = "json";
    private static final String RULE = TEXT + " or " + JSON;

    static final List<Setting> SETTINGS =
            List.of(Setting.of(FORMAT, RULE, TEXT), Setting.of(ACCESS, Setting.FLAG, false));

    private LogSettings() {}

    static LogConfig read(UnaryOperator<@Nullable String> values) {
        String format = values.apply(FORMAT);
        if (format != null && !format.equals(TEXT) && !format.equals(JSON)) {
            throw Settings.broken(FORMAT, format, "must be " + RULE);
        }
        String access = values.apply(ACCESS);
        return new LogConfig(JSON.equals(format), access != null && Settings.flag(ACCESS, access));
    }
}
