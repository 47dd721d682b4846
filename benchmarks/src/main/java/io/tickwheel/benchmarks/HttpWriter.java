package io.tickwheel.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** Bytes on their way out of one connection. Not thread-safe. */
final class HttpWriter {

    private byte[] bytes = new byte[16_384];
    private ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private int start;
    private int end;

    void append(byte[] message) {
        int at = reserve(message.length);
        System.arraycopy(message, 0, bytes, at, message.length);
    }

    /** Makes room for {@code length} bytes, which the caller fills in {@link #array} from the returned place on. */
    int reserve(int length) {
        if (start == end) {
            start = 0;
            end = 0;
        }
        if (end + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end + length));
            buffer = ByteBuffer.wrap(bytes);
        }
        int at = end;
        end += length;
        return at;
    }

    byte[] array() {
        return bytes;
    }

    /** Writes what the channel takes, and asks to be told when it takes more. */
    void flush(SocketChannel channel, SelectionKey key) throws IOException {
        if (start < end) {
            start += channel.write(buffer.limit(end).position(start));
        }
        int wanted = start < end ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }
}
