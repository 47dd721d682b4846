package io.tickwheel.server.targets;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;

/**
 * Writes the payload of one callback as its receiver takes it, in pieces of {@value #PIECE_BYTES} bytes, with its length ahead. A
 * request that gets its body at once has a copy of all of it, and Netty another one outside the heap, until the last byte is with
 * the receiver. Here each has one piece: the next is written when the one before is with the operating system. (Whether its queue
 * is full, which Vert.x can tell too, it says after 16 pieces, however large.) For the event loop of the request.
 */
final class PayloadWriter {

    static final int PIECE_BYTES = 64 << 10;

    private final HttpClientRequest request;
    private final byte[] payload;
    private int written;
    private boolean stopped;

    PayloadWriter(HttpClientRequest request, byte[] payload) {
        this.request = request;
        this.payload = payload;
    }

    /** Begins, and goes on by itself; the answer may come before the end. */
    Future<HttpClientResponse> begin() {
        if (payload.length <= PIECE_BYTES) {
            written = payload.length;
            boolean bare = payload.length == 0 && request.getMethod().equals(HttpMethod.GET);
            return bare ? request.send() : request.send(Buffer.buffer(payload));
        }
        request.headers().set(HttpHeaders.CONTENT_LENGTH, Integer.toString(payload.length));
        goOn();
        return request.response();
    }

    /** Writes nothing from now on. */
    void stop() {
        stopped = true;
    }

    /** How much was given to the connection. */
    int written() {
        return written;
    }

    boolean isDone() {
        return written == payload.length;
    }

    /** What fails here also fails the request, which has a handler for it. */
    private void goOn() {
        while (!stopped && !isDone()) {
            int count = Math.min(PIECE_BYTES, payload.length - written);
            Buffer piece = Buffer.buffer(count).appendBytes(payload, written, count);
            written += count;
            Future<Void> taken = isDone() ? request.end(piece) : request.write(piece);
            if (!taken.succeeded()) {
                taken.onSuccess(done -> goOn());
                return;
            }
        }
    }
}
