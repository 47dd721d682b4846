package io.tickwheel.server.cli;

import io.tickwheel.store.OnConflict;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Lines of an import that come last, in a temporary file until all others are through: there may be any number. For one thread. */
final class KeptLines implements AutoCloseable {

    private static final String NONE = "-";
    private static final int PARTS = 4;

    private final NewFile newFile;
    private @Nullable Path file;
    private @Nullable BufferedWriter out;

    KeptLines() {
        this(() -> Files.createTempFile("tickwheel-import", ".ndjson"));
    }

    /** @param newFile called at the first line; the file is deleted in the end */
    KeptLines(NewFile newFile) {
        this.newFile = newFile;
    }

    /** Makes the file. */
    interface NewFile {

        Path make() throws IOException;
    }

    /** What is done with a line. */
    interface Taker {

        void take(int number, String queue, @Nullable OnConflict own, byte[] line) throws IOException;
    }

    void add(int number, String queue, @Nullable OnConflict own, byte[] line) throws IOException {
        BufferedWriter writer = out;
        if (writer == null) {
            Path made = newFile.make();
            file = made;
            writer = Files.newBufferedWriter(made);
            out = writer;
        }
        writer.write(number + "\t" + URLEncoder.encode(queue, StandardCharsets.UTF_8) + "\t"
                + (own == null ? NONE : own.name()) + "\t");
        writer.write(new String(line, StandardCharsets.UTF_8));
        writer.write('\n');
    }

    /** Whether there is no line. */
    boolean isEmpty() {
        return out == null;
    }

    /** Gives all lines, in their order. */
    void forEach(Taker taker) throws IOException {
        if (out == null || file == null) {
            return;
        }
        out.close();
        try (BufferedReader in = Files.newBufferedReader(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] parts = line.split("\t", PARTS);
                OnConflict own = parts[2].equals(NONE) ? null : OnConflict.valueOf(parts[2]);
                String queue = URLDecoder.decode(parts[1], StandardCharsets.UTF_8);
                taker.take(Integer.parseInt(parts[0]), queue, own, parts[3].getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (out != null) {
                out.close();
            }
        } finally {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        }
    }
}
