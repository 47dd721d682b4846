package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server prints that is to log JSON, from its start to its end. */
final class JsonLogTest {

    @TempDir
    private Path directory;

    @Test
    void eachLineIsAnObject() throws Exception {
        String yaml = "server: {port: 0}\nstore: {file: {directory: " + directory.resolve("data") + "}}\n"
                + "log: {format: json, access: true}\n";
        try (ServerProcess server = ServerProcess.start(directory, yaml, Map.of())) {
            URI path = URI.create("http://127.0.0.1:" + server.port() + "/v1/queues?x=1");
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(path).build(), HttpResponse.BodyHandlers.ofString());
            server.terminate();

            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(server.ended()).isZero();
            assertThat(server.printed().lines())
                    .hasSizeGreaterThan(4)
                    .allMatch(line -> line.startsWith("{\"time") && line.endsWith("}"))
                    .anyMatch(line -> line.contains("\"formattedMessage\":\"stopped\""))
                    .anyMatch(line -> line.contains("\"path\":\"/v1/queues\",\"status\":400,"));
        }
    }
}
