package io.tickwheel.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.target.message.TraceContext;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of the attempts of an engine, as an exporter gets them. */
final class AttemptSpansTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SCHEDULED_BY = "00f067aa0ba902b7";
    private static final String SAMPLED = "00-" + TRACE + "-" + SCHEDULED_BY + "-01";
    private static final String UNSAMPLED = "00-" + TRACE + "-" + SCHEDULED_BY + "-00";
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ManualClock clock = new ManualClock(START);
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final AttemptSpans spans =
            AttemptSpans.of(SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)));
    private final List<String> parentsSent = new ArrayList<>();
    private final Tickwheel engine = Tickwheel.builder(new MemoryTimerStore())
            .clock(clock)
            .threads(threads)
            .random(() -> 0)
            .retry(RetryPolicy.fixed(3, Duration.ofSeconds(10)))
            .listener(spans)
            .target("t", (attempt, delivery) -> {
                parentsSent.add(TraceContext.headersOf(attempt).get("traceparent"));
                clock.advance(Duration.ofMillis(7));
                switch (attempt.key()) {
                    case "good" -> {
                        delivery.answered(204);
                        delivery.acknowledge();
                    }
                    case "twice" -> {
                        if (attempt.number() == 1) {
                            delivery.answered(503);
                            delivery.fail("HTTP 503");
                        } else {
                            delivery.acknowledge();
                        }
                    }
                    case "moved" -> {
                        delivery.answered(302);
                        delivery.unreachable("HTTP 302, and redirects are not followed");
                    }
                    case "later" -> delivery.postpone("busy", clock.now().plus(Duration.ofDays(1)));
                    default -> delivery.reject("no such order");
                }
            })
            .open();

    @AfterEach
    void close() {
        spans.close();
    }

    private void deliver(String key, Map<String, String> headers) {
        var scheduled = engine.schedule(TimerRequest.after("orders", key, Duration.ofMinutes(1))
                .withHeaders(headers)
                .withDestination(new Destination("t", "https://user:secret@shop/")));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
        threads.advance(Duration.ofMinutes(2));
    }

    private SpanData only() {
        assertThat(exporter.getFinishedSpanItems()).hasSize(1);
        return exporter.getFinishedSpanItems().get(0);
    }

    private static Map<String, Object> attributes(SpanData span) {
        Map<String, Object> attributes = new TreeMap<>();
        span.getAttributes().forEach((AttributeKey<?> key, Object value) -> attributes.put(key.getKey(), value));
        return attributes;
    }

    @Test
    void attemptIsASpanBelowTheOneThatScheduled() {
        deliver("good", Map.of("Traceparent", SAMPLED, "tracestate", "congo=t61rcWkgMzE"));
        SpanData span = only();
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(SCHEDULED_BY);
        assertThat(span.getParentSpanContext().isRemote()).isTrue();
        assertThat(span.getSpanContext().getTraceState().get("congo")).isEqualTo("t61rcWkgMzE");
        assertThat(span.getName()).isEqualTo("send orders");
        assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attributes(span))
                .containsEntry("messaging.system", "tickwheel")
                .containsEntry("messaging.destination.name", "orders")
                .containsEntry("messaging.operation.name", "send")
                .containsEntry("messaging.operation.type", "send")
                .containsEntry("tickwheel.key", "good")
                .containsEntry("tickwheel.target", "t")
                .containsEntry("tickwheel.attempt", 1L)
                .containsEntry("http.response.status_code", 204L)
                .containsKey("messaging.message.id")
                .doesNotContainKey("error.type");
        assertThat(span.toString()).doesNotContain("secret");
        long startMs = TimeUnit.NANOSECONDS.toMillis(span.getStartEpochNanos());
        long lateMs = (Long) attributes(span).get("tickwheel.lateness_ms");
        assertThat(startMs - lateMs)
                .as("when it was due")
                .isEqualTo(START.plusSeconds(60).toEpochMilli());
        assertThat(span.getEndEpochNanos() - span.getStartEpochNanos()).isEqualTo(7_000_000);
    }

    @Test
    void receiverIsToldTheSpanOfItsAttempt() {
        deliver("twice", Map.of("traceparent", SAMPLED));
        List<SpanData> attempts = exporter.getFinishedSpanItems();
        assertThat(attempts).hasSize(2);
        assertThat(parentsSent)
                .containsExactlyElementsOf(attempts.stream()
                        .map(span -> "00-" + TRACE + "-" + span.getSpanId() + "-01")
                        .toList())
                .doesNotHaveDuplicates();
        assertThat(attempts).allMatch(span -> span.getParentSpanId().equals(SCHEDULED_BY));
    }

    @Test
    void failureIsAnErrorWithItsReason() {
        deliver("twice", Map.of("traceparent", SAMPLED));
        deliver("wrong", Map.of("traceparent", SAMPLED));
        List<SpanData> attempts = exporter.getFinishedSpanItems();
        assertThat(attempts)
                .extracting(span -> span.getStatus().getStatusCode())
                .containsExactly(StatusCode.ERROR, StatusCode.UNSET, StatusCode.ERROR);
        assertThat(attempts.get(0).getStatus().getDescription()).isEqualTo("HTTP 503");
        assertThat(attributes(attempts.get(0))).containsEntry("error.type", "503");
        assertThat(attempts.get(2).getStatus().getDescription()).isEqualTo("no such order");
        assertThat(attributes(attempts.get(2)))
                .containsEntry("error.type", "_OTHER")
                .doesNotContainKey("http.response.status_code");
    }

    @Test
    void statusThatIsNoErrorIsNotTheKindOfOne() {
        deliver("moved", Map.of("traceparent", SAMPLED));
        SpanData span = exporter.getFinishedSpanItems().get(0);
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attributes(span))
                .containsEntry("error.type", "_OTHER")
                .containsEntry("http.response.status_code", 302L);
    }

    @Test
    void attemptThatDoesNotCountHasNoSpan() {
        deliver("later", Map.of("traceparent", SAMPLED));
        assertThat(parentsSent).hasSize(1);
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    @Test
    void thereAreSpansOnlyInTracesThatAreRecorded() {
        deliver("good", Map.of());
        deliver("good", Map.of("traceparent", "none"));
        deliver("good", Map.of("traceparent", UNSAMPLED));
        assertThat(parentsSent).hasSize(3);
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
        deliver("good", Map.of("traceparent", SAMPLED));
        assertThat(only().getTraceId()).isEqualTo(TRACE);
    }

    @Test
    void handlerProcesses() {
        engine.handle("shown", attempt -> {});
        var scheduled = engine.schedule(
                TimerRequest.after("shown", "a", Duration.ofSeconds(1)).withHeaders(Map.of("traceparent", SAMPLED)));
        threads.runUntilIdle();
        assertThat(scheduled).isCompleted();
        threads.advance(Duration.ofSeconds(2));
        SpanData span = only();
        assertThat(span.getName()).isEqualTo("process shown");
        assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(attributes(span))
                .containsEntry("messaging.operation.type", "process")
                .containsEntry("tickwheel.target", "handler");
    }
}
