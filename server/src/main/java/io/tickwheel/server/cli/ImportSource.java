package io.tickwheel.server.cli;

import io.tickwheel.server.SuppressForbidden;
import io.tickwheel.server.files.NamelessFile;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The lines of an import: a file, or the standard input, which is copied to a temporary file when it is read more than once. For one thread. */
final class ImportSource implements AutoCloseable {

    private final @Nullable Path file;
    private @Nullable NamelessFile copy;

    /**
     * @param file empty for the standard input
     */
    ImportSource(String file) {
        this.file = file.isEmpty() ? null : ToolArguments.directory("--from", file);
        if (this.file != null && Files.isDirectory(this.file)) {
            throw ToolArguments.wrong("--from", file, "must be a file, and is a directory");
        }
    }

    /** Has the lines be read as often as they are opened, from now on. */
    @SuppressForbidden(reason = "an export is bytes in UTF-8, whatever the terminal speaks")
    void keep() throws IOException {
        if (file != null && Files.isRegularFile(file)) {
            return;
        }
        NamelessFile made = NamelessFile.of(NamelessFile::named);
        copy = made;
        OutputStream out = made.write();
        if (file == null) {
            System.in.transferTo(out);
        } else {
            Files.copy(file, out);
        }
    }

    /**
     * The lines, from the first one.
     *
     * @throws IOException also where the first bytes say that it is no text in UTF-8
     */
    BufferedReader open() throws IOException {
        InputStream in = new BufferedInputStream(bytes());
        try {
            readFirstBytes(in);
        } catch (IOException e) {
            in.close();
            throw e;
        }
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()));
    }

    private InputStream bytes() throws IOException {
        if (copy != null) {
            return copy.read();
        }
        return file == null ? System.in : Files.newInputStream(file);
    }

    /** Refuses what its first bytes say is no text in UTF-8, and goes past a byte order mark, with which some editors begin such a text. */
    private void readFirstBytes(InputStream in) throws IOException {
        in.mark(3);
        byte[] first = in.readNBytes(3);
        if (begins(first, 0x1F, 0x8B)) {
            throw refusal("it seems to be compressed with gzip, must be text in UTF-8", null);
        }
        if (begins(first, 0xFE, 0xFF) || begins(first, 0xFF, 0xFE)) {
            throw refusal("it seems to be UTF-16, must be text in UTF-8", null);
        }
        if (!begins(first, 0xEF, 0xBB, 0xBF)) {
            in.reset();
        }
    }

    private static boolean begins(byte[] bytes, int... expected) {
        for (int i = 0; i < expected.length; i++) {
            if (i == bytes.length || Byte.toUnsignedInt(bytes[i]) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    /** Why the lines cannot be read, and of what. */
    IOException refusal(String reason, @Nullable IOException cause) {
        IOException refusal = file == null
                ? new IOException("the standard input: " + reason)
                : new FileSystemException(file.toString(), null, reason);
        refusal.initCause(cause);
        return refusal;
    }

    /** How many bytes there are to read each time; a pipe does not say. */
    OptionalLong size() throws IOException {
        if (copy != null) {
            return OptionalLong.of(copy.size());
        }
        return file != null && Files.isRegularFile(file) ? OptionalLong.of(Files.size(file)) : OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        if (copy != null) {
            copy.close();
        }
    }
}
