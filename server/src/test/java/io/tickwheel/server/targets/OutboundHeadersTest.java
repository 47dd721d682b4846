package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.store.TimerKey;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The headers of a callback as they are on the wire, byte by byte. */
final class OutboundHeadersTest {

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private CompletableFuture<String> deliver(int port, Map<String, String> headers) {
        HttpTarget target = new HttpTarget(
                vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 3);
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Attempt attempt = new Attempt(
                new TimerKey("q", "k\r\nX-Key: 1"),
                "tmr_1",
                1,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                new byte[] {'x'},
                null,
                headers,
                new Destination("http", "POST http://127.0.0.1:" + port + "/"));
        target.deliver(attempt, new SentCallback.Outcome(outcome));
        return outcome;
    }

    @Test
    void eachHeaderIsOneLineAndThereIsNoOther() throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Authorization", "Bearer abc");
        headers.put("X-Blanks", "a  b\tc: d, e; \"f\"");
        headers.put("X-Injected", "1 %0d%0aHost: evil \\r\\nA: b");
        headers.put("!#$%&'*+-.^_`|~9", "token");
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver.getLocalPort(), headers);
            try (Socket socket = receiver.accept()) {
                List<String> lines = Arrays.asList(head(socket.getInputStream()).split("\r\n"));
                assertThat(lines.get(0)).isEqualTo("POST / HTTP/1.1");
                assertThat(lines.subList(1, lines.size()).stream().map(line -> line.substring(0, line.indexOf(':'))))
                        .containsExactlyInAnyOrder(
                                "host",
                                "content-length",
                                "webhook-id",
                                "webhook-timestamp",
                                "Idempotency-Key",
                                "Tickwheel-Queue",
                                "Tickwheel-Key",
                                "Tickwheel-Version",
                                "Tickwheel-Attempt",
                                "Tickwheel-Due-At",
                                "Tickwheel-Attempt-At",
                                "Tickwheel-Lateness-Ms",
                                "Authorization",
                                "X-Blanks",
                                "X-Injected",
                                "!#$%&'*+-.^_`|~9");
                headers.forEach((name, value) -> assertThat(lines).contains(name + ": " + value));
                assertThat(lines).contains("Tickwheel-Key: k%0D%0AX-Key:%201");
                socket.getOutputStream().write("HTTP/1.1 204 No\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
            }
        }
    }

    /** A program that has the same store checks no headers. */
    @ParameterizedTest
    @CsvSource({
        "Host, evil.test",
        "Content-Length, 3",
        "transfer_encoding, chunked",
        "Connection, keep-alive",
        "webhook-id, tmr_2",
        "X-Forwarded-For, 127.0.0.1",
        "'A B', c",
        "'', c",
        "X, '\r\nHost: evil.test'",
        "X, '\0'"
    })
    void whatIsStoredAndMustNotBeSentIsNotSent(String name, String value) throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(deliver(receiver.getLocalPort(), Map.of(name, value)).get(20, TimeUnit.SECONDS))
                    .startsWith("rejected: the stored header \"" + name + "\" ");
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            assertThat(b).isGreaterThanOrEqualTo(0);
            head.append((char) b);
        }
        return head.toString();
    }
}
