package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream of bytes into HTTP/1.1 messages, requests or responses, as cheaply as a load generator must. Knows bodies by
 * {@code Content-Length}, by chunks and none. The bytes are valid until the next {@link #fill}. Not thread-safe.
 */
public final class HttpReader {

    private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(UTF_8);
    private static final byte[] CHUNKED = "transfer-encoding: chunked".getBytes(UTF_8);

    private byte[] bytes = new byte[16_384];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private int start;
    private int end;
    private int messageStart;
    private int bodyStart;
    private int bodyEnd;

    /** Reads once from the channel; false at the end of the stream. */
    public boolean fill(ReadableByteChannel channel) throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (end == bytes.length && start > 0) {
            System.arraycopy(bytes, start, bytes, 0, end - start);
            end -= start;
            start = 0;
        } else if (end == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            buffer = ByteBuffer.wrap(bytes);
        }
        int read = channel.read(buffer.limit(bytes.length).position(end));
        end += Math.max(read, 0);
        return read >= 0;
    }

    /** Goes to the next message; false when it has not arrived in full. */
    public boolean next() {
        int line = start;
        int length = 0;
        boolean chunked = false;
        while (true) {
            int lineEnd = endOfLine(line);
            if (lineEnd < 0) {
                return false;
            }
            if (lineEnd == line) {
                break;
            }
            if (startsWith(line, lineEnd, CONTENT_LENGTH)) {
                length = decimal(line + CONTENT_LENGTH.length, lineEnd);
            } else if (startsWith(line, lineEnd, CHUNKED)) {
                chunked = true;
            }
            line = lineEnd + 2;
        }
        int afterHead = line + 2;
        int after = chunked ? endOfChunks(afterHead) : afterHead + length;
        if (after < 0 || after > end) {
            return false;
        }
        messageStart = start;
        bodyStart = afterHead;
        bodyEnd = after;
        start = after;
        return true;
    }

    /** The status of the current message, which must be a response. */
    public int status() {
        return decimal(messageStart + "HTTP/1.1".length(), messageStart + "HTTP/1.1 200".length());
    }

    /** The first value of a header of the current message, named in small letters; null when it has none. */
    public @Nullable String header(String name) {
        byte[] field = (name + ":").getBytes(UTF_8);
        int line = endOfLine(messageStart) + 2;
        while (line < bodyStart) {
            int lineEnd = endOfLine(line);
            if (startsWith(line, lineEnd, field)) {
                return new String(bytes, line + field.length, lineEnd - line - field.length, UTF_8).strip();
            }
            line = lineEnd + 2;
        }
        return null;
    }

    int bodyLength() {
        return bodyEnd - bodyStart;
    }

    byte bodyByte(int index) {
        return bytes[bodyStart + index];
    }

    /** The body as text; with its chunk headers when it is chunked. */
    public String body() {
        return new String(bytes, bodyStart, bodyEnd - bodyStart, UTF_8);
    }

    /** How often {@code word} occurs in the body. */
    int count(byte[] word) {
        int count = 0;
        for (int i = bodyStart; i <= bodyEnd - word.length; i++) {
            if (bytes[i] == word[0] && Arrays.equals(bytes, i, i + word.length, word, 0, word.length)) {
                count++;
            }
        }
        return count;
    }

    private int endOfLine(int from) {
        for (int i = from; i + 1 < end; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private int endOfChunks(int from) {
        int chunk = from;
        while (true) {
            int lineEnd = endOfLine(chunk);
            if (lineEnd < 0) {
                return -1;
            }
            int size = Integer.parseInt(new String(bytes, chunk, lineEnd - chunk, UTF_8), 16);
            chunk = lineEnd + 2 + size + 2;
            if (size == 0) {
                return chunk;
            }
        }
    }

    private boolean startsWith(int from, int to, byte[] lowerCase) {
        if (to - from < lowerCase.length || (bytes[from] | 0x20) != lowerCase[0]) {
            return false;
        }
        for (int i = 1; i < lowerCase.length; i++) {
            byte b = bytes[from + i];
            if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    private int decimal(int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] >= '0' && bytes[i] <= '9') {
                number = 10 * number + bytes[i] - '0';
            }
        }
        return number;
    }
}
