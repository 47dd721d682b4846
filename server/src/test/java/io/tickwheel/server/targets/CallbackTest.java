package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.Receiver.Answer;
import io.tickwheel.server.Receiver.Arrival;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.TimerKey;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CallbackTest {

    @TempDir
    private static Path directory;

    private static RunningServer server;

    private Receiver receiver;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void listen() {
        receiver = new Receiver();
    }

    @AfterEach
    void hangUp() {
        assertThat(receiver.waiting()).isZero();
        receiver.close();
    }

    @Test
    void aCallbackCarriesThePayloadAndItsHeaders() throws InterruptedException {
        Reply timer = server.put(
                "shop",
                "order-42",
                "{\"delay\":\"20ms\",\"payload\":{ \"a\":[1, 2.50,\"\\u00e4\"] },\"headers\":{\"X-A\":\"b c\"},"
                        + "\"target\":{\"url\":\"" + receiver.url("/close?x=%20y") + "\"}}");
        Arrival callback = receiver.next();
        assertThat(callback.method()).isEqualTo("POST");
        assertThat(callback.uri()).isEqualTo("/close?x=%20y");
        assertThat(callback.body()).isEqualTo("{ \"a\":[1, 2.50,\"\\u00e4\"] }");
        assertThat(callback.headers())
                .containsEntry("Content-Type", "application/json")
                .containsEntry("X-A", "b c")
                .containsEntry("webhook-id", timer.field("id"))
                .containsEntry("Idempotency-Key", timer.field("id"))
                .containsEntry("Tickwheel-Queue", "shop")
                .containsEntry("Tickwheel-Key", "order-42")
                .containsEntry("Tickwheel-Version", "1")
                .containsEntry("Tickwheel-Attempt", "1")
                .containsEntry("Tickwheel-Due-At", timer.field("dueAt"))
                .containsEntry("Tickwheel-Attempt-At", timer.field("dueAt"))
                .containsEntry("Host", receiver.url("").substring("http://".length()));
        assertThat(callback.headers().get("Tickwheel-Lateness-Ms")).matches("\\d+");
        long sent = Long.parseLong(callback.headers().get("webhook-timestamp"));
        assertThat(sent)
                .isBetween(
                        Instant.parse(timer.field("dueAt")).getEpochSecond(),
                        callback.arrived().getEpochSecond());
        assertThat(callback.arrived()).isAfterOrEqualTo(Instant.parse(timer.field("dueAt")));
        assertThat(state("shop", "order-42", "COMPLETED").field("attempts")).isEqualTo("1");
    }

    @Test
    void bytesAndMethodAreSentAsAsked() throws InterruptedException {
        server.put(
                "shop",
                "bytes",
                "{\"delay\":\"0s\",\"payloadBase64\":\"aGVsbG8=\",\"contentType\":\"text/plain\",\"target\":{\"url\":\""
                        + receiver.url("") + "\",\"method\":\"PUT\"}}");
        Arrival callback = receiver.next();
        assertThat(callback.method()).isEqualTo("PUT");
        assertThat(callback.uri()).isEqualTo("/");
        assertThat(callback.body()).isEqualTo("hello");
        assertThat(callback.headers()).containsEntry("Content-Type", "text/plain");
    }

    @Test
    void aGetHasNoBodyAndSaysNothingOfOne() throws InterruptedException {
        server.put(
                "shop",
                "get",
                "{\"delay\":\"0s\",\"target\":{\"url\":\"" + receiver.url("/poll") + "\",\"method\":\"GET\"}}");
        Arrival callback = receiver.next();
        assertThat(callback.method()).isEqualTo("GET");
        assertThat(callback.body()).isEmpty();
        assertThat(callback.headers()).doesNotContainKeys("Content-Length", "Transfer-Encoding", "Content-Type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%20b", "%E2%98%83", "100%25", "a%2Fb", "%C3%A4%F0%9F%98%80"})
    void aKeyThatIsNotPlainIsEncodedSoThatItCanBeRead(String encoded) throws InterruptedException {
        server.put("shop", encoded, "{\"delay\":\"0s\",\"target\":{\"url\":\"" + receiver.url("/") + "\"}}");
        String header = receiver.next().headers().get("Tickwheel-Key");
        assertThat(header).matches("[!-~]+");
        assertThat(URLDecoder.decode(header, StandardCharsets.UTF_8))
                .isEqualTo(URLDecoder.decode(encoded, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 301, 302, 307, 308, 400, 404, 500, 502})
    void anythingElseIsTriedAgainAndRedirectsAreNotFollowed(int status) throws InterruptedException {
        receiver.willAnswer(new Answer(status, "Location", receiver.url("/elsewhere")));
        Reply timer = schedule("again" + status, 3);
        Arrival first = receiver.next();
        Arrival second = receiver.next();
        assertThat(second.uri()).isEqualTo("/");
        assertThat(second.headers())
                .containsEntry("Tickwheel-Attempt", "2")
                .containsEntry("webhook-id", timer.field("id"))
                .containsEntry("Tickwheel-Version", first.headers().get("Tickwheel-Version"))
                .containsEntry("Tickwheel-Due-At", timer.field("dueAt"));
        Instant attemptAt = Instant.parse(second.headers().get("Tickwheel-Attempt-At"));
        assertThat(attemptAt).isAfter(Instant.parse(timer.field("dueAt")));
        assertThat(Long.parseLong(second.headers().get("Tickwheel-Lateness-Ms")))
                .isGreaterThanOrEqualTo(Duration.between(Instant.parse(timer.field("dueAt")), attemptAt)
                        .toMillis());
        assertThat(state("retried", "again" + status, "COMPLETED").field("attempts"))
                .isEqualTo("2");
    }

    @Test
    void whatFailsTooOftenIsDead() throws InterruptedException {
        receiver.willAnswer(new Answer(500), new Answer(500));
        try (LoggedEvents logged = new LoggedEvents()) {
            String id = schedule("dead", 2).field("id");
            receiver.next();
            receiver.next();
            assertThat(state("retried", "dead", "DEAD").field("attempts")).isEqualTo("2");
            assertThat(logged.messages(Level.WARN))
                    .contains("the timer dead of queue retried, id " + id + ", is dead after 2 attempts to http "
                            + receiver.url("") + ": HTTP 500");
        }
        assertThat(server.get("/v1/queues").body())
                .containsPattern("\"retried\",\"pending\":0,\"claimed\":0,\"dead\":[1-9]");
    }

    /** Two attempts are due within the hour, and a third one would be. */
    @Test
    void aTimerExpiresByItsDueTimeHoweverOftenItIsTried(@TempDir Path other) throws InterruptedException {
        SteppedClock clock = new SteppedClock();
        receiver.willAnswer(Stream.generate(() -> new Answer(500)).limit(20).toArray(Answer[]::new));
        try (RunningServer stepped = new RunningServer(ServerConfig.of("127.0.0.1", 0, other), clock)) {
            Reply timer = stepped.put(
                    "retried",
                    "expires",
                    "{\"delay\":\"0s\",\"expireAfter\":\"1h\",\"retry\":{\"maxAttempts\":20,\"interval\":\"25m\"},"
                            + "\"target\":{\"url\":\"" + receiver.url("/") + "\"}}");
            for (int attempt = 1; attempt <= 2; attempt++) {
                Map<String, String> headers = receiver.next().headers();
                assertThat(headers)
                        .containsEntry("Tickwheel-Attempt", "" + attempt)
                        .containsEntry("Tickwheel-Due-At", timer.field("dueAt"));
                assertThat(Long.parseLong(headers.get("Tickwheel-Lateness-Ms")))
                        .isLessThan(Duration.ofHours(1).toMillis());
                String failed = "" + attempt;
                stepped.await(
                        "retried",
                        "expires",
                        found -> found.field("attempts").equals(failed)
                                && found.field("state").equals("PENDING"));
                clock.step(Duration.ofMinutes(31));
                // Has the engine look at its clock.
                stepped.get("retried", "expires");
            }
            assertThat(stepped.await(
                                    "retried",
                                    "expires",
                                    found -> found.field("state").equals("EXPIRED"))
                            .field("dueAt"))
                    .isEqualTo(timer.field("dueAt"));
        }
        assertThat(receiver.waiting()).isZero();
    }

    @Test
    void aTimerThatIsTriedAgainKeepsItsDueTimeAndSaysWhenItsAttemptIs() throws InterruptedException {
        receiver.willAnswer(new Answer(500));
        Reply timer = server.put(
                "retried",
                "later",
                "{\"delay\":\"0s\",\"retry\":{\"maxAttempts\":3,\"backoff\":\"1h\"},\"target\":{\"url\":\""
                        + receiver.url("/") + "\"}}");
        assertThat(timer.body()).doesNotContain("attemptAt");
        receiver.next();
        Reply waiting = server.await(
                "retried", "later", found -> !found.field("attemptAt").isEmpty());
        assertThat(waiting.field("state")).isEqualTo("PENDING");
        assertThat(waiting.field("dueAt")).isEqualTo(timer.field("dueAt"));
        assertThat(Instant.parse(waiting.field("attemptAt")))
                .isAfter(Instant.parse(timer.field("dueAt")).plusSeconds(60));
        assertThat(server.delete("retried", "later").status()).isEqualTo(200);
    }

    @Test
    void goneIsDeadAtOnce() throws InterruptedException {
        receiver.willAnswer(new Answer(410));
        schedule("gone", 5);
        receiver.next();
        assertThat(state("retried", "gone", "DEAD").field("attempts")).isEqualTo("1");
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void retryAfterIsHonoured(int status) throws InterruptedException {
        receiver.willAnswer(new Answer(status, "Retry-After", "1"));
        schedule("wait" + status, 3);
        Arrival first = receiver.next();
        Arrival second = receiver.next();
        assertThat(Duration.between(first.arrived(), second.arrived())).isGreaterThanOrEqualTo(Duration.ofMillis(990));
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 503, 404, 302})
    void receiverNamesTheTimeOfTheNextAttemptWhichThenIsTheFirst(int status) throws InterruptedException {
        Instant again = Instant.now().plusMillis(1_500).truncatedTo(ChronoUnit.MILLIS);
        receiver.willAnswer(new Answer(status, "Tickwheel-Again-At", again.toString(), "Retry-After", "60"));
        Reply timer = schedule("again-at" + status, 1);
        assertThat(receiver.next().headers()).containsEntry("Tickwheel-Attempt", "1");
        Arrival second = receiver.next();
        assertThat(second.arrived()).isAfterOrEqualTo(again);
        assertThat(second.headers())
                .containsEntry("Tickwheel-Attempt", "1")
                .containsEntry("Tickwheel-Due-At", timer.field("dueAt"))
                .containsEntry("Tickwheel-Attempt-At", again.toString());
        state("retried", "again-at" + status, "COMPLETED");
        assertThat(server.get("/metrics").body()).containsPattern("tickwheel_postponed_total [1-9]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tomorrow", "17", "9999-99-99T00:00:00Z"})
    void timeThatCannotBeReadIsAFailure(String again) throws InterruptedException {
        receiver.willAnswer(new Answer(503, "Tickwheel-Again-At", again, "Retry-After", "60"));
        schedule("again-at", 1);
        receiver.next();
        assertThat(state("retried", "again-at", "DEAD").field("reason"))
                .startsWith("HTTP 503, Tickwheel-Again-At is ")
                .endsWith(", asked to wait 60 s");
    }

    @Test
    void aReceiverThatIsNotThereIsTriedAgain() {
        Receiver closed = new Receiver();
        String url = closed.url("/");
        closed.close();
        server.put(
                "retried",
                "nobody",
                "{\"delay\":\"0s\",\"retry\":{\"maxAttempts\":2,\"backoff\":\"1ms\"},\"target\":{\"url\":\"" + url
                        + "\"}}");
        assertThat(state("retried", "nobody", "DEAD").field("attempts")).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000-01-01T00:00:00Z", "1700-01-01T00:00:00Z", "1970-01-01T00:00:00Z"})
    void aTimerThatWasDueCenturiesAgoIsDelivered(String dueAt) throws InterruptedException {
        Instant before = Instant.now();
        String due = "{\"dueAt\":\"" + dueAt + "\",\"target\":";
        assertThat(server.put("past", "http", due + "{\"url\":\"" + receiver.url("/") + "\"}}")
                        .status())
                .isEqualTo(201);
        Arrival callback = receiver.next();
        assertThat(Long.parseLong(callback.headers().get("Tickwheel-Lateness-Ms")))
                .isBetween(
                        Duration.between(Instant.parse(dueAt), before).toMillis(),
                        Duration.between(Instant.parse(dueAt), callback.arrived())
                                .toMillis());
        assertThat(server.put("past", "log", due + "{\"log\":{}}}").status()).isEqualTo(201);
        state("past", "http", "COMPLETED");
        state("past", "log", "COMPLETED");
        assertThat(server.get("/readyz").status()).isEqualTo(200);
        assertThat(server.get("/metrics").body()).containsPattern("tickwheel_lateness_seconds_sum [1-9]");
    }

    @Test
    void aReceiverMayHaveAnIpv6Address() throws Exception {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
        assumeThat(NetworkInterface.getByInetAddress(loopback)).isNotNull();
        try (Receiver six = new Receiver(loopback)) {
            server.put("shop", "six", "{\"delay\":\"0s\",\"target\":{\"url\":\"" + six.url("/a") + "\"}}");
            Arrival callback = six.next();
            assertThat(callback.uri()).isEqualTo("/a");
            assertThat(callback.headers()).containsEntry("Host", six.url("").substring("http://".length()));
            state("shop", "six", "COMPLETED");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]"})
    void aReceiverMayHaveItsIpv4AddressMappedIntoIpv6(String host) throws InterruptedException {
        String url = receiver.url("/a").replace("127.0.0.1", host);
        server.put("shop", "mapped", "{\"delay\":\"0s\",\"target\":{\"url\":\"" + url + "\"}}");
        Arrival callback = receiver.next();
        assertThat(callback.headers()).containsEntry("Host", receiver.url("").substring("http://".length()));
        state("shop", "mapped", "COMPLETED");
    }

    @Test
    void anAttemptThatCannotBeMadeFailsAtOnce() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (LoggedEvents logged = new LoggedEvents()) {
            HttpTarget target = new HttpTarget(
                    vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
            CompletableFuture<String> failed = new CompletableFuture<>();
            target.deliver(withContentType("a\nb"), new Failure(failed));
            assertThat(failed.get(60, TimeUnit.SECONDS)).isEqualTo("the callback to 127.0.0.1:1 could not be made");
            assertThat(logged.messages(Level.WARN))
                    .singleElement()
                    .satisfies(message -> assertThat(message)
                            .startsWith("the callback of tmr_1 to 127.0.0.1:1 could not be made: ")
                            .contains("IllegalArgumentException"));
            assertThat(logged.withStackTrace()).isEmpty();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static Attempt withContentType(String contentType) {
        return new Attempt(
                new TimerKey("q", "k"),
                "tmr_1",
                1,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                new byte[0],
                contentType,
                Map.of(),
                new Destination("http", "POST http://127.0.0.1:1/"));
    }

    @Test
    void aCancelledTimerIsNotSent() throws InterruptedException {
        String target = "\"target\":{\"url\":\"" + receiver.url("/") + "\"}}";
        int delayMs = 300;
        server.put("shop", "cancelled", "{\"delay\":\"" + delayMs + "ms\"," + target);
        while (server.delete("shop", "cancelled").status() != 200) {
            // The machine was too busy to cancel in time.
            receiver.next();
            delayMs *= 2;
            server.put("shop", "cancelled", "{\"delay\":\"" + delayMs + "ms\"," + target);
        }
        server.put("shop", "after", "{\"delay\":\"" + (delayMs + 100) + "ms\"," + target);
        assertThat(receiver.next().headers()).containsEntry("Tickwheel-Key", "after");
    }

    private Reply schedule(String key, int maxAttempts) {
        return server.put(
                "retried",
                key,
                "{\"delay\":\"0s\",\"retry\":{\"maxAttempts\":" + maxAttempts
                        + ",\"backoff\":\"1ms\"},\"target\":{\"url\":\"" + receiver.url("/") + "\"}}");
    }

    private static Reply state(String queue, String key, String state) {
        Reply reply = server.await(queue, key, found -> found.field("state").equals(state));
        assertThat(reply.field("state")).isEqualTo(state);
        return reply;
    }

    /** Wants the attempt to fail, and nothing else. */
    private record Failure(CompletableFuture<String> reason) implements Delivery {

        @Override
        public void acknowledge() {
            reason.completeExceptionally(new AssertionError("acknowledged"));
        }

        @Override
        public void fail(String why) {
            reason.complete(why);
        }

        @Override
        public void fail(String why, Duration wait) {
            reason.completeExceptionally(new AssertionError("asked to wait"));
        }

        @Override
        public void unreachable(String why) {
            reason.completeExceptionally(new AssertionError("unreachable: " + why));
        }

        @Override
        public void postpone(String why, Instant until) {
            reason.completeExceptionally(new AssertionError("postponed: " + why));
        }

        @Override
        public void reject(String why) {
            reason.completeExceptionally(new AssertionError("rejected: " + why));
        }
    }
}
