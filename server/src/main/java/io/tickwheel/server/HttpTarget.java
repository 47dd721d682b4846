package io.tickwheel.server;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;

/**
 * Sends attempts as HTTP/1.1 requests over kept connections, on one event loop. Redirects are not followed, bodies are not
 * decompressed, and an attempt ends after {@link #TOTAL_TIMEOUT_MS} at the latest.
 */
final class HttpTarget implements Target {

    static final int CONNECT_TIMEOUT_MS = 5_000;
    static final long TOTAL_TIMEOUT_MS = 30_000;

    private static final int CONNECTIONS_PER_HOST = 128;
    private static final int WAITING_PER_HOST = 4_096;
    private static final int KEEP_ALIVE_SECONDS = 15;

    private final Vertx vertx;
    private final Context context;
    private final Clock clock;
    private final HttpClientAgent client;

    /** @param context the event loop that all attempts run on */
    HttpTarget(Vertx vertx, Context context, Clock clock) {
        this.vertx = vertx;
        this.context = context;
        this.clock = clock;
        HttpClientOptions options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_1_1)
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setMaxHeaderSize(Limits.HEADERS)
                .setMaxInitialLineLength(Limits.REQUEST_LINE);
        PoolOptions pool =
                new PoolOptions().setHttp1MaxSize(CONNECTIONS_PER_HOST).setMaxWaitQueueSize(WAITING_PER_HOST);
        this.client = vertx.createHttpClient(options, pool);
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        context.runOnContext(go -> new Callback(vertx, client, clock, attempt, delivery).start());
    }
}
