package io.tickwheel.server.cli;

import io.tickwheel.server.files.NamelessFile;
import io.tickwheel.store.OnConflict;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of an import that come last, in a temporary file until all others are through: there may be any number. For one thread. */
final class KeptLines implements AutoCloseable {

    private static final String NONE = "-";
    private static final int PARTS = 4;

    private final NamelessFile.Named newFile;
    private @Nullable NamelessFile file;
    private @Nullable BufferedWriter out;

    KeptLines() {
        this(NamelessFile::named);
    }

    /** @param newFile called at the first line */
    KeptLines(NamelessFile.Named newFile) {
        this.newFile = newFile;
    }

    /** What is done with a line. */
    interface Taker {

        void take(int number, String queue, @Nullable OnConflict own, byte[] line) throws IOException;
    }

    void add(int number, String queue, @Nullable OnConflict own, byte[] line) throws IOException {
        BufferedWriter writer = out;
        if (writer == null) {
            NamelessFile made = NamelessFile.of(newFile);
            file = made;
            writer = new BufferedWriter(new OutputStreamWriter(made.write(), StandardCharsets.UTF_8));
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
        out.flush();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(file.read(), StandardCharsets.UTF_8))) {
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
                file.close();
            }
        }
    }
}
