package io.tickwheel.server.cli;

import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Reads lines as a {@link java.io.BufferedReader} does, and keeps no more than {@value #MAX_CHARS} characters of one. For one thread. */
final class LineReader implements AutoCloseable {

    /** More than the largest payload in Base64 has, with all that may be beside it. */
    static final int MAX_CHARS = 32 << 20;

    private final Reader in;
    private final char[] buffer = new char[8192];
    private int from;
    private int to;
    private boolean behindReturn;
    private boolean tooLong;

    LineReader(Reader in) {
        this.in = in;
    }

    /** The next line, cut off when it is {@link #tooLong too long}; null behind the last one. */
    @Nullable
    String next() throws IOException {
        StringBuilder line = new StringBuilder();
        boolean begun = false;
        tooLong = false;
        while (fill()) {
            if (behindReturn) {
                behindReturn = false;
                if (buffer[from] == '\n') {
                    from++;
                    continue;
                }
            }
            begun = true;
            int end = from;
            while (end < to && buffer[end] != '\n' && buffer[end] != '\r') {
                end++;
            }
            append(line, end);
            from = end;
            if (end < to) {
                behindReturn = buffer[end] == '\r';
                from++;
                return line.toString();
            }
        }
        return begun ? line.toString() : null;
    }

    /** Whether the line that was read last has more than {@value #MAX_CHARS} characters. */
    boolean tooLong() {
        return tooLong;
    }

    private boolean fill() throws IOException {
        if (from == to) {
            from = 0;
            to = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return from < to;
    }

    private void append(StringBuilder line, int end) {
        int room = MAX_CHARS - line.length();
        tooLong |= end - from > room;
        line.append(buffer, from, Math.min(end - from, room));
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
