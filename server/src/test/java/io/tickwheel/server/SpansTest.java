package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import io.tickwheel.redis.testkit.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server as a process, which tells a collector of OpenTelemetry about its attempts. */
final class SpansTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

    private final List<Span> exported = new CopyOnWriteArrayList<>();
    private HttpServer collector;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() throws Exception {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            ExportTraceServiceRequest request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            request.getResourceSpansList()
                    .forEach(
                            spans -> spans.getScopeSpansList().forEach(scope -> exported.addAll(scope.getSpansList())));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    private static String yaml(boolean traces) {
        return "server: {port: 0}\ntraces: {enabled: " + traces + "}\n";
    }

    private Map<String, String> environment() {
        return Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + collector.getAddress().getPort());
    }

    private static int put(int port, String key, String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port + "/v1/queues/q/timers/" + key))
                .header("Content-Type", "application/json")
                .header("traceparent", PARENT)
                .PUT(HttpRequest.BodyPublishers.ofString("{\"delay\":\"0s\",\"target\":{\"url\":\"" + url + "\"}}"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void spansThatAreLeftAreExportedWhenItStops() throws Exception {
        try (Receiver receiver = new Receiver();
                ServerProcess server = ServerProcess.start(directory, yaml(true), environment())) {
            assertThat(put(server.port(), "k", receiver.url("/"))).isEqualTo(201);
            String told = receiver.next().headers().get("traceparent");
            server.terminate();
            assertThat(server.ended()).as(server.printed()).isIn(0, 143);
            assertThat(exported).as(server.printed()).hasSize(1);
            Span span = exported.get(0);
            assertThat("00-" + hex(span.getTraceId().toByteArray()) + "-"
                            + hex(span.getSpanId().toByteArray()) + "-01")
                    .isEqualTo(told);
            assertThat(hex(span.getParentSpanId().toByteArray())).isEqualTo("00f067aa0ba902b7");
            assertThat(span.getName()).isEqualTo("send q");
        }
    }

    @Test
    void thereAreNoneUnlessAskedFor() throws Exception {
        try (Receiver receiver = new Receiver();
                ServerProcess server = ServerProcess.start(directory, yaml(false), environment())) {
            assertThat(put(server.port(), "k", receiver.url("/"))).isEqualTo(201);
            receiver.next();
            server.terminate();
            assertThat(server.ended()).isIn(0, 143);
        }
        assertThat(exported).isEmpty();
    }

    @Test
    void settingThatCannotBeUsedRefusesTheStart() throws Exception {
        try (ServerProcess server =
                ServerProcess.start(directory, yaml(true), Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "collector"))) {
            assertThat(server.ended()).isEqualTo(1);
            assertThat(server.printed())
                    .contains("the settings of OpenTelemetry cannot be used")
                    .contains("collector")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void collectorThatIsAwayIsToldInTheLogAndStopsNothing() throws Exception {
        collector.stop(0);
        Map<String, String> soon = new HashMap<>(environment());
        soon.put("OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true");
        soon.put("OTEL_BSP_SCHEDULE_DELAY", "50");
        try (Receiver receiver = new Receiver();
                ServerProcess server = ServerProcess.start(directory, yaml(true) + "log: {format: json}\n", soon)) {
            assertThat(put(server.port(), "k", receiver.url("/"))).isEqualTo(201);
            receiver.next();
            Patience.until("the failure is in the log", () -> hasPrinted(server, "Failed to export"));
            assertThat(put(server.port(), "l", receiver.url("/"))).isEqualTo(201);
            receiver.next();
            server.terminate();
            assertThat(server.ended()).as(server.printed()).isIn(0, 143);
            assertThat(server.printed().lines()).allMatch(line -> line.startsWith("{") && line.endsWith("}"));
        }
    }

    private static boolean hasPrinted(ServerProcess server, String text) {
        try {
            return server.printed().contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
