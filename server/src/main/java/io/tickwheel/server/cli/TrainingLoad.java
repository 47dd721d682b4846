package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.PoolOptions;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What clients do most, done to a server of this process: timers one by one, each called back a moment later, batches, reads and cancels. All runs on
 * one event loop of its own. For one run.
 */
final class TrainingLoad {

    private static final String HOST = "127.0.0.1";
    private static final String TIMERS = "/v1/queues/training/timers/";
    private static final int CONNECTIONS = 64;
    private static final int SPREAD_MS = 1_000;
    private static final int BATCHES = 50;
    private static final int BATCH = 100;
    private static final int OTHERS = 500;
    private static final int OK = 200;
    private static final int FIRST_ERROR = 400;
    private static final long LIMIT_MINUTES = 5;

    private final int port;
    private final int timers;
    private int scheduled;
    private int called;

    /** @param timers how many are scheduled one by one */
    TrainingLoad(int port, int timers) {
        this.port = port;
        this.timers = timers;
    }

    /**
     * Blocks until all is done; not to be called on an event loop.
     *
     * @throws StartException when the server does not do as it is told
     */
    void run() {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        try {
            Promise<Void> done = Promise.promise();
            vertx.runOnContext(go -> load(vertx).onComplete(done));
            done.future().toCompletionStage().toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw new StartException("the training has failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new StartException("the training has not ended within " + LIMIT_MINUTES + " minutes", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("the training was interrupted", e);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private Future<Void> load(Vertx vertx) {
        Promise<Void> allCalled = Promise.promise();
        HttpServer receiver = vertx.createHttpServer()
                .requestHandler(request -> request.end()
                        .compose(read -> request.response().end())
                        .onSuccess(answered -> {
                            if (++called == timers) {
                                allCalled.tryComplete();
                            }
                        }));
        HttpClient client =
                vertx.createHttpClient(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(CONNECTIONS));
        return receiver.listen(0, HOST)
                .compose(listening -> {
                    String target = "{\"url\":\"http://" + HOST + ":" + listening.actualPort() + "/\"}";
                    Future<?>[] lines = new Future<?>[CONNECTIONS];
                    for (int i = 0; i < CONNECTIONS; i++) {
                        lines[i] = scheduleOn(client, target);
                    }
                    return Future.join(List.of(lines));
                })
                .compose(all -> batches(client, BATCHES))
                .compose(all -> others(client, OTHERS))
                .compose(all -> allCalled.future());
    }

    /** One timer after the other, until all are scheduled. */
    private Future<Void> scheduleOn(HttpClient client, String target) {
        if (scheduled == timers) {
            return Future.succeededFuture();
        }
        int number = scheduled++;
        String timer = "{\"delay\":\"" + number % SPREAD_MS + "ms\",\"payload\":{\"number\":" + number + "},\"target\":"
                + target + "}";
        return call(client, HttpMethod.PUT, TIMERS + number, "application/json", timer)
                .compose(put -> scheduleOn(client, target));
    }

    private Future<Void> batches(HttpClient client, int left) {
        if (left == 0) {
            return Future.succeededFuture();
        }
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < BATCH; i++) {
            lines.append("{\"key\":\"batch-")
                    .append(left * BATCH + i)
                    .append("\",\"delay\":\"1h\",\"payload\":")
                    .append(i)
                    .append(",\"target\":{\"log\":{}}}\n");
        }
        return call(
                        client,
                        HttpMethod.POST,
                        "/v1/queues/training/timers:batch",
                        "application/x-ndjson",
                        lines.toString())
                .compose(posted -> batches(client, left - 1));
    }

    private Future<Void> others(HttpClient client, int left) {
        if (left == 0) {
            return Future.succeededFuture();
        }
        String timer = TIMERS + "batch-" + (BATCH + left);
        return call(client, HttpMethod.GET, timer, "", "")
                .compose(read -> call(client, HttpMethod.DELETE, timer, "", ""))
                .compose(cancelled -> others(client, left - 1));
    }

    private Future<Buffer> call(HttpClient client, HttpMethod method, String path, String type, String body) {
        return client.request(method, port, HOST, path)
                .compose(request -> body.isEmpty()
                        ? request.send()
                        : request.putHeader("Content-Type", type).send(body))
                .compose(response -> response.body()
                        .compose(answer -> response.statusCode() >= OK && response.statusCode() < FIRST_ERROR
                                ? Future.succeededFuture(answer)
                                : Future.failedFuture(new IllegalStateException(
                                        method + " " + path + " was answered with " + answer))));
    }
}
