package io.tickwheel.server.config;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.FieldValues;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.Durability;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;

/** Reads single settings; what breaks a rule ends the start with the name, the value and the rule. */
public final class Settings {

    /** The property with the encoding in which the JVM reads arguments and names of files, that of the locale. */
    public static final String LOCALE_ENCODING = "sun.jnu.encoding";

    private Settings() {}

    /** What can be read in the encoding of the locale, and how to have all characters. */
    public static String charactersOf(String encoding) {
        return "characters of " + encoding
                + ", the encoding of the locale of this process; with LC_ALL=C.UTF-8 it has all";
    }

    public static int integer(String name, String value, int lowest, int highest) {
        return (int) number(name, value, lowest, highest);
    }

    static long number(String name, String value, long lowest, long highest) {
        long number;
        try {
            number = Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw broken(name, value, "must be an integer from " + lowest + " to " + highest);
        }
        if (number < lowest || number > highest) {
            throw broken(name, value, "must be " + lowest + " to " + highest);
        }
        return number;
    }

    static double decimal(String name, String value, double lowest, double highest) {
        double number;
        try {
            number = FieldValues.decimal(value);
        } catch (NumberFormatException e) {
            throw broken(name, value, "must be a number from " + lowest + " to " + highest);
        }
        // Written so that NaN is refused too.
        if (!(number >= lowest && number <= highest)) {
            throw broken(name, value, "must be " + lowest + " to " + highest);
        }
        return number;
    }

    static Duration duration(String name, String value, Duration shortest, Duration longest) {
        Duration duration;
        try {
            duration = DurationText.parse(value);
        } catch (IllegalArgumentException e) {
            throw broken(name, value, String.valueOf(e.getMessage()));
        }
        if (duration.compareTo(shortest) < 0 || duration.compareTo(longest) > 0) {
            throw broken(name, value, "must be from " + shortest + " to " + longest);
        }
        return duration;
    }

    /** One that is kept as it is, in milliseconds. */
    static Duration durationInMs(String name, String value, Duration shortest, Duration longest) {
        Duration duration = duration(name, value, shortest, longest);
        if (!duration.equals(Duration.ofMillis(duration.toMillis()))) {
            throw broken(name, value, "must be of whole milliseconds");
        }
        return duration;
    }

    static Durability durability(String name, String value) {
        return switch (value) {
            case "sync" -> Durability.SYNC;
            case "interval" -> Durability.INTERVAL;
            case "none" -> Durability.NONE;
            default -> throw broken(name, value, "must be sync, interval or none");
        };
    }

    public static Path directory(String name, String value) {
        return path(name, value, "must be a directory");
    }

    private static Path path(String name, String value, String rule) {
        if (value.isBlank()) {
            throw broken(name, value, rule);
        }
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw broken(
                    name,
                    value,
                    value.indexOf('\0') >= 0
                            ? rule
                            : rule + ", named in " + charactersOf(System.getProperty(LOCALE_ENCODING)));
        }
    }

    /** A file to read, which may still not be there. */
    public static Path file(String name, String value) {
        return path(name, value, "must be a file");
    }

    static boolean flag(String name, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw broken(name, value, "must be true or false");
        };
    }

    static String text(String name, String value) {
        if (value.isBlank()) {
            throw broken(name, value, "must not be blank");
        }
        return value;
    }

    /** Reads the target of a queue as its kind has it in settings. */
    public static Destination target(String name, String value, TargetKinds kinds) {
        try {
            return kinds.readSetting(value);
        } catch (InvalidTargetException e) {
            throw broken(name, value, e.getMessage() + "; a target is " + kinds.settingForms());
        }
    }

    /** The queues "." and ".." take no new timers, but those of earlier versions may still wait there for their target. */
    static String queue(String name, String value) {
        if (value.equals(".") || value.equals("..")) {
            return value;
        }
        try {
            TimerRequest.after(value, "any", Duration.ZERO);
        } catch (IllegalArgumentException e) {
            throw new StartException(name + ": " + Excerpt.sentence(String.valueOf(e.getMessage())));
        }
        return value;
    }

    static StartException broken(String name, String value, String rule) {
        return new StartException(name + " is " + Excerpt.quoted(value) + ", " + rule);
    }
}
