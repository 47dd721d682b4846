package io.tickwheel.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.micrometer.TickwheelMetrics;
import io.tickwheel.server.http.Traffic.Break;
import io.tickwheel.server.wire.ProblemCode;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** The metrics of the server in the text format of Prometheus. Thread-safe, but for what is counted of HTTP, which is for the event loop of the connections. */
final class MetricsPage {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final TickwheelMetrics timers;
    private final Map<ProblemCode, Counter> problems = new EnumMap<>(ProblemCode.class);
    private final Map<Break, Counter> breaks = new EnumMap<>(Break.class);
    private boolean jvm;

    MetricsPage(Clock clock) {
        // Micrometer names them as Prometheus would not: a gauge ends with _count, a counter is in nanoseconds.
        registry.config()
                .meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"))
                .meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
        timers = new TickwheelMetrics(registry, clock);
        for (Break when : Break.values()) {
            Counter counter = Counter.builder("tickwheel.http.connection.breaks")
                    .description("connections of clients that broke, during the TLS handshake or while they were open")
                    .tag("when", when.name().toLowerCase(Locale.ROOT))
                    .register(registry);
            breaks.put(when, counter);
        }
    }

    /** The meters of the engine. */
    TickwheelMetrics timers() {
        return timers;
    }

    /** Counts what becomes of the messages of a source, from now on, and says whether it takes any. */
    void watch(String kind, Source source) {
        counter(kind, "scheduled", source, SourceCounts::scheduled);
        counter(kind, "known", source, SourceCounts::known);
        counter(kind, "refused", source, SourceCounts::refused);
        counter(kind, "postponed", source, SourceCounts::postponed);
        Gauge.builder("tickwheel.source.ready", source, it -> it.unready().isEmpty() ? 1 : 0)
                .description("1 while the source takes messages in, 0 while it cannot")
                .tag("source", kind)
                .register(registry);
    }

    private void counter(String kind, String outcome, Source source, ToDoubleFunction<SourceCounts> count) {
        FunctionCounter.builder("tickwheel.source.messages", source, it -> count.applyAsDouble(it.counts()))
                .description("what became of the messages of a source")
                .tags("source", kind, "outcome", outcome)
                .register(registry);
    }

    /** Counts a request that is refused. */
    void refused(ProblemCode code) {
        problems.computeIfAbsent(
                        code,
                        first -> Counter.builder("tickwheel.http.problems")
                                .description("requests that were refused, by the code of the problem")
                                .tag("code", first.code())
                                .register(registry))
                .increment();
    }

    /** Counts a connection that breaks. */
    void broken(Break when) {
        Objects.requireNonNull(breaks.get(when)).increment();
    }

    /** The page. The JVM's own meters are made at the first call: most starts need none. */
    synchronized String scrape() {
        if (!jvm) {
            jvm = true;
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            new UptimeMetrics().bindTo(registry);
        }
        timers.refresh();
        return registry.scrape();
    }
}
