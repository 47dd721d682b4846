package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ExitCode;

/** A payload as an argument: JSON, or the name of a file behind an {@code @}. */
final class PayloadArgument {

    private static final String NAME = "--payload";

    private PayloadArgument() {}

    /** Its bytes as they are, which are one JSON value: what follows it in a body stays what it is. */
    static byte[] read(String argument) {
        boolean isFile = argument.startsWith("@");
        byte[] bytes = isFile ? file(argument.substring(1)) : argument.getBytes(StandardCharsets.UTF_8);
        try {
            JsonTree.read(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (IOException e) {
            throw new StartException(
                    NAME + " is " + Excerpt.quoted(argument) + ", must be JSON in UTF-8, or @ and a file that has it",
                    ExitCode.USAGE,
                    e);
        }
        return bytes;
    }

    private static byte[] file(String name) {
        Path file = ToolArguments.file(NAME, name);
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new StartException(
                    NAME + ": " + file + " cannot be read: " + ToolArguments.reason(e), StartException.IO_ERROR, e);
        }
    }
}
