package io.tickwheel.server.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the request heads of one connection, between Netty's decoder and Vert.x, which has no limit for the first of these
 * and answers the second without a problem. For the event loop of the connection.
 *
 * <ul>
 *   <li>A head is complete a limit of time after its first bytes were read, however steadily the others trickle in. Time in
 *       which the server itself does not read, because it is behind with its answers, does not count.
 *   <li>A connection between two requests is not limited here; it idles out. Nor is a body, which {@link BodyIntake} limits.
 *   <li>The version is HTTP/1.0 or HTTP/1.1.
 *   <li>A head that breaks a rule becomes a request that could not be read, with the {@link ProblemException} as the cause. It
 *       is answered in its turn, after those before it. Nothing that comes after it is taken for a request.
 *   <li>What was answered is sent before the connection is closed.
 * </ul>
 *
 * <p>What begins in the same read as the end of the request before it is noticed with its next bytes: until then it is taken
 * for an idle connection.
 */
final class HeadWatch extends ChannelDuplexHandler {

    private final long limitMs;
    private boolean inRequest;
    private boolean decoded;
    private boolean refused;
    private @Nullable Future<?> deadline;

    HeadWatch(long limitMs) {
        this.limitMs = limitMs;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (refused) {
            ReferenceCountUtil.release(message);
            return;
        }
        decoded = true;
        if (message instanceof HttpRequest head) {
            inRequest = true;
            disarm();
            if (head.decoderResult().isSuccess() && !isKnown(head.protocolVersion())) {
                ReferenceCountUtil.release(message);
                refuse(
                        context,
                        new Problem(
                                ProblemCode.HTTP_VERSION_NOT_SUPPORTED,
                                "the version is "
                                        + Excerpt.of(head.protocolVersion().text())
                                        + ", must be HTTP/1.1 or HTTP/1.0, in capitals"));
                return;
            }
        }
        if (message instanceof LastHttpContent) {
            inRequest = false;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        // Bytes came, and no part of a request came of them: a head has begun.
        if (!decoded && !inRequest && !refused && deadline == null) {
            arm(context);
        }
        decoded = false;
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        disarm();
        context.fireChannelInactive();
    }

    /** Vert.x keeps what is written while it reads until it has read all, and drops it when the connection is closed. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        context.flush();
        var unused = context.close(promise);
    }

    /** Vert.x compares so too, and answers 501 to what is merely equal. */
    @SuppressWarnings(
            "ReferenceEquality") // the decoder gives these two instances for these two versions, spelt exactly
    private static boolean isKnown(HttpVersion version) {
        return version == HttpVersion.HTTP_1_1 || version == HttpVersion.HTTP_1_0;
    }

    private void arm(ChannelHandlerContext context) {
        deadline = context.executor().schedule(() -> late(context), limitMs, TimeUnit.MILLISECONDS);
    }

    private void disarm() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    private void late(ChannelHandlerContext context) {
        if (!context.channel().config().isAutoRead()) {
            arm(context);
            return;
        }
        refuse(
                context,
                new Problem(
                        ProblemCode.REQUEST_TIMEOUT,
                        "the request head did not arrive in " + limitMs + " ms, must be complete by then"));
        context.fireChannelReadComplete();
    }

    private void refuse(ChannelHandlerContext context, Problem problem) {
        refused = true;
        DefaultHttpRequest unreadable = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
        unreadable.setDecoderResult(DecoderResult.failure(problem.exception()));
        context.fireChannelRead(unreadable);
        context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
    }
}
