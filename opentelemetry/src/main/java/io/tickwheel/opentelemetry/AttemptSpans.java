package io.tickwheel.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.target.message.TraceContext;
import io.tickwheel.target.message.TraceSpan;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A span for each attempt that has ended, of timers that were scheduled within a trace: those that have a {@code traceparent} among their headers. It is a child of the span that
 * has scheduled the timer, and has the identity that the receiver is told, so that the receiver's spans are its children. Timers without a trace have no spans; nor have leases,
 * whose consumers are told the trace and make their own.
 *
 * <p>Thread-safe; one may listen to several engines. A span costs the engine's loop some microseconds, and waits for nobody: what exports spans drops those for which it has no
 * room.
 */
public final class AttemptSpans implements EngineListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AttemptSpans.class);
    private static final String NAME = "io.tickwheel";
    private static final Duration LAST_EXPORT = Duration.ofSeconds(5);
    private static final Map<String, String> DEFAULTS =
            Map.of("otel.service.name", "tickwheel", "otel.exporter.otlp.protocol", "http/protobuf");
    private static final Map<String, String> SPANS_ONLY =
            Map.of("otel.metrics.exporter", "none", "otel.logs.exporter", "none");

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> QUEUE = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
    private static final AttributeKey<String> KEY = AttributeKey.stringKey("tickwheel.key");
    private static final AttributeKey<String> TARGET = AttributeKey.stringKey("tickwheel.target");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("tickwheel.attempt");
    private static final AttributeKey<Long> LATENESS = AttributeKey.longKey("tickwheel.lateness_ms");

    private static final String OTHER_ERROR = "_OTHER";
    private static final int FIRST_ERROR = 400;
    private static final TextMapGetter<Map<String, String>> HEADERS = new TextMapGetter<>() {
        @Override
        public @Nullable String get(@Nullable Map<String, String> headers, String name) {
            return headers == null
                    ? null
                    : headers.entrySet().stream()
                            .filter(header -> header.getKey().equalsIgnoreCase(name))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElse(null);
        }
    };

    private final NextSpanId ids;
    private final SdkTracerProvider provider;
    private final Tracer tracer;

    private AttemptSpans(NextSpanId ids, SdkTracerProvider provider) {
        this.ids = ids;
        this.provider = provider;
        this.tracer = provider.get(NAME);
    }

    /**
     * Spans that go where a builder says, which has its processors, its resource and its sampler; the identities of spans are chosen here.
     *
     * @param builder is not to be used for others' spans
     */
    public static AttemptSpans of(SdkTracerProviderBuilder builder) {
        NextSpanId ids = new NextSpanId();
        return new AttemptSpans(ids, builder.setIdGenerator(ids).build());
    }

    /**
     * Spans that go where the settings of OpenTelemetry say, its environment variables and system properties: {@code OTEL_EXPORTER_OTLP_ENDPOINT} and all others. Where they are
     * silent they go by HTTP to a collector on this machine, at port 4318, as those of the service {@code tickwheel}.
     *
     * @throws IllegalArgumentException when a setting cannot be used, with its name
     */
    public static AttemptSpans configured() {
        NextSpanId ids = new NextSpanId();
        try {
            return new AttemptSpans(
                    ids,
                    AutoConfiguredOpenTelemetrySdk.builder()
                            .disableShutdownHook()
                            .addPropertiesSupplier(() -> DEFAULTS)
                            .addPropertiesCustomizer(config -> SPANS_ONLY)
                            .addTracerProviderCustomizer((builder, config) -> builder.setIdGenerator(ids))
                            .build()
                            .getOpenTelemetrySdk()
                            .getSdkTracerProvider());
        } catch (ConfigurationException | IllegalArgumentException e) {
            throw new IllegalArgumentException("the settings of OpenTelemetry cannot be used: " + said(e), e);
        }
    }

    /** What all say: of some settings only the cause says which one it is. */
    private static String said(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Throwable cause = failure.getCause();
        return cause == null || message.contains(String.valueOf(cause.getMessage()))
                ? message
                : message + ": " + said(cause);
    }

    @Override
    public void ended(Attempt attempt, PastAttempt past) {
        TraceSpan span = TraceContext.spanOf(attempt).orElse(null);
        if (span == null) {
            return;
        }
        Context parent = W3CTraceContextPropagator.getInstance().extract(Context.root(), attempt.headers(), HEADERS);
        if (!Span.fromContext(parent).getSpanContext().isValid()) {
            return;
        }
        boolean isHandled = target(attempt).equals(Destination.HANDLER);
        String operation = isHandled ? "process" : "send";
        ids.is(span.span());
        Span recorded = tracer.spanBuilder(operation + " " + attempt.queue())
                .setParent(parent)
                .setSpanKind(isHandled ? SpanKind.CONSUMER : SpanKind.PRODUCER)
                .setStartTimestamp(past.startedAtMs(), TimeUnit.MILLISECONDS)
                .setAllAttributes(attributes(attempt, past, operation))
                .startSpan();
        if (hasFailed(past)) {
            recorded.setStatus(StatusCode.ERROR, past.reason());
        }
        recorded.end(past.startedAtMs() + past.durationMs(), TimeUnit.MILLISECONDS);
    }

    private static Attributes attributes(Attempt attempt, PastAttempt past, String operation) {
        AttributesBuilder attributes = Attributes.builder()
                .put(SYSTEM, "tickwheel")
                .put(QUEUE, attempt.queue())
                .put(MESSAGE_ID, attempt.id())
                .put(OPERATION, operation)
                .put(OPERATION_TYPE, operation)
                .put(KEY, attempt.key())
                .put(TARGET, target(attempt))
                .put(ATTEMPT, (long) attempt.number())
                .put(LATENESS, past.lateMs());
        if (past.status() != 0) {
            attributes.put(STATUS, (long) past.status());
        }
        if (hasFailed(past)) {
            attributes.put(ERROR, past.status() < FIRST_ERROR ? OTHER_ERROR : Integer.toString(past.status()));
        }
        return attributes.build();
    }

    private static String target(Attempt attempt) {
        Destination destination = attempt.destination();
        return destination == null ? Destination.HANDLER : destination.target();
    }

    private static boolean hasFailed(PastAttempt past) {
        return !past.reason().isEmpty();
    }

    /** Exports what has not been exported yet, for at most five seconds, and logs when that does not succeed. Idempotent. */
    @Override
    public void close() {
        boolean isExported = provider.shutdown()
                .join(LAST_EXPORT.toSeconds(), TimeUnit.SECONDS)
                .isSuccess();
        if (!isExported) {
            LOG.warn("the last spans could not be exported within {} s, and may be lost", LAST_EXPORT.toSeconds());
        }
    }
}
