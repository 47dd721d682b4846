package io.tickwheel.server;

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
