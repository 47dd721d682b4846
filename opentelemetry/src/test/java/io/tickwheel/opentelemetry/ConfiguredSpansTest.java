package io.tickwheel.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.tickwheel.engine.Attempt;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Spans that go where the settings of OpenTelemetry say, in its protocol. */
final class ConfiguredSpansTest {

    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final List<ExportTraceServiceRequest> exports = new CopyOnWriteArrayList<>();
    private HttpServer collector;

    @BeforeEach
    void start() throws Exception {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            exports.add(ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        System.setProperty(
                "otel.exporter.otlp.endpoint",
                "http://127.0.0.1:" + collector.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        collector.stop(0);
        for (String name : List.of("endpoint", "timeout", "protocol")) {
            System.clearProperty("otel.exporter.otlp." + name);
        }
        System.clearProperty("otel.service.name");
        System.clearProperty("otel.traces.sampler");
        System.clearProperty("otel.metrics.exporter");
        System.clearProperty("otel.logs.exporter");
    }

    private static void end(AttemptSpans spans, int number) {
        Attempt attempt = new Attempt(
                new TimerKey("q", "k"),
                "id",
                1,
                number,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                new byte[0],
                null,
                Map.of("traceparent", PARENT),
                null);
        spans.ended(attempt, new PastAttempt(number, 1_000, 0, 5, 0, ""));
    }

    private static String service(ResourceSpans spans) {
        return spans.getResource().getAttributesList().stream()
                .filter(attribute -> attribute.getKey().equals("service.name"))
                .map(KeyValue::getValue)
                .map(value -> value.getStringValue())
                .findFirst()
                .orElse("");
    }

    @Test
    void whatIsNotExportedYetIsWhenItIsClosed() {
        AttemptSpans spans = AttemptSpans.configured();
        end(spans, 1);
        end(spans, 2);
        spans.close();
        spans.close();
        assertThat(exports).hasSize(1);
        ResourceSpans exported = exports.get(0).getResourceSpans(0);
        assertThat(service(exported)).isEqualTo("tickwheel");
        assertThat(exported.getScopeSpans(0).getScope().getName()).isEqualTo("io.tickwheel");
        assertThat(exported.getScopeSpans(0).getSpansList())
                .extracting(span -> span.getName())
                .containsExactly("process q", "process q");
    }

    @Test
    void settingsOfOpenTelemetryGoOverOurs() {
        System.setProperty("otel.service.name", "shop");
        try (AttemptSpans spans = AttemptSpans.configured()) {
            end(spans, 1);
        }
        assertThat(service(exports.get(0).getResourceSpans(0))).isEqualTo("shop");
        System.setProperty("otel.traces.sampler", "always_off");
        try (AttemptSpans spans = AttemptSpans.configured()) {
            end(spans, 1);
        }
        assertThat(exports).hasSize(1);
    }

    /** They are those of other parts of the process, whose exporters are not here. */
    @Test
    void settingsOfMetricsAndLogsAreNotLookedAt() {
        System.setProperty("otel.metrics.exporter", "smoke");
        System.setProperty("otel.logs.exporter", "smoke");
        try (AttemptSpans spans = AttemptSpans.configured()) {
            end(spans, 1);
        }
        assertThat(exports).hasSize(1);
    }

    @Test
    void settingThatCannotBeUsedIsNamed() {
        System.setProperty("otel.exporter.otlp.timeout", "soon");
        assertThatThrownBy(AttemptSpans::configured)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("otel.exporter.otlp.timeout")
                .hasMessageContaining("soon");
        System.clearProperty("otel.exporter.otlp.timeout");
        System.setProperty("otel.exporter.otlp.protocol", "smoke");
        assertThatThrownBy(AttemptSpans::configured)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("smoke");
        System.setProperty("otel.exporter.otlp.protocol", "grpc");
        assertThatThrownBy(AttemptSpans::configured)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GrpcSender");
    }

    @Test
    void collectorThatIsAwayStopsNobody() {
        collector.stop(0);
        AttemptSpans spans = AttemptSpans.configured();
        for (int i = 1; i < 10_000; i++) {
            end(spans, i);
        }
        spans.close();
        assertThat(exports).isEmpty();
    }
}
