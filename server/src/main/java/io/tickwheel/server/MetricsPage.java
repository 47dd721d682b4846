package io.tickwheel.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.micrometer.TickwheelMetrics;
import java.util.function.ToDoubleFunction;

/** The metrics of the server in the text format of Prometheus. Thread-safe. */
final class MetricsPage {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final TickwheelMetrics timers;
    private boolean jvm;

    MetricsPage(Clock clock) {
        timers = new TickwheelMetrics(registry, clock);
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
