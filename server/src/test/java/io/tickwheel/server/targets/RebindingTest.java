package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.SteppedClock;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A name server that gives another address each time it is asked. */
final class RebindingTest {

    private static final int ATTEMPTS = 1_000;
    private static final String NAME = "rebind.test";

    private final Vertx vertx = Vertx.vertx();
    private HttpTarget target;
    private final List<HttpServer> receivers = new ArrayList<>();

    /** The addresses that callbacks arrived at, in their order. */
    private final List<String> arrivals = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        if (target != null) {
            target.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
        receivers.forEach(receiver -> receiver.stop(0));
    }

    /** Receivers on one port of several addresses, which keep their connections. */
    private int receive(String... addresses) throws IOException {
        int port = 0;
        for (String address : addresses) {
            HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), port), 0);
            port = receiver.getAddress().getPort();
            receiver.createContext("/", exchange -> {
                exchange.getRequestBody().readAllBytes();
                arrivals.add(address);
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            receiver.start();
            receivers.add(receiver);
        }
        return port;
    }

    private HttpTarget target(LoopbackNameServer names, String allowed, String keptFor) {
        Map<String, String> options =
                Map.of("allow", allowed, "ports", "1-65535", "nameServers", names.address(), "namesKeptFor", keptFor);
        target = new HttpTarget(vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(options), 10);
        return target;
    }

    @Test
    void aNameThatTurnsToAForbiddenAddressIsNotCalledThere() throws Exception {
        List<String> turns = List.of("127.0.0.2", "127.0.0.1");
        try (LoopbackNameServer names = new LoopbackNameServer(
                (name, asked) -> name.equals(NAME) ? List.of(turns.get(asked % 2)) : List.of())) {
            int port = receive("127.0.0.2", "127.0.0.1");
            target(names, "127.0.0.2", "0ms");
            for (int i = 0; i < ATTEMPTS; i++) {
                assertThat(send(target, port))
                        .isEqualTo(
                                i % 2 == 0
                                        ? "acknowledged"
                                        : "unreachable: " + NAME + ":" + port
                                                + " is not known, or no destination that is allowed");
            }
            assertThat(arrivals).hasSize(ATTEMPTS / 2).containsOnly("127.0.0.2");
            assertThat(names.questions(NAME)).isEqualTo(ATTEMPTS);
        }
    }

    @Test
    void aKeptConnectionIsForTheAddressThatWasFoundOnly() throws Exception {
        List<String> turns = List.of("127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.2");
        try (LoopbackNameServer names = new LoopbackNameServer(
                (name, asked) -> name.equals(NAME) ? List.of(turns.get(asked % turns.size())) : List.of())) {
            int port = receive("127.0.0.2", "127.0.0.3");
            target(names, "127.0.0.2/31", "0ms");
            for (int i = 0; i < 40; i++) {
                assertThat(send(target, port)).isEqualTo("acknowledged");
                assertThat(arrivals.get(i)).isEqualTo(turns.get(i % turns.size()));
            }
        }
    }

    @Test
    void whatWasFoundIsUsedForAWhile() throws Exception {
        try (LoopbackNameServer names = new LoopbackNameServer(
                (name, asked) -> name.equals(NAME) ? List.of(asked == 0 ? "127.0.0.2" : "127.0.0.3") : List.of())) {
            int port = receive("127.0.0.2", "127.0.0.3");
            target(names, "127.0.0.0/8", "10m");
            for (int i = 0; i < 20; i++) {
                assertThat(send(target, port)).isEqualTo("acknowledged");
            }
            assertThat(arrivals).hasSize(20).containsOnly("127.0.0.2");
            assertThat(names.questions(NAME)).isEqualTo(1);
        }
    }

    @Test
    void aNameIsLookedUpOnceHoweverItIsWritten() throws Exception {
        try (LoopbackNameServer names =
                new LoopbackNameServer((name, asked) -> name.equals(NAME) ? List.of("127.0.0.2") : List.of())) {
            int port = receive("127.0.0.2");
            target(names, "127.0.0.0/8", "10m");
            for (String written : List.of(NAME, NAME + ".", "Rebind.TEST", "REBIND.test.")) {
                assertThat(SentCallback.to("http://" + written + ":" + port + "/", new byte[0], target)
                                .get(30, TimeUnit.SECONDS))
                        .isEqualTo("acknowledged");
            }
            assertThat(names.questions(NAME)).isEqualTo(1);
        }
    }

    @Test
    void theNextAttemptGoesToTheNextAddress() throws Exception {
        try (LoopbackNameServer names = new LoopbackNameServer(
                (name, asked) -> name.equals(NAME) ? List.of("127.0.0.2", "127.0.0.3") : List.of())) {
            int port = receive("127.0.0.2", "127.0.0.3");
            target(names, "127.0.0.0/8", "10m");
            for (int number = 1; number <= 4; number++) {
                CompletableFuture<String> outcome = new CompletableFuture<>();
                target.deliver(
                        SentCallback.attempt("http://" + NAME + ":" + port + "/", new byte[0], number),
                        new SentCallback.Outcome(outcome));
                assertThat(outcome.get(30, TimeUnit.SECONDS)).isEqualTo("acknowledged");
            }
            assertThat(arrivals).containsExactly("127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3");
        }
    }

    /** The look-up takes time, and a receiver refuses what was signed too long ago. */
    @Test
    void timestampIsThatOfTheCallAndNotOfTheLookUp() throws Exception {
        SteppedClock clock = new SteppedClock();
        Duration slow = Duration.ofHours(1);
        try (LoopbackNameServer names = new LoopbackNameServer((name, asked) -> {
                    if (asked == 0) {
                        clock.step(slow);
                    }
                    return name.equals(NAME) ? List.of("127.0.0.2") : List.of();
                });
                ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            Map<String, String> options =
                    Map.of("allow", "127.0.0.2", "ports", "1-65535", "nameServers", names.address());
            target = new HttpTarget(vertx, vertx.getOrCreateContext(), clock, HttpSettings.read(options), 1);
            long before = clock.now().getEpochSecond();
            String request = firstBytes(receiver, target, "http://" + NAME + ":" + receiver.getLocalPort() + "/");
            String sent = request.replaceAll("(?s).*\r\nwebhook-timestamp: (\\d+)\r\n.*", "$1");
            assertThat(Long.parseLong(sent)).isGreaterThanOrEqualTo(before + slow.toSeconds());
        }
    }

    @Test
    void theNameStaysInTheRequestAndInTls() throws Exception {
        try (LoopbackNameServer names =
                        new LoopbackNameServer((name, asked) -> name.equals(NAME) ? List.of("127.0.0.2") : List.of());
                ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            target(names, "127.0.0.2", "1s");
            String place = NAME + ":" + receiver.getLocalPort();
            assertThat(firstBytes(receiver, target, "http://" + place + "/a"))
                    .startsWith("POST /a HTTP/1.1\r\n")
                    .contains("\r\nhost: " + place + "\r\n");
            // The first message of TLS has the name in clear.
            assertThat(firstBytes(receiver, target, "https://" + place + "/a"))
                    .contains(NAME)
                    .doesNotContain("127.0.0.2");
        }
    }

    /** Nobody is reached by what finds no place among the look-ups: or names that are never answered would be tried as often as their timers say. */
    @Test
    void attemptsThatAreTooManyForTheNameServerReachNobody() throws Exception {
        try (LoopbackNameServer names = new LoopbackNameServer((name, asked) -> null)) {
            target(names, "127.0.0.2", "0ms");
            List<CompletableFuture<String>> outcomes = new ArrayList<>();
            for (int i = 0; i < 17; i++) {
                outcomes.add(SentCallback.to("http://silent" + i + ".test/", new byte[0], target));
            }
            assertThat(outcomes.get(16).get(30, TimeUnit.SECONDS))
                    .isEqualTo("unreachable: no look-up of silent16.test:80, too many others are under way");
        }
    }

    private static String firstBytes(ServerSocket receiver, HttpTarget target, String url) throws Exception {
        CompletableFuture<String> outcome = SentCallback.to(url, new byte[0], target);
        byte[] bytes = new byte[4_096];
        int count;
        receiver.setSoTimeout(30_000);
        try (Socket socket = receiver.accept()) {
            socket.setSoTimeout(30_000);
            count = socket.getInputStream().read(bytes);
        }
        assertThat(outcome.get(30, TimeUnit.SECONDS)).startsWith("unreachable: ");
        return new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
    }

    private static String send(HttpTarget target, int port) throws Exception {
        return SentCallback.to("http://" + NAME + ":" + port + "/", new byte[0], target)
                .get(30, TimeUnit.SECONDS);
    }
}
