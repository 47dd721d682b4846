package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Heads along timelines: bytes come, time passes, exactly this is let through. */
final class HeadWatchTest {

    private static final long LIMIT_MS = 10_000;
    private static final String HEAD = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private final EmbeddedChannel channel = new EmbeddedChannel(new HttpRequestDecoder(), new HeadWatch(LIMIT_MS));

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void nothingElseWasLetThrough() {
        assertThat(next()).isNull();
        channel.finishAndReleaseAll();
    }

    @Test
    void aHeadThatTricklesIsRefusedAtTheLimitAndNotBefore() {
        come("G");
        pass(LIMIT_MS - 1);
        come("ET / HTTP/1.1\r\nHost:");
        assertThat(next()).isNull();
        pass(1);
        refused(ProblemCode.REQUEST_TIMEOUT);
        come(" x\r\n\r\n" + HEAD);
        pass(LIMIT_MS);
    }

    @Test
    void aHeadInPiecesIsLetThroughInTime() {
        come("GET / HT");
        pass(LIMIT_MS - 1);
        come("TP/1.1\r\n\r\n");
        letThrough();
        pass(LIMIT_MS * 1_000);
    }

    @Test
    void aConnectionMayBeIdleBetweenRequestsAndEachHeadHasItsOwnTime() {
        pass(LIMIT_MS * 1_000);
        come(HEAD);
        letThrough();
        pass(LIMIT_MS * 1_000);
        come("GET / HT");
        pass(LIMIT_MS - 1);
        come("TP/1.1\r\n\r\n");
        letThrough();
        pass(1);
        come("G");
        pass(LIMIT_MS - 1);
        assertThat(next()).isNull();
        pass(1);
        refused(ProblemCode.REQUEST_TIMEOUT);
    }

    @Test
    void aBodyIsNotLimitedHere() {
        come("PUT / HTTP/1.1\r\nContent-Length: 2\r\n\r\n");
        assertThat(next()).isInstanceOf(HttpRequest.class);
        pass(LIMIT_MS * 2);
        come("a");
        pass(LIMIT_MS * 2);
        come("b");
        pass(LIMIT_MS * 2);
        HttpContent first = channel.readInbound();
        HttpContent last = channel.readInbound();
        assertThat(first.content().toString(StandardCharsets.US_ASCII)
                        + last.content().toString(StandardCharsets.US_ASCII))
                .isEqualTo("ab");
        ReferenceCountUtil.release(first);
        ReferenceCountUtil.release(last);
    }

    /** What says how long the next piece is may come in pieces too. */
    @Test
    void aBodyInPiecesIsNotLimitedHereAndTheNextHeadIs() {
        come("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
        assertThat(next()).isInstanceOf(HttpRequest.class);
        come("0");
        pass(LIMIT_MS * 2);
        assertThat(next()).isNull();
        come("\r\n\r\n");
        assertThat(next()).isInstanceOf(LastHttpContent.class);
        come("G");
        pass(LIMIT_MS);
        refused(ProblemCode.REQUEST_TIMEOUT);
    }

    @Test
    void theTimeInWhichTheServerDoesNotReadDoesNotCount() {
        come("GET / HT");
        channel.config().setAutoRead(false);
        pass(LIMIT_MS * 3);
        assertThat(next()).isNull();
        channel.config().setAutoRead(true);
        pass(LIMIT_MS - 1);
        assertThat(next()).isNull();
        pass(1);
        refused(ProblemCode.REQUEST_TIMEOUT);
    }

    @Test
    void aHeadThatBeginsBehindAnotherRequestCountsFromItsNextBytes() {
        come(HEAD + "GE");
        letThrough();
        pass(LIMIT_MS * 2);
        come("T / ");
        pass(LIMIT_MS - 1);
        assertThat(next()).isNull();
        pass(1);
        refused(ProblemCode.REQUEST_TIMEOUT);
    }

    @Test
    void aConnectionThatEndsIsForgotten() {
        come("GET / HT");
        // Not closed: that would end the timers of the embedded channel too.
        channel.pipeline().fireChannelInactive();
        pass(LIMIT_MS * 2);
    }

    @Test
    void anUnknownVersionEndsTheConnectionsRequests() {
        come("PUT / HTTP/9.9\r\nContent-Length: 2\r\n\r\nab" + HEAD);
        refused(ProblemCode.HTTP_VERSION_NOT_SUPPORTED);
        come(HEAD);
        pass(LIMIT_MS * 2);
    }

    private void come(String bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.US_ASCII));
    }

    private void pass(long ms) {
        channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private Object next() {
        return channel.readInbound();
    }

    private void letThrough() {
        HttpRequest request = channel.readInbound();
        assertThat(request.decoderResult().isSuccess()).isTrue();
        assertThat(next()).isEqualTo(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private void refused(ProblemCode code) {
        HttpRequest request = channel.readInbound();
        assertThat(request.decoderResult().cause())
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(refusal.problem().code()).isEqualTo(code));
        assertThat(next()).isEqualTo(LastHttpContent.EMPTY_LAST_CONTENT);
    }
}
