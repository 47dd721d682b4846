package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.access.Tokens;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a token shows and hides, and what becomes of it. */
final class AccessTest {

    private static final String LATER = "{\"dueAt\":\"2100-01-01T00:00:00Z\"}";
    private static final Pattern LEASE = Pattern.compile("\"lease\":\"([^\"]+)\"");

    @TempDir
    private Path directory;

    private final SteppedClock clock = new SteppedClock();
    private Tokened api;
    private String orders;

    @BeforeEach
    void start() {
        api = started();
        orders = api.make("\"scopes\":[\"admin\"],\"queuePrefix\":\"orders-\"").text();
        assertThat(api.admin("PUT", "/v1/queues/orders-eu/timers/a", LATER).status())
                .isEqualTo(201);
        assertThat(api.admin("PUT", "/v1/queues/other/timers/secret-key", LATER).status())
                .isEqualTo(201);
    }

    private Tokened started() {
        return new Tokened(new RunningServer(config(), clock));
    }

    private ServerConfig config() {
        return Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory));
    }

    @AfterEach
    void stop() {
        api.server().close();
    }

    @Test
    void theListOfQueuesHasThoseThatExistForTheToken() {
        assertThat(api.admin("GET", "/v1/queues", null).body()).contains("\"orders-eu\"", "\"other\"");
        String seen = api.call(orders, "GET", "/v1/queues?limit=1", null).body();
        assertThat(seen).contains("\"orders-eu\"").doesNotContain("other", "next");
    }

    @Test
    void bulkRunsOfOtherQueuesDoNotExist() {
        String location = api.admin("POST", "/v1/queues/other/timers:cancel?perSecond=1&reason=why", null)
                .location();
        String own = api.call(orders, "POST", "/v1/queues/orders-eu/timers:cancel?dryRun=true", null)
                .location();
        assertThat(api.call(orders, "GET", "/v1/bulk", null).body())
                .contains("orders-eu")
                .doesNotContain("other");
        assertThat(api.call(orders, "GET", own, null).status()).isEqualTo(200);
        for (String method : List.of("GET", "DELETE")) {
            RunningServer.Reply reply = api.call(orders, method, location, null);
            assertThat(reply.status()).isEqualTo(404);
            assertThat(reply.body()).contains("unknown_bulk_run").doesNotContain("other");
        }
        assertThat(api.admin("GET", location, null).body()).doesNotContain("STOPPED");
    }

    @Test
    void leasesOfOtherQueuesAreNotTouched() {
        String now = "{\"delay\":\"0s\"}";
        api.admin("PUT", "/v1/queues/other/timers/job", now);
        api.admin("PUT", "/v1/queues/orders-eu/timers/job", now);
        String other = lease(Tokened.ADMIN.reveal(), "other");
        String own = lease(orders, "orders-eu");
        for (String action : List.of("ack", "nack", "bury")) {
            assertThat(api.call(orders, "POST", "/v1/leases/" + other + "/" + action, null)
                            .status())
                    .isEqualTo(403);
        }
        RunningServer.Reply many =
                api.call(orders, "POST", "/v1/leases:ack", "{\"leases\":[\"" + own + "\",\"" + other + "\"]}");
        assertThat(many.status()).isEqualTo(200);
        assertThat(many.body()).containsSubsequence("\"status\":200", "\"status\":403");
        assertThat(api.admin("POST", "/v1/leases/" + other + "/ack", null).status())
                .isEqualTo(200);
        assertThat(api.admin("POST", "/v1/leases/" + own + "/ack", null).status())
                .isEqualTo(410);
    }

    private String lease(String token, String queue) {
        RunningServer.Reply reply = api.call(token, "POST", "/v1/queues/" + queue + "/leases", "{\"wait\":\"20s\"}");
        assertThat(reply.status()).isEqualTo(200);
        return Tokened.found(LEASE, reply.body());
    }

    @Test
    void eachLineOfABatchNeedsItsScope() {
        String lines = "{\"key\":\"new\",\"delay\":\"1h\"}\n{\"cancel\":\"a\"}\n{\"touch\":\"a\"}\n";
        String schedules = api.make("\"scopes\":[\"schedule\"]").text();
        String cancels = api.make("\"scopes\":[\"cancel\"]").text();
        String path = "/v1/queues/orders-eu/timers:batch";
        String[] scheduled = api.call(schedules, "POST", path, lines).body().split("\n", -1);
        assertThat(scheduled[0]).contains("\"status\":201");
        assertThat(scheduled[1]).contains("\"status\":403", "\"code\":\"forbidden\"", "\"key\":\"a\"");
        assertThat(scheduled[2]).doesNotContain("\"status\":403");
        String[] cancelled = api.call(cancels, "POST", path, lines).body().split("\n", -1);
        assertThat(cancelled[0]).contains("\"status\":403");
        assertThat(cancelled[1]).contains("\"status\":200");
        assertThat(cancelled[2]).contains("\"status\":403");
    }

    @Test
    void whoSeesSomeQueuesMakesNoTokenForAll() {
        String wish = "{\"name\":\"more\",\"scopes\":[\"admin\"]}";
        assertThat(api.call(orders, "POST", "/v1/tokens", wish).status()).isEqualTo(403);
        assertThat(api.call(orders, "GET", "/v1/tokens", null).status()).isEqualTo(403);
    }

    @Test
    void aTokenIsShownOnceAndKeptNowhere() throws IOException {
        LoggedEvents logged = new LoggedEvents();
        Tokened.Made made = api.make("\"scopes\":[\"read\"]");
        String secret = made.text().substring(20);
        assertThat(secret).hasSize(43);
        String shown = api.admin("GET", "/v1/tokens", null).body();
        assertThat(shown).contains(made.id()).doesNotContain(secret, "hash", Tokened.ADMIN.hash());
        assertThat(api.call(made.text() + "x", "GET", "/v1/queues", null).body())
                .doesNotContain(secret);
        assertThat(api.call(made.text(), "PUT", "/v1/queues/q/timers/k", LATER).body())
                .doesNotContain(secret);
        api.server().close();
        assertThat(logged.messages(Level.TRACE)).noneMatch(message -> message.contains(secret));
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(secret);
            }
        }
        api = started();
        assertThat(api.call(made.text(), "GET", "/v1/queues", null).status()).isEqualTo(200);
    }

    /** No other answer has a secret. */
    @Test
    void anAnswerWithASecretIsKeptByNoCache() {
        RunningServer.Reply made = api.admin("POST", "/v1/tokens", "{\"name\":\"n\",\"scopes\":[\"read\"]}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.cacheControl()).isEqualTo("no-store");
    }

    @Test
    void aWishThatBreaksARuleIsRefused() {
        assertWish("{\"scopes\":[\"read\"]}", 400, "name");
        assertWish("{\"name\":\"n\"}", 400, "scopes");
        assertWish("{\"name\":\"n\",\"scopes\":[]}", 400, "scopes");
        assertWish("{\"name\":\"n\",\"scopes\":[\"write\"]}", 422, "write");
        assertWish("{\"name\":\"n\",\"scopes\":[\"read\",\"read\"]}", 422, "twice");
        assertWish("{\"name\":\"a b\",\"scopes\":[\"read\"]}", 422, "a b");
        assertWish("{\"name\":\"n\",\"scopes\":[\"read\"],\"queuePrefix\":\"\"}", 422, "queuePrefix");
        assertWish("{\"name\":\"n\",\"scopes\":[\"read\"],\"expiresAt\":\"2020-01-01T00:00:00Z\"}", 422, "2020");
        assertWish("{\"name\":\"n\",\"scopes\":[\"read\"],\"admin\":true}", 400, "admin");
    }

    private void assertWish(String body, int status, String named) {
        RunningServer.Reply reply = api.admin("POST", "/v1/tokens", body);
        assertThat(reply.status()).as(body).isEqualTo(status);
        assertThat(reply.body()).contains(named);
    }

    /** It is the store that is wrong, and not the call. */
    @Test
    void tokensThatCannotBeReadAreNotChangedAndThatIsNoFaultOfTheCall() {
        api.server().close();
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory))) {
            String id = timers.document("tokens").join().orElseThrow().id();
            timers.writeDocument("tokens", "tickwheel tokens 7", id).join();
        }
        api = started();
        assertThat(api.admin("POST", "/v1/tokens", "{\"name\":\"n\",\"scopes\":[\"read\"]}")
                        .status())
                .isEqualTo(500);
        assertThat(api.admin("DELETE", "/v1/tokens/0123456789abcdef", null).status())
                .isEqualTo(500);
    }

    @Test
    void thereAreNoMoreTokensThanThereMayBe() {
        api.server().close();
        StringBuilder tokens = new StringBuilder("tickwheel tokens 1");
        for (int i = 0; i < Tokens.MOST; i++) {
            tokens.append(String.format(Locale.ROOT, "\n%016x %s 0 - read - t", i, "0".repeat(64)));
        }
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(directory))) {
            String id = timers.document("tokens").join().orElseThrow().id();
            timers.writeDocument("tokens", tokens.toString(), id).join();
        }
        api = started();
        String wish = "{\"name\":\"n\",\"scopes\":[\"read\"]}";
        RunningServer.Reply over = api.admin("POST", "/v1/tokens", wish);
        assertThat(over.status()).isEqualTo(409);
        assertThat(over.body()).contains("\"code\":\"too_many_tokens\"", "\"applied\":false");
        RunningServer.Reply unknown = api.admin("DELETE", "/v1/tokens/ffffffffffffffff", null);
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.body()).contains("\"code\":\"unknown_token\"", "\"applied\":false");
        RunningServer.Reply revoked = api.admin("DELETE", "/v1/tokens/0000000000000007", null);
        assertThat(revoked.status()).isEqualTo(200);
        assertThat(revoked.field("id")).isEqualTo("0000000000000007");
        assertThat(api.admin("POST", "/v1/tokens", wish).status()).isEqualTo(201);
    }

    @Test
    void theTokenOfTheSettingsIsNotRevokedOverTheApi() {
        RunningServer.Reply reply = api.admin("DELETE", "/v1/tokens/" + Tokened.ADMIN.id(), null);
        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.body()).contains("access.admin");
        assertThat(api.admin("GET", "/v1/queues", null).status()).isEqualTo(200);
    }

    @Test
    void anAddressHasOnlySoManyBadTokens() throws IOException {
        List<RunningServer.Reply> bad = badUntilLimited();
        assertThat(bad).hasSizeBetween(21, 40);
        RunningServer.Reply limited = bad.get(bad.size() - 1);
        assertThat(limited.status()).isEqualTo(429);
        assertThat(limited.body()).contains("too_many_failed_logins");
        assertThat(limited.retryAfter()).isBetween("1", "3");
        assertThat(api.call(null, "GET", "/v1/queues", null).status()).isEqualTo(401);
        assertThat(api.call(orders, "GET", "/v1/queues", null).status()).isEqualTo(200);
        assertThat(statusFrom("127.0.0.2")).contains(" 401 ");
        clock.step(Duration.ofSeconds(3));
        assertThat(badUntilLimited()).hasSizeBetween(2, 20);
    }

    /** Brings bad tokens until the address has had too many; on a slow machine it may have one more every 3 s. */
    private List<RunningServer.Reply> badUntilLimited() {
        List<RunningServer.Reply> replies = new ArrayList<>();
        do {
            replies.add(api.call("bad", "GET", "/v1/queues", null));
        } while (replies.get(replies.size() - 1).status() == 401 && replies.size() < 100);
        return replies;
    }

    private String statusFrom(String address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(address, 0));
            socket.connect(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), api.server().port()));
            socket.getOutputStream()
                    .write(
                            "GET /v1/queues HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bad\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).contains("WWW-Authenticate: Bearer realm=\"tickwheel\"\r\n");
            return answer.substring(0, answer.indexOf('\r'));
        }
    }

    @Test
    void onlyOneBearerIsRead() {
        String good = Tokened.ADMIN.reveal();
        assertThat(status("Authorization", "bEARER " + good)).isEqualTo(200);
        assertThat(status("Authorization", "Basic " + good)).isEqualTo(401);
        assertThat(status("Authorization", good)).isEqualTo(401);
        assertThat(status("Authorization", "Bearer " + good, "Authorization", "Bearer bad"))
                .isEqualTo(401);
    }

    private int status(String... headers) {
        return api.server().send("GET", "/v1/queues", null, null, headers).status();
    }

    /** Of a call that waits, whatever comes goes to others. */
    @Test
    void whoLosesHisTokenWhileHeWaitsForLeasesGetsNone() throws Exception {
        Tokened.Made pulls = api.make("\"scopes\":[\"pull\"],\"expiresAt\":\"2100-01-01T00:00:00Z\"");
        String path = "/v1/queues/orders-eu/leases";
        try (Socket waiting = connect()) {
            awaitServed(waiting);
            begin(waiting, "POST " + path, pulls.text(), "{\"wait\":\"60s\",\"ttl\":\"1h\"}", "");
            // It is the first in the line by the time this one is answered.
            api.admin("POST", path, "{\"wait\":\"100ms\"}");
            assertThat(api.admin("DELETE", "/v1/tokens/" + pulls.id(), null).status())
                    .isEqualTo(200);
            api.admin("PUT", "/v1/queues/orders-eu/timers/job", "{\"delay\":\"0s\"}");
            assertThat(answer(waiting))
                    .startsWith("HTTP/1.1 401 ")
                    .contains("\"code\":\"unauthenticated\"", "meanwhile");
        }
        assertThat(lease(Tokened.ADMIN.reveal(), "orders-eu")).isNotEmpty();
    }

    /** Its head came with a good token, and is answered so that the body can follow. */
    @Test
    void bodyThatComesWhenItsTokenIsGoodNoMoreIsNotRead() throws Exception {
        Tokened.Made revoked = api.make("\"scopes\":[\"schedule\"]");
        Tokened.Made expired = api.make(
                "\"scopes\":[\"schedule\"],\"expiresAt\":\"" + Instant.now().plusSeconds(600) + "\"");
        String call = "PUT /v1/queues/orders-eu/timers/";
        try (Socket first = connect();
                Socket second = connect()) {
            begin(first, call + "revoked", revoked.text(), LATER, "Expect: 100-continue\r\n");
            begin(second, call + "expired", expired.text(), LATER, "Expect: 100-continue\r\n");
            api.admin("DELETE", "/v1/tokens/" + revoked.id(), null);
            clock.step(Duration.ofSeconds(601));
            for (Socket each : List.of(first, second)) {
                each.getOutputStream().write(LATER.getBytes(StandardCharsets.US_ASCII));
                assertThat(answer(each)).startsWith("HTTP/1.1 401 ").contains("\"applied\":false");
            }
        }
        assertThat(api.admin("GET", "/v1/queues/orders-eu/timers/revoked", null).status())
                .isEqualTo(404);
        assertThat(api.admin("GET", "/v1/queues/orders-eu/timers/expired", null).status())
                .isEqualTo(404);
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), api.server().port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Until the connection is one that the server reads from, and not one that it is yet to accept. */
    private static void awaitServed(Socket socket) throws IOException {
        socket.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("}") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after " + answer).isNotNegative();
            answer.append((char) next);
        }
    }

    /** Sends a request, and of one that expects to be asked for its body only the head, until it is asked. */
    private static void begin(Socket socket, String call, String token, String body, String expect) throws IOException {
        String head = call + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer " + token + "\r\n" + expect + "Content-Length: " + body.length()
                + "\r\n\r\n";
        socket.getOutputStream().write((expect.isEmpty() ? head + body : head).getBytes(StandardCharsets.US_ASCII));
        if (!expect.isEmpty()) {
            String go = "HTTP/1.1 100 Continue\r\n\r\n";
            assertThat(new String(socket.getInputStream().readNBytes(go.length()), StandardCharsets.US_ASCII))
                    .isEqualTo(go);
        }
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void metricsCanBeForEverybody() {
        assertThat(api.call(null, "GET", "/metrics", null).status()).isEqualTo(401);
        api.server().close();
        EdgeConfig open = new EdgeConfig(config().edge().admin(), true, null, false, false, null);
        api = new Tokened(new RunningServer(config().withEdge(open), clock));
        assertThat(api.call(null, "GET", "/metrics", null).status()).isEqualTo(200);
        assertThat(api.call(null, "GET", "/v1/queues", null).status()).isEqualTo(401);
    }

    @Test
    void aServerThatAsksForNoTokensDoesNotOpenAStoreThatKeepsSome() {
        api.server().close();
        ServerConfig open = ServerConfig.of("127.0.0.1", 0, directory);
        assertThatThrownBy(() -> new RunningServer(open))
                .hasRootCauseInstanceOf(StartException.class)
                .hasMessageContaining("access.admin");
        EdgeConfig insecure = new EdgeConfig(null, false, null, false, true, null);
        api = new Tokened(new RunningServer(open.withEdge(insecure)));
        assertThat(api.call(null, "GET", "/v1/queues", null).status()).isEqualTo(200);
        RunningServer.Reply reply = api.call(null, "GET", "/v1/tokens", null);
        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.body()).contains("tokens_off");
    }
}
