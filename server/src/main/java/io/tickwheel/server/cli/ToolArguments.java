package io.tickwheel.server.cli;

import io.tickwheel.server.config.Settings;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import picocli.CommandLine.ExitCode;

/** Reads the arguments of commands. */
final class ToolArguments {

    private ToolArguments() {}

    /** Why an argument is not taken. */
    static StartException wrong(String name, String value, String rule) {
        return wrong(name + " is " + Excerpt.quoted(value) + ", " + rule);
    }

    static StartException wrong(String message) {
        return new StartException(message, ExitCode.USAGE, new IllegalArgumentException(message));
    }

    static int integer(String name, String value, int lowest, int highest) {
        return read(() -> Settings.integer(name, value, lowest, highest));
    }

    static Path directory(String name, String value) {
        return read(() -> Settings.directory(name, value));
    }

    static Path file(String name, String value) {
        return read(() -> Settings.file(name, value));
    }

    /** The fields of a target that is written as in the settings of a queue. */
    static Map<String, Object> target(String name, String value, TargetKinds kinds) {
        return read(() -> Objects.requireNonNull(kinds.write(Settings.target(name, value, kinds))));
    }

    private static <T> T read(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (StartException e) {
            throw new StartException(String.valueOf(e.getMessage()), ExitCode.USAGE, e);
        }
    }
}
