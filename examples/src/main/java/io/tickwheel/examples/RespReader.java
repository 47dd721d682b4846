package io.tickwheel.examples;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads commands of the Redis protocol: an array of bulks, or a line of words as somebody types it.
 *
 * <pre>
 *   *2 CR LF  $3 CR LF  GET CR LF  $1 CR LF  k CR LF
 *   GET k CR LF
 * </pre>
 */
final class RespReader {

    /** What a command may take, its name and all its arguments together. */
    static final int MOST_BYTES = 1 << 20;

    static final int MOST_ARGUMENTS = 1_024;
    static final int MOST_INLINE_BYTES = 64 << 10;

    /** The most that a buffer must hold for a command to be complete in it. */
    static final int MOST_BUFFERED = 2 * MOST_BYTES;

    /** A sign, a count of ten digits, and room for what is wrong. */
    private static final int MOST_COUNT_BYTES = 32;

    private RespReader() {}

    /**
     * Takes the next command out of what has come; leaves everything where it is when that is not complete yet.
     *
     * @return the name and the arguments; empty for an empty line, and null when more has to come
     * @throws ProtocolException when it never can be one; its message is what Redis answers
     */
    static @Nullable List<byte[]> next(ByteBuffer in) throws ProtocolException {
        int start = in.position();
        List<byte[]> command = in.hasRemaining() && in.get(start) == '*' ? array(in) : line(in);
        if (command == null) {
            in.position(start);
        }
        return command;
    }

    private static @Nullable List<byte[]> line(ByteBuffer in) throws ProtocolException {
        String line = lineOf(in, MOST_INLINE_BYTES, "too big inline request");
        if (line == null) {
            return null;
        }
        return Stream.of(line.strip().split("\\s+"))
                .filter(word -> !word.isEmpty())
                .map(word -> word.getBytes(StandardCharsets.ISO_8859_1))
                .toList();
    }

    private static @Nullable List<byte[]> array(ByteBuffer in) throws ProtocolException {
        String head = lineOf(in, MOST_COUNT_BYTES, "too big mbulk count string");
        if (head == null) {
            return null;
        }
        int count = count(head, Integer.MIN_VALUE, MOST_ARGUMENTS, "invalid multibulk length");
        List<byte[]> command = new ArrayList<>();
        int left = MOST_BYTES;
        while (command.size() < count) {
            byte[] argument = bulk(in, left);
            if (argument == null) {
                return null;
            }
            left -= argument.length;
            command.add(argument);
        }
        return command;
    }

    private static byte @Nullable [] bulk(ByteBuffer in, int most) throws ProtocolException {
        if (!in.hasRemaining()) {
            return null;
        }
        char kind = (char) (in.get(in.position()) & 0xff);
        if (kind != '$') {
            throw new ProtocolException("Protocol error: expected '$', got '" + kind + "'");
        }
        String head = lineOf(in, MOST_COUNT_BYTES, "too big bulk count string");
        if (head == null) {
            return null;
        }
        int length = count(head, 0, most, "invalid bulk length");
        if (in.remaining() < length + 2) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        in.position(in.position() + 2);
        return bytes;
    }

    /** The number behind the first character. */
    private static int count(String head, int least, int most, String otherwise) throws ProtocolException {
        try {
            int count = Integer.parseInt(head.substring(1));
            if (count >= least && count <= most) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw new ProtocolException("Protocol error: " + otherwise);
    }

    /** Takes a line without its end; null when that has not come. */
    private static @Nullable String lineOf(ByteBuffer in, int most, String otherwise) throws ProtocolException {
        StringBuilder line = new StringBuilder();
        while (in.hasRemaining()) {
            char next = (char) (in.get() & 0xff);
            if (next == '\n') {
                int length = line.length();
                return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
            }
            line.append(next);
            if (line.length() > most) {
                throw new ProtocolException("Protocol error: " + otherwise);
            }
        }
        return null;
    }
}
