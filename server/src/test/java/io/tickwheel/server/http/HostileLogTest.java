package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.tls.TestIdentity;
import io.tickwheel.server.tls.TlsFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What strangers send is counted, and says nothing in the log that an operator reads. */
final class HostileLogTest {

    private static final String HOST = "Host: x\r\n";
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String FORGED = "x\r\n12:00:00.000 ERROR Server - forged\u001b[2J";

    private static final List<String> REQUESTS = List.of(
            "GET /\r\n12:00:00.000 ERROR Server - forged HTTP/1.1\r\n" + HOST + "\r\n",
            "GET /%0d%0a12:00:00.000%20ERROR%1b[2J HTTP/1.1\r\n" + HOST + "\r\n",
            "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\n" + HOST + "\r\n",
            "GET /livez HTTP/1.1\r\n" + HOST + "X: " + "a".repeat(1 << 20) + "\r\n\r\n",
            "GET /livez HTTP/1.1\r\n" + HOST + "X: a\u0000\u001b[2J\rb\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost: \u001b[2J\r\n\r\n",
            "\u001b[2J /livez HTTP/1.1\r\n" + HOST + "\r\n",
            "GET /livez HTTP/\u001b.1\r\n" + HOST + "\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
            put("%00%1b", "{\"delay\":\"1h\"}"),
            put("k", "{\"delay\":\"" + FORGED + "\"}"),
            put("k", "{\"" + FORGED.replace("\r\n", "\\r\\n").replace("\u001b", "\\u001b") + "\":1}"),
            put("k", "{\"delay\":\"1h\",\"target\":{\"url\":\"http://x/\\r\\nforged\"}}"),
            put("k", "[".repeat(100_000)),
            "PUT /v1/queues/q/timers/k HTTP/1.1\r\n" + HOST + JSON + "Transfer-Encoding: chunked\r\n\r\nzz\r\nforged",
            "PUT /v1/queues/q/timers/k HTTP/1.1\r\n" + HOST + JSON + "Content-Length: 14\r\n\r\n{\"de");

    @TempDir
    private Path directory;

    @Test
    void whatIsSentBreaksNoSilence() throws IOException {
        try (RunningServer server = new RunningServer(directory);
                LoggedEvents logged = new LoggedEvents()) {
            logged.debug(Traffic.class);
            for (String request : REQUESTS) {
                send(server.port(), request.getBytes(StandardCharsets.ISO_8859_1), false);
                send(server.port(), request.getBytes(StandardCharsets.ISO_8859_1), true);
            }
            Patience.look(() -> counted(server, "malformed_request"), count -> count >= 6);

            assertThat(counted(server, "malformed_request")).isGreaterThanOrEqualTo(6);
            assertThat(Patience.look(() -> broken(server, "open"), count -> count > 0))
                    .isPositive();
            assertThat(broken(server, "handshake")).isZero();
            assertThat(counted(server, "uri_too_long")).isPositive();
            assertThat(counted(server, "headers_too_large")).isPositive();
            assertThat(logged.messages(Level.INFO)).as("what an operator reads").isEmpty();
            assertThat(logged.messages(Level.DEBUG))
                    .anyMatch(message -> message.contains("is refused, malformed_request: "))
                    .allMatch(message -> message.chars().noneMatch(Character::isISOControl));
        }
    }

    @Test
    void brokenHandshakesAreCounted() throws IOException {
        TestIdentity identity = TestIdentity.make(directory, "own");
        TlsFiles files = new TlsFiles(identity.certificate(), identity.key(), null);
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, directory.resolve("data"))
                        .withEdge(new EdgeConfig(null, true, files, false, false, null)));
                LoggedEvents logged = new LoggedEvents()) {
            logged.debug(Traffic.class);
            byte[] hello = {0x16, 3, 1, 0, 5, 1, 0, 0, 1, 99};
            byte[] half = {0x16, 3, 1, 1, 0, 1, 0};
            for (boolean resets : new boolean[] {false, true}) {
                send(server.port(), hello, resets);
                send(server.port(), half, resets);
                send(
                        server.port(),
                        "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                        resets);
                send(server.port(), (FORGED + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII), resets);
            }
            logged.await("a connection broke (HANDSHAKE): ");

            assertThat(logged.messages(Level.INFO)).as("what an operator reads").isEmpty();
            assertThat(logged.messages(Level.DEBUG))
                    .allMatch(message -> message.chars().noneMatch(Character::isISOControl));
        }
    }

    private static String put(String key, String body) {
        return "PUT /v1/queues/q/timers/" + key + " HTTP/1.1\r\n" + HOST + JSON + "Content-Length: "
                + body.getBytes(StandardCharsets.ISO_8859_1).length + "\r\n\r\n" + body;
    }

    private static double counted(RunningServer server, String code) {
        return metric(server, "tickwheel_http_problems_total{code=\"" + code + "\"} ");
    }

    private static double broken(RunningServer server, String when) {
        return metric(server, "tickwheel_http_connection_breaks_total{when=\"" + when + "\"} ");
    }

    private static double metric(RunningServer server, String beginning) {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(beginning))
                .mapToDouble(line -> Double.parseDouble(line.substring(beginning.length())))
                .sum();
    }

    /** @param resets whether the connection is reset at once, or read to its end */
    private static void send(int port, byte[] bytes, boolean resets) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
            if (resets) {
                socket.setSoLinger(true, 0);
                return;
            }
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // The server has closed before it had read all of it.
            assertThat(e.getMessage()).containsAnyOf("reset", "Broken pipe", "closed");
        }
    }
}
