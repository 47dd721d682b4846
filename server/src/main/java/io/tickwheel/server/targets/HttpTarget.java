package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.tickwheel.server.wire.Excerpt;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends attempts as HTTP/1.1 requests over kept connections, on one event loop. Redirects are not followed, bodies are not
 * decompressed. No attempt waits for a connection of another one, so a receiver that hangs takes the credits of its own
 * attempts and nobody's time; an attempt ends {@link #TOTAL_TIMEOUT_MS} after it is connected, at the latest.
 */
final class HttpTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTarget.class);

    static final int CONNECT_TIMEOUT_MS = 5_000;
    static final long TOTAL_TIMEOUT_MS = 30_000;

    private static final int KEEP_ALIVE_SECONDS = 15;

    /** How long the headers and the first line of an answer may be, in bytes. */
    private static final int ANSWER_HEADERS = 16_384;

    private static final int STATUS_LINE = 8_192;

    private final Vertx vertx;
    private final Context context;
    private final Clock clock;
    private final HttpClientAgent client;

    /**
     * @param vertx belongs to the target from now on
     * @param context the event loop that all attempts run on
     * @param attempts how many run at once; all of them may go to one host
     */
    HttpTarget(Vertx vertx, Context context, Clock clock, int attempts) {
        this.vertx = vertx;
        this.context = context;
        this.clock = clock;
        HttpClientOptions options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_1_1)
                .setConnectTimeout(CONNECT_TIMEOUT_MS)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setMaxHeaderSize(ANSWER_HEADERS)
                .setMaxInitialLineLength(STATUS_LINE);
        this.client = vertx.httpClientBuilder()
                .with(options)
                .with(new PoolOptions().setHttp1MaxSize(attempts))
                .withConnectHandler(HttpTarget::connected)
                .build();
    }

    /** Without a handler, Vert.x logs what breaks a connection as an error of ours. The attempt on it, if any, has it as its reason. */
    private static void connected(HttpConnection connection) {
        connection.exceptionHandler(cause -> LOG.debug(
                "the connection to {} broke: {}", connection.remoteAddress(), Excerpt.sentence(cause.toString())));
    }

    /** The {@link HttpAddress#origin}: a host that hangs holds up no other, whatever paths it has. */
    @Override
    public String route(String address) {
        try {
            return HttpAddress.parse(address).origin();
        } catch (IllegalArgumentException e) {
            // Nothing is delivered there: each attempt fails with the rule.
            return address;
        }
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        context.runOnContext(go -> new Callback(vertx, client, clock, attempt, delivery).start());
    }

    /** Closes the Vert.x too; attempts that still run are dropped. */
    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
