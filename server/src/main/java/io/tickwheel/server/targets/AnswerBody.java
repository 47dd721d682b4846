package io.tickwheel.server.targets;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

/**
 * What is read of the body of an answer: the excerpt where one is asked for, and the rest only so that the connection can be kept. Where that cannot be, as the body is longer than
 * {@value #MOST_BYTES} bytes or presumably is, the rest is not awaited. Of one event loop.
 */
final class AnswerBody {

    static final int MOST_BYTES = 64 << 10;

    private static final int NO_CONTENT = 204;

    private final @Nullable AnswerExcerpt excerpt;
    private final boolean tooLong;
    private long bytes;

    /**
     * Begins with what the head says.
     *
     * @param keepsExcerpt whether its beginning is to be kept
     * @param presumedLong whether it is longer than what is read, if the head does not say how long it is
     */
    AnswerBody(HttpClientResponse head, boolean keepsExcerpt, boolean presumedLong) {
        this.excerpt = keepsExcerpt ? new AnswerExcerpt(head.getHeader("Content-Type")) : null;
        String length = head.getHeader("Content-Length");
        this.tooLong = length == null ? presumedLong && head.statusCode() != NO_CONTENT : isTooLong(length);
    }

    private static boolean isTooLong(String length) {
        try {
            return Long.parseLong(length) > MOST_BYTES;
        } catch (NumberFormatException e) {
            // Whatever it means, it is counted when it comes.
            return false;
        }
    }

    void add(Buffer chunk) {
        if (excerpt != null) {
            excerpt.add(chunk);
        }
        bytes += chunk.length();
    }

    /** Whether there is nothing more to wait for, though it goes on. */
    boolean isCut() {
        return tooLong ? excerpt == null || bytes >= AnswerExcerpt.BYTES : isLong();
    }

    /** Whether it went on beyond what is read of one. */
    boolean isLong() {
        return bytes > MOST_BYTES;
    }

    /** How it begins; null when that was not asked for. */
    @Nullable
    String excerpt() {
        return excerpt == null ? null : excerpt.text();
    }
}
