package io.tickwheel.benchmarks.power;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * The outside book of a run: a file on another file system than the store, one event a line, words between spaces, {@code ;}
 * at the end. A line is there before the event goes on: before a command is given, after it is answered, before a handler
 * returns. Each line is one write at the end of the file, so it outlives the process, and the script that cuts the power
 * writes its lines into the same file. Thread-safe.
 *
 * <pre>
 *   open WALL            ready WALL LIVE       refused WHY          cut WALL frozen|running
 *   healed WALL          closed
 *   schedule KEY TOKEN DUE    made KEY VERSION ID DUE PREVIOUS
 *   cancel KEY                cancelled KEY OUTCOME ID VERSION DUE STATE    (or KEY OUTCOME -)
 *   find KEY                  found KEY ID VERSION DUE STATE                (or KEY -)
 *   unknown KEY               notapplied KEY
 *   came TOKEN KEY ID VERSION DUE WALL        took TOKEN WALL        failed TOKEN
 *   counted LIVE FOUND
 * </pre>
 */
final class Ledger implements AutoCloseable {

    static final String NONE = "-";
    private static final String END = ";";

    private final FileOutputStream file;

    /** Appends to {@code path}, behind what a process wrote that was killed within a line. */
    Ledger(Path path) throws IOException {
        file = new FileOutputStream(path.toFile(), true);
        file.write('\n');
    }

    void write(Object... words) {
        StringJoiner line = new StringJoiner(" ", "", " " + END + "\n");
        for (Object word : words) {
            line.add(word.toString());
        }
        try {
            file.write(line.toString().getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("the ledger cannot be written", e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /**
     * What is known by now. A line that was cut off tells of a command that was not given yet, or of an answer that nobody
     * got: it is as if it was not there.
     */
    static History read(Path path) throws IOException {
        History history = new History();
        if (Files.exists(path)) {
            try (Stream<String> lines = Files.lines(path, UTF_8)) {
                lines.forEach(line -> {
                    List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
                    if (words.remove(words.size() - 1).equals(END)) {
                        history.apply(words);
                    }
                });
            }
        }
        return history;
    }
}
