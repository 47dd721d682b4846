package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that may have fewer files open than attempts may run. */
final class FewFilesTest {

    private static final int FILES = 220;
    private static final int TIMERS = 240;
    private static final int CLIENTS = 10;

    private static final Pattern MOST = Pattern.compile("at most (\\d+) attempts run at once, and not 2048");
    private static final Pattern RUNNING = Pattern.compile("(?m)^tickwheel_attempts_running (\\d+)");

    @TempDir
    private Path directory;

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60));
    }

    private static int number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : -1;
    }

    @Test
    void receiversThatNeverAnswerLeaveFilesForClients() throws Exception {
        String yaml = "server: {port: 0}\nstore: {file: {directory: data}}\n";
        try (ServerSocket hanging = new ServerSocket(0, TIMERS, InetAddress.getLoopbackAddress());
                ServerProcess server = ServerProcess.startWithFiles(directory, yaml, FILES)) {
            int port = server.port();
            int most = number(MOST, server.printed());
            assertThat(most).as(server.printed()).isBetween(1, FILES / 8);
            HttpClient client = HttpClient.newHttpClient();
            String body =
                    "{\"delay\":\"0s\",\"target\":{\"url\":\"http://127.0.0.1:" + hanging.getLocalPort() + "/\"}}";
            for (int i = 0; i < TIMERS; i++) {
                HttpRequest put = request(port, "/v1/queues/q" + i % 20 + "/timers/k" + i)
                        .header("Content-Type", "application/json")
                        .PUT(HttpRequest.BodyPublishers.ofString(body))
                        .build();
                assertThat(client.send(put, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(201);
            }
            int running = Patience.look(() -> running(client, port), now -> now >= most);
            assertThat(running).isEqualTo(most);
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                answers.add(HttpClient.newHttpClient()
                        .sendAsync(request(port, "/readyz").build(), HttpResponse.BodyHandlers.discarding())
                        .thenApply(HttpResponse::statusCode));
            }
            for (CompletableFuture<Integer> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(200);
            }
        }
    }

    private static int running(HttpClient client, int port) {
        HttpRequest metrics = request(port, "/metrics").build();
        return number(
                RUNNING,
                client.sendAsync(metrics, HttpResponse.BodyHandlers.ofString())
                        .join()
                        .body());
    }
}
