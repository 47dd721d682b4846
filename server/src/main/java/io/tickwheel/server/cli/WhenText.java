package io.tickwheel.server.cli;

import io.tickwheel.engine.DurationText;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times and durations as arguments, in the forms that the server takes. */
final class WhenText {

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");

    private WhenText() {}

    /** Writes when a timer is due: exactly one of the two must be there. */
    static void write(JsonOut body, @Nullable String in, @Nullable String at) {
        if (in != null && at == null) {
            Duration unused = checkDuration("--in", in);
            body.field("delay").string(in);
        } else if (at != null && in == null) {
            checkTime("--at", at);
            body.field("dueAt");
            if (NUMBER.matcher(at).matches()) {
                body.number(Long.parseLong(at));
            } else {
                body.string(at);
            }
        } else {
            throw ToolArguments.wrong("must have one of --in and --at");
        }
    }

    /** Refuses what is no duration, or not within these bounds. */
    static void checkDuration(String name, String text, Duration shortest, Duration longest) {
        Duration duration = checkDuration(name, text);
        if (duration.compareTo(shortest) < 0 || duration.compareTo(longest) > 0) {
            throw ToolArguments.wrong(name, text, "must be " + shortest + " to " + longest);
        }
    }

    private static Duration checkDuration(String name, String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong(name, text, String.valueOf(e.getMessage()));
        }
    }

    /** Refuses what is neither a time nor milliseconds since the epoch. */
    static void checkTime(String name, String text) {
        try {
            if (NUMBER.matcher(text).matches()) {
                TimeText.ofEpochMs(Long.parseLong(text));
            } else {
                TimeText.parse(text);
            }
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong(name, text, String.valueOf(e.getMessage()));
        }
    }
}
