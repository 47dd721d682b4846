package io.tickwheel.server.targets;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientBuilder;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends attempts as HTTP/1.1 requests over kept connections, on one event loop; another thread looks names up. Redirects are not followed, bodies are not
 * decompressed. No attempt waits for a connection of another one, so a receiver that hangs takes the credits of its own
 * attempts and nobody's time; an attempt ends when its {@link Timeouts} say so, at the latest.
 */
final class HttpTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTarget.class);
    private static final int KEEP_ALIVE_SECONDS = 15;

    /** How long the headers and the first line of an answer may be, in bytes. */
    private static final int ANSWER_HEADERS = 16_384;

    private static final int STATUS_LINE = 8_192;
    private static final int LEAST_LOOKUPS = 16;

    /** How long to wait for the callback of no timer before all is closed. */
    private static final int FIRST_MS = 5_000;

    private final Vertx vertx;
    private final Context context;
    private final Clock clock;
    private final NameLookups names;
    private final Connector connector;
    private final LongAnswers longAnswers = new LongAnswers();

    /** The callback of no timer, once it has ended. */
    private volatile CompletableFuture<@Nullable Void> ahead = CompletableFuture.completedFuture(null);

    /**
     * @param vertx belongs to the target from now on
     * @param context the event loop that all attempts run on
     * @param attempts how many run at once; all of them may go to one host, and an eighth may wait for names
     */
    HttpTarget(Vertx vertx, Context context, Clock clock, HttpSettings settings, int attempts) {
        this.vertx = vertx;
        this.context = context;
        this.clock = clock;
        NameServers servers =
                new NameServers(settings.nameServers(), settings.timeouts().connectMs(), NioDatagramChannel::new);
        this.names =
                new NameLookups(vertx, context, servers, settings.namesKeptMs(), Math.max(LEAST_LOOKUPS, attempts / 8));
        this.connector = connector(settings, attempts);
    }

    private Connector connector(HttpSettings settings, int attempts) {
        HttpClientOptions options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_1_1)
                .setConnectTimeout(settings.timeouts().connectMs())
                .setSslHandshakeTimeout(settings.timeouts().connectMs())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setMaxHeaderSize(ANSWER_HEADERS)
                .setMaxInitialLineLength(STATUS_LINE);
        HttpClientBuilder client =
                vertx.httpClientBuilder().with(options).with(new PoolOptions().setHttp1MaxSize(attempts));
        return new Connector(client, names, settings, 2 * attempts);
    }

    /** Makes a callback of no timer, so that the first one of a timer finds all classes loaded. */
    @Override
    public void prepare() {
        CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        ahead = ended;
        context.runOnContext(go -> FirstCallback.make(vertx, settings -> connector(settings, 1), clock)
                .onComplete(outcome -> ended.complete(null)));
    }

    /** The {@link HttpAddress#origin}: a host that hangs holds up no other, whatever paths it has. */
    @Override
    public String route(String address) {
        try {
            return connector.destination(address).origin();
        } catch (IllegalArgumentException e) {
            // Nothing is delivered there: each attempt fails with the rule.
            return address;
        }
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        context.runOnContext(go -> new Callback(vertx, connector, longAnswers, clock, attempt, delivery).start());
    }

    /** Closes the Vert.x too; attempts that still run are dropped. */
    @Override
    public void close() {
        awaitFirst();
        vertx.close().toCompletionStage().toCompletableFuture().join();
        names.close();
    }

    /** What is closed in the middle of that callback, as when the server stops at once, would tell so in the log. */
    private void awaitFirst() {
        try {
            ahead.get(FIRST_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // All is closed nevertheless, without waiting; the caller sees that it was interrupted.
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the callback ahead of the first one has not ended", e);
        }
    }
}
