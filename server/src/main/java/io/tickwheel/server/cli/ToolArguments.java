package io.tickwheel.server.cli;

import io.tickwheel.server.config.Settings;
import io.tickwheel.server.config.StartException;
import java.nio.file.Path;
import picocli.CommandLine.ExitCode;

/** Reads the arguments of the commands that work on a data directory. */
final class ToolArguments {

    private ToolArguments() {}

    static Path directory(String name, String value) {
        try {
            return Settings.directory(name, value);
        } catch (StartException e) {
            throw new StartException(String.valueOf(e.getMessage()), ExitCode.USAGE, e);
        }
    }
}
