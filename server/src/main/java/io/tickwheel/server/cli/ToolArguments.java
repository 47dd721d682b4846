package io.tickwheel.server.cli;

import io.tickwheel.server.config.Settings;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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

    /**
     * One of some words.
     *
     * @param words what it may be, as a sentence lists them
     */
    static void checkWord(String name, @Nullable String value, String words, List<String> allowed) {
        if (value != null && !allowed.contains(value)) {
            throw wrong(name, value, "must be " + words);
        }
    }

    /** Why a file cannot be read or written, in words: an exception may say no more than its name. */
    static String reason(IOException failed) {
        if (failed instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        if (failed instanceof NoSuchFileException) {
            return "there is no such file";
        }
        if (failed instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failed instanceof FileAlreadyExistsException) {
            return "there is such a file already";
        }
        if (failed instanceof CharacterCodingException) {
            return "it is not UTF-8";
        }
        String said = failed.getMessage();
        return said == null || failed instanceof FileSystemException ? failed.toString() : said;
    }

    /** As {@link #reason}, with the file where it is known. */
    static String fileAndReason(IOException failed) {
        String file = failed instanceof FileSystemException system ? system.getFile() : null;
        return file == null ? reason(failed) : file + ": " + reason(failed);
    }

    private static <T> T read(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (StartException e) {
            throw new StartException(String.valueOf(e.getMessage()), ExitCode.USAGE, e);
        }
    }
}
