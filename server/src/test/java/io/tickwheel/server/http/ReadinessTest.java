package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.access.TokenSecret;
import io.tickwheel.server.access.Tokens;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API without an engine: before it is open, and while it closes. */
final class ReadinessTest {

    private final Vertx vertx = Vertx.vertx();
    private final Readiness readiness = new Readiness();
    private HttpServer http;

    @BeforeEach
    void listen() {
        http = serve(new Tokens(Clock.system(), () -> 7, null, false));
    }

    private HttpServer serve(Tokens tokens) {
        Api api = new Api(
                vertx,
                readiness,
                () -> "",
                new RandomKeys(() -> 7),
                BodyBudget.ofHeap(0),
                InstalledTargets.kinds(),
                new Guard(tokens, false, null, Clock.system()),
                new Traffic(code -> {}, when -> {}, null));
        return vertx.createHttpServer()
                .requestHandler(api::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void aServerThatRecoversIsLiveAndNotReady() throws Exception {
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertNotReady("recovering");
        assertThat(get("/readyz").headers().firstValue("Retry-After")).hasValue("1");
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    /** It may be a good one, which must neither be thrown away nor keep its address out. */
    @Test
    void aTokenIsNotTakenForABadOneBeforeTheTokensAreRead(@TempDir Path directory) throws Exception {
        ServerConfig asking = Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory));
        http = serve(new Tokens(Clock.system(), () -> 7, asking.edge().admin(), false));
        String token = TokenSecret.create(new SplittableRandom(5)::nextLong).reveal();
        for (int i = 0; i < 30; i++) {
            HttpResponse<String> early =
                    send(HttpRequest.newBuilder(uri("/v1/queues")).header("Authorization", "Bearer " + token));
            assertThat(early.statusCode()).isEqualTo(503);
            assertThat(early.body()).contains("\"code\":\"recovering\"", "\"applied\":false");
        }
    }

    @Test
    void aServerThatClosesIsLiveAndNotReady() throws Exception {
        readiness.draining();
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertNotReady("closing");
    }

    @Test
    void aServerThatIsToldToCloseWhileItRecoversIsNeverReady(@TempDir Path directory) throws Exception {
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory))) {
            readiness.draining();
            readiness.opened(timers);
            assertNotReady("closing");
        }
    }

    @Test
    void aServerWhoseStoreFailedIsLiveAndNotReady(@TempDir Path directory) throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        Tickwheel timers = Tickwheel.builder((context, listener) ->
                        failing(SmallSegments.store(directory).open(context, listener), broken))
                .open();
        readiness.opened(timers);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        broken.set(true);
        assertThatThrownBy(timers.schedule(TimerRequest.after("q", "k", Duration.ofHours(1)))::join)
                .hasCauseInstanceOf(StoreFailedException.class);
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertNotReady("storage_failed");
        timers.closeAsync().join();
    }

    /** The usual levels would have it due within a second, and the own ones of its queue in a day. */
    @Test
    void levelIsNotTakenForAUsualOneBeforeThoseOfTheQueueAreKnown(@TempDir Path directory) throws Exception {
        try (Tickwheel before = Tickwheel.open(SmallSegments.store(directory))) {
            QueueSettings levels = QueueSettings.NONE.withDelayLevels(List.of(Duration.ofDays(1)));
            before.changeQueue("q", QueueChange.set(levels)).join();
        }
        AtomicBoolean silent = new AtomicBoolean(true);
        try (Tickwheel timers = Tickwheel.builder((context, listener) ->
                        silent(SmallSegments.store(directory).open(context, listener), silent))
                .open()) {
            readiness.opened(timers);
            HttpResponse<String> early = putLevel();
            assertThat(early.statusCode()).isEqualTo(503);
            assertThat(early.body()).contains("\"code\":\"recovering\"", "\"applied\":false");
            silent.set(false);
            timers.queues().join();
            assertThat(putLevel().statusCode()).isEqualTo(201);
            assertThat(timers.find("q", "k").join().orElseThrow().dueAtMs())
                    .isGreaterThan(Instant.now().plus(Duration.ofHours(12)).toEpochMilli());
        }
    }

    private HttpResponse<String> putLevel() throws Exception {
        return send(HttpRequest.newBuilder(uri("/v1/queues/q/timers/k"))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("{\"delayLevel\":1}")));
    }

    /** The calendar, which finds nothing as long as it is silent. */
    @SuppressWarnings("unchecked")
    private static Calendar silent(Calendar calendar, AtomicBoolean silent) {
        List<Object[]> held = new ArrayList<>();
        return watched(calendar, (method, arguments) -> {
            if (method.getName().equals("find") && silent.get()) {
                held.add(arguments);
                return false;
            }
            if (method.getName().equals("work") && !silent.get()) {
                for (Object[] find : held) {
                    calendar.find((TimerKey) find[0], (Answer<List<TimerView>>) find[1]);
                }
                held.clear();
            }
            return true;
        });
    }

    /** The calendar, but for its work, which fails when it is broken. */
    private static Calendar failing(Calendar calendar, AtomicBoolean broken) {
        return watched(calendar, (method, arguments) -> {
            if (method.getName().equals("work") && broken.get()) {
                throw new StoreFailedException("planted", false, new IOException("gone"));
            }
            return true;
        });
    }

    /** Sees the calls of a calendar before they are made; one that it does not let pass is not made. */
    private interface Watch {

        boolean passes(Method method, Object[] arguments);
    }

    private static Calendar watched(Calendar calendar, Watch watch) {
        return (Calendar) Proxy.newProxyInstance(
                ReadinessTest.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                    if (!watch.passes(method, arguments)) {
                        return null;
                    }
                    try {
                        return method.invoke(calendar, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void assertNotReady(String code) throws Exception {
        for (String path : new String[] {"/readyz", "/v1/queues", "/v1/queues/q/timers/k"}) {
            HttpResponse<String> reply = get(path);
            assertThat(reply.statusCode()).isEqualTo(503);
            assertThat(reply.headers().firstValue("Content-Type")).hasValue(Problem.MEDIA_TYPE);
            assertThat(reply.body()).contains("\"code\":\"" + code + "\"", "\"applied\":false");
        }
        HttpResponse<String> put = send(HttpRequest.newBuilder(uri("/v1/queues/q/timers/k"))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("{\"delay\":\"1h\"}")));
        assertThat(put.statusCode()).isEqualTo(503);
        assertThat(put.body()).contains("\"code\":\"" + code + "\"", "\"applied\":false");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(HttpRequest.newBuilder(uri(path)));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request.version(HttpClient.Version.HTTP_1_1).build(), HttpResponse.BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + http.actualPort() + path);
    }
}
