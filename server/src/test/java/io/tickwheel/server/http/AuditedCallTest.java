package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.audit.AuditEntry;
import io.tickwheel.server.audit.AuditLog;
import io.tickwheel.server.wire.JsonOut;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls beside an audit log that is behind. */
final class AuditedCallTest {

    /** Together more than may wait. */
    private static final int MANY = 10_000;

    private final Vertx vertx = Vertx.vertx();
    private final BodyBudget budget = new BodyBudget(Limits.BODY);
    private final Failures failures =
            new Failures(new Readiness(), new RandomKeys(() -> 7), new Traffic(code -> {}, when -> {}, null));
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void nothingIsDoneWhileTooManyLinesCannotBeWritten(@TempDir Path directory) throws Exception {
        Path folder = directory.resolve("none");
        AuditLog log =
                new AuditLog(new AuditConfig(folder.resolve("audit.log"), true, 1 << 30, 2), vertx, Clock.system());
        int port = serve(log);
        assertThat(call(port).statusCode()).isEqualTo(200);
        AuditEntry.Asked asked = new AuditEntry.Asked("PUT", "TIMER", "q", "k".repeat(512), List.of());
        for (int i = 0; i < MANY; i++) {
            log.add(new AuditEntry(0, Caller.ANYBODY, "127.0.0.1", asked, 201, "", null));
        }
        HttpResponse<String> refused = call(port);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("\"code\":\"overloaded\"", "\"applied\":false", "the audit log is behind");
        Files.createDirectory(folder);
        assertThat(Patience.look(() -> call(port).statusCode(), status -> status == 200))
                .isEqualTo(200);
    }

    private int serve(AuditLog log) {
        return vertx.createHttpServer()
                .requestHandler(request -> answer(request, log))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private void answer(HttpServerRequest request, AuditLog log) {
        Exchange exchange = new Exchange(request, failures, budget);
        exchange.attempt(() -> {
            new AuditedCall(Route.of("/v1/queues/q/pause"), "POST").follow(exchange, log, Clock.system());
            exchange.answer(200, new JsonOut(2).open('{').close('}'));
        });
    }

    private HttpResponse<String> call(int port) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
