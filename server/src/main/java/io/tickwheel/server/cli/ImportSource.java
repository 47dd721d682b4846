package io.tickwheel.server.cli;

import io.tickwheel.server.SuppressForbidden;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The lines of an import: a file, or the standard input, which is copied to a temporary file when it is read more than once. For one thread. */
final class ImportSource implements AutoCloseable {

    private final @Nullable Path file;
    private @Nullable Path copy;

    /**
     * @param file empty for the standard input
     */
    ImportSource(String file) {
        this.file = file.isEmpty() ? null : ToolArguments.directory("--from", file);
    }

    /** Has the lines be read as often as they are opened, from now on. */
    @SuppressForbidden(reason = "an export is bytes in UTF-8, whatever the terminal speaks")
    void keep() throws IOException {
        if (file != null && Files.isRegularFile(file)) {
            return;
        }
        Path made = Files.createTempFile("tickwheel-import", ".ndjson");
        copy = made;
        if (file == null) {
            Files.copy(System.in, made, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.copy(file, made, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** The lines, from the first one. */
    BufferedReader open() throws IOException {
        Path from = copy != null ? copy : file;
        return from == null
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8.newDecoder()))
                : Files.newBufferedReader(from);
    }

    /** How many bytes there are to read each time; a pipe does not say. */
    OptionalLong size() throws IOException {
        Path from = copy != null ? copy : file;
        return from != null && Files.isRegularFile(from) ? OptionalLong.of(Files.size(from)) : OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        if (copy != null) {
            Files.deleteIfExists(copy);
        }
    }
}
