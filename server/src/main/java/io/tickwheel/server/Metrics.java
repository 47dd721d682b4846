package io.tickwheel.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Counts what the engine does, for Prometheus. Thread-safe. */
final class Metrics implements EngineListener {

    private static final int[] LATENESS_MS = {
        1, 2, 3, 5, 10, 15, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000
    };
    private static final int[] SYNC_MICROS = {
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000
    };

    /** A timer may be due in the year 0, and both a lateness and the sum of all must fit into a long of nanoseconds. */
    private static final Duration LONGEST_LATENESS = Duration.ofDays(1);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Timer lateness;
    private final Timer logSync;
    private final Counter scheduled = counter("scheduled", "Timers made, replacing others or not");
    private final Counter refused = counter("refused", "Schedules refused because the store is full");
    private final Counter cancelled = counter("cancelled", "Cancels answered with success");
    private final Counter delivered = counter("delivered", "Timers acknowledged by their target");
    private final Counter failed = counter("failed", "Attempts that failed and are repeated");
    private final Counter dead = counter("dead", "Timers given up");
    private final Counter expired = counter("expired", "Timers not delivered because they were too late");
    private volatile LongSupplier pending = () -> 0;
    private boolean jvm;

    Metrics() {
        lateness = Timer.builder("tickwheel.lateness")
                .description("From the due time of an attempt to its start, a day at most")
                .serviceLevelObjectives(durations(LATENESS_MS, 1_000_000))
                .register(registry);
        logSync = Timer.builder("tickwheel.log.sync")
                .description("How long a sync of the commit log took")
                .serviceLevelObjectives(durations(SYNC_MICROS, 1_000))
                .register(registry);
        Gauge.builder("tickwheel.timers.pending", this, metrics -> metrics.pending.getAsLong())
                .description("Live timers, running attempts included")
                .register(registry);
    }

    void watch(Tickwheel timers) {
        pending = timers::liveCount;
    }

    /** The page in the text format of Prometheus. The JVM's own meters are made at the first call: most starts need none. */
    synchronized String scrape() {
        if (!jvm) {
            jvm = true;
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            new UptimeMetrics().bindTo(registry);
        }
        return registry.scrape();
    }

    @Override
    public void scheduled(Scheduled answer) {
        if (answer.outcome() == Scheduled.Outcome.CREATED || answer.outcome() == Scheduled.Outcome.REPLACED) {
            scheduled.increment();
        }
    }

    @Override
    public void refused(StoreFullException refusal) {
        refused.increment();
    }

    @Override
    public void cancelled(Cancelled answer) {
        if (answer.outcome() == Cancelled.Outcome.CANCELLED) {
            cancelled.increment();
        }
    }

    @Override
    public void started(Attempt attempt) {
        Duration late = attempt.lateness();
        lateness.record(late.compareTo(LONGEST_LATENESS) > 0 ? LONGEST_LATENESS : late);
    }

    @Override
    public void delivered(Attempt attempt) {
        delivered.increment();
    }

    @Override
    public void failed(Attempt attempt, String reason) {
        failed.increment();
    }

    @Override
    public void dead(Attempt attempt, String reason) {
        dead.increment();
    }

    @Override
    public void expired(Attempt attempt) {
        expired.increment();
    }

    @Override
    public void synced(long nanos) {
        logSync.record(nanos, TimeUnit.NANOSECONDS);
    }

    private Counter counter(String name, String description) {
        return Counter.builder("tickwheel." + name).description(description).register(registry);
    }

    private static Duration[] durations(int[] counts, long unitNanos) {
        Duration[] durations = new Duration[counts.length];
        for (int i = 0; i < counts.length; i++) {
            durations[i] = Duration.ofNanos(counts[i] * unitNanos);
        }
        return durations;
    }
}
