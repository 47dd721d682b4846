package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.ByteProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Counts the bytes that a call has read or copied, and tells of them. For one thread. */
public final class Work {

    private final ByteProgress progress;
    private long done;
    private long total;
    private long announced;
    private long end;

    public Work(ByteProgress progress) {
        this.progress = progress;
    }

    /** Adds bytes to the total that a later step will expect, so that it does not jump then. */
    void announce(long bytes) {
        total += bytes;
        announced += bytes;
    }

    /** Adds bytes to the total, as far as they were not announced. */
    void expect(long bytes) {
        long known = Math.min(announced, bytes);
        announced -= known;
        total += bytes - known;
    }

    /** Begins a piece of work, which counts as so many bytes in the end. */
    void begin(long bytes) {
        end = done + bytes;
    }

    /** Some bytes of the piece are done. */
    void add(long bytes) {
        at(Math.min(end, done + bytes));
    }

    /** All of the piece is done, also what need not be looked at. */
    void end() {
        at(end);
    }

    private void at(long bytes) {
        done = bytes;
        progress.at(done, Math.max(done, total));
    }

    /** The bytes of files together; of one that is missing, none. */
    static long bytes(Iterable<Path> files) throws IOException {
        long bytes = 0;
        for (Path file : files) {
            try {
                bytes += Files.size(file);
            } catch (NoSuchFileException e) {
                // Told by who reads it, if it had to be there.
            }
        }
        return bytes;
    }
}
