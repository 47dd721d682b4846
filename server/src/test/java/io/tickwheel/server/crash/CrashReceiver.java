package io.tickwheel.server.crash;

import io.tickwheel.redis.testkit.Patience;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes the callbacks, writes them into the ledger, and answers 200. */
final class CrashReceiver implements AutoCloseable {

    private static final int QUIET_LOOKS = 5;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final AtomicInteger connections = new AtomicInteger();
    private final CrashLifetimes lifetimes;
    private final Ledger ledger;
    private final int port;

    CrashReceiver(CrashLifetimes lifetimes, Ledger ledger) throws Exception {
        this.lifetimes = lifetimes;
        this.ledger = ledger;
        HttpServer server = vertx.createHttpServer()
                .connectionHandler(connection -> {
                    connections.incrementAndGet();
                    connection.closeHandler(closed -> connections.decrementAndGet());
                })
                .requestHandler(this::take);
        port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .actualPort();
    }

    String url() {
        return "http://127.0.0.1:" + port + "/cb";
    }

    /** Waits until everything that a killed server had sent is read, so that it is not taken for its successor's. */
    void awaitQuiet() {
        AtomicInteger quiet = new AtomicInteger();
        Patience.until("the connections of the killed server are closed", () -> {
            quiet.set(connections.get() == 0 ? quiet.get() + 1 : 0);
            return quiet.get() == QUIET_LOOKS;
        });
    }

    private void take(HttpServerRequest request) {
        LedgerMoment at = LedgerMoment.now();
        int lifetime = lifetimes.current();
        request.body().onSuccess(body -> {
            try {
                ledger.record(new LedgerArrival(
                        at,
                        lifetime,
                        Objects.requireNonNull(request.getHeader("webhook-id")),
                        Objects.requireNonNull(request.getHeader("Tickwheel-Key")),
                        Long.parseLong(request.getHeader("Tickwheel-Version")),
                        Integer.parseInt(request.getHeader("Tickwheel-Attempt")),
                        Instant.parse(request.getHeader("Tickwheel-Due-At")).toEpochMilli(),
                        new JsonObject(body).getString("token")));
            } catch (RuntimeException e) {
                ledger.recordFault("a callback that cannot be read: " + e + ", " + request.headers() + ", " + body);
            }
            request.response().end();
        });
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }
}
