package io.tickwheel.server;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tickwheel.engine.Clock;
import io.tickwheel.micrometer.TickwheelMetrics;

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
