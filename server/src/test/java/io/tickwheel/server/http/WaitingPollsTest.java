package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.access.Tokens;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What polls hold while they wait. */
final class WaitingPollsTest {

    private static final int BLANKS = 500_000;

    @TempDir
    private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final BodyBudget budget = new BodyBudget(Limits.BODY);
    private final Readiness readiness = new Readiness();
    private final CompletableFuture<Long> heldBefore = new CompletableFuture<>();
    private final CompletableFuture<Long> heldWhileItWaits = new CompletableFuture<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private Tickwheel timers;

    @BeforeEach
    void open() {
        Context loop = vertx.getOrCreateContext();
        timers = Tickwheel.builder(SmallSegments.store(directory))
                .answers(task -> loop.runOnContext(turn -> task.run()))
                .open();
        readiness.opened(timers);
        Failures failures = new Failures(readiness, new RandomKeys(() -> 7), new Traffic(code -> {}, when -> {}, null));
        Guard guard = new Guard(new Tokens(Clock.system(), () -> 7, null, false), false, null, Clock.system());
        LeaseCalls leases = new LeaseCalls(readiness, failures, guard);
        loop.runOnContext(turn -> vertx.createHttpServer()
                .requestHandler(request -> {
                    Exchange exchange = new Exchange(request, failures, budget);
                    BodyIntake.read(vertx, exchange, budget, Limits.BODY, body -> {
                        heldBefore.complete(budget.taken());
                        leases.poll(exchange, "q", body);
                        heldWhileItWaits.complete(budget.taken());
                    });
                })
                .listen(0, "127.0.0.1")
                .onSuccess(http -> port.complete(http.actualPort())));
    }

    @AfterEach
    void close() {
        timers.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** A few of them would have all other requests refused for as long as they wait. */
    @Test
    void aPollThatWaitsHoldsNothingOfItsBody() throws Exception {
        String body = "{\"wait\":\"20s\"" + " ".repeat(BLANKS) + "}";
        HttpRequest poll = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port.get(20, TimeUnit.SECONDS) + "/"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        CompletableFuture<HttpResponse<String>> answer =
                HttpClient.newHttpClient().sendAsync(poll, HttpResponse.BodyHandlers.ofString());
        assertThat(heldWhileItWaits.get(20, TimeUnit.SECONDS)).isZero();
        assertThat(heldBefore.join()).isEqualTo(body.length());
        timers.schedule("q", "k", Duration.ZERO, new byte[0]).get(20, TimeUnit.SECONDS);
        assertThat(answer.get(20, TimeUnit.SECONDS).body()).contains("\"key\":\"k\"");
    }
}
