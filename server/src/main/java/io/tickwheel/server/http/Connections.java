package io.tickwheel.server.http;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Counts the open connections and closes those beyond a limit at once: each has buffers and a descriptor. Has the heads of the
 * others watched. For one event loop.
 */
public final class Connections {

    private final int limit;
    private final long headMs;
    private int open;

    /**
     * Lets a number of connections in, none of which is open yet.
     *
     * @param headMs how long the head of a request may take
     */
    public Connections(int limit, long headMs) {
        this.limit = limit;
        this.headMs = headMs;
    }

    public void opened(HttpConnection connection) {
        open++;
        connection.closeHandler(closed -> open--);
        if (open > limit) {
            connection.close();
            return;
        }
        ChannelPipeline pipeline = ((ConnectionBase) connection).channel().pipeline();
        pipeline.addAfter(pipeline.context(HttpRequestDecoder.class).name(), "heads", new HeadWatch(headMs));
    }
}
