package io.tickwheel.server.http;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of one request as it came. Large pieces are kept as they are; small ones are put together, because a client may send
 * one byte at a time and an object costs more than that. So it takes at most about twice its length. Not thread-safe.
 */
final class BodyPieces {

    private static final int LARGE = 4_096;

    private final List<Buffer> pieces = new ArrayList<>(1);
    private int length;

    void add(Buffer piece) {
        length += piece.length();
        int last = pieces.size() - 1;
        if (last >= 0 && pieces.get(last).length() < LARGE) {
            pieces.set(last, pieces.get(last).appendBuffer(piece));
        } else {
            pieces.add(piece);
        }
    }

    byte[] toBytes() {
        byte[] bytes = new byte[length];
        int at = 0;
        for (Buffer piece : pieces) {
            piece.getBytes(bytes, at);
            at += piece.length();
        }
        return bytes;
    }
}
