package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that come, that stop in the middle, and that never begin. */
@Timeout(30)
final class WholeAnswerTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(50);

    private final HttpClient client = HttpClient.newHttpClient();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/whole", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write(new byte[] {'{', '}'});
            exchange.close();
        });
        server.createContext("/half", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
        });
        server.createContext("/large", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[1_000];
            try (OutputStream body = exchange.getResponseBody()) {
                for (int i = 0; i < 10_000; i++) {
                    body.write(part);
                }
            }
        });
        server.createContext("/none", exchange -> exchange.getRequestHeaders());
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path))
                .build();
    }

    @Test
    void answerThatComesIsGiven() throws Exception {
        assertThat(WholeAnswer.await(client, request("/whole"), LONG, 2).body()).isEqualTo("{}");
    }

    @Test
    void answerThatStopsInItsMiddleIsNotWaitedForWithoutAnEnd() {
        assertThatThrownBy(() -> WholeAnswer.await(client, request("/half"), SHORT, 2))
                .isInstanceOf(HttpTimeoutException.class)
                .hasMessage("no answer within PT0.2S");
    }

    @Test
    void largeAnswerIsReadOnlyUpToABound() {
        assertThatThrownBy(() -> WholeAnswer.await(client, request("/large"), LONG, 100_000))
                .isInstanceOf(WholeAnswer.TooLargeException.class)
                .hasMessage("has answered with more than 100000 bytes, which is the most that a command takes");
    }

    @Test
    void answerThatIsAByteTooLargeIsNotGiven() {
        assertThatThrownBy(() -> WholeAnswer.await(client, request("/whole"), LONG, 1))
                .isInstanceOf(WholeAnswer.TooLargeException.class);
    }

    @Test
    void answerThatNeverBeginsIsNoneInTime() {
        assertThatThrownBy(() -> WholeAnswer.await(client, request("/none"), SHORT, 2))
                .isInstanceOf(HttpTimeoutException.class);
    }

    @Test
    void serverThatIsNotThereFailsAsItDoes() {
        HttpRequest request = request("/whole");
        server.stop(0);
        assertThatThrownBy(() -> WholeAnswer.await(client, request, LONG, 2)).isInstanceOf(ConnectException.class);
    }

    /** As one behind a firewall that drops what it does not know. */
    @Test
    void clientsOfAllCommandsGiveUpAServerThatTakesNoConnection() {
        assertThat(Login.NONE.client().build().connectTimeout()).contains(Duration.ofSeconds(10));
    }
}
