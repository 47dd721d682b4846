package io.tickwheel.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
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

    /** Queues are named by whoever schedules: without a bound, each would be a time series. */
    static final int MOST_WAITING = 1_000;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Clock clock;
    private final Timer lateness;
    private final Timer logSync;
    private final Counter scheduled = counter("scheduled", "Timers made, replacing others or not");
    private final Counter refused = counter("refused", "Schedules refused because the store is full");
    private final Counter cancelled = counter("cancelled", "Cancels answered with success");
    private final Counter delivered = counter("delivered", "Timers acknowledged by their target");
    private final Counter failed = counter("failed", "Attempts that failed and are repeated");
    private final Counter postponed = counter("postponed", "Attempts whose receiver has asked for another time");
    private final Counter dead = counter("dead", "Timers given up");
    private final Counter expired = counter("expired", "Timers not delivered because they were too late");
    private final MultiGauge queues;
    private volatile List<WaitingQueue> waiting = List.of();
    private volatile LongSupplier pending = () -> 0;
    private volatile LongSupplier gone = () -> 0;
    private boolean jvm;

    Metrics(Clock clock) {
        this.clock = clock;
        lateness = Timer.builder("tickwheel.lateness")
                .description(
                        "From the due time of a timer, which a retry does not move, to the start of each attempt, a day at most")
                .serviceLevelObjectives(durations(LATENESS_MS, 1_000_000))
                .register(registry);
        logSync = Timer.builder("tickwheel.log.sync")
                .description("How long a sync of the commit log took")
                .serviceLevelObjectives(durations(SYNC_MICROS, 1_000))
                .register(registry);
        Gauge.builder("tickwheel.timers.pending", this, metrics -> metrics.pending.getAsLong())
                .description("Live timers, running attempts included")
                .register(registry);
        Gauge.builder("tickwheel.store.gone", this, metrics -> metrics.gone.getAsLong())
                .description(
                        "1 while what the store held is gone, and nothing is taken or delivered until an operator acts")
                .register(registry);
        queues = MultiGauge.builder("tickwheel.queue.waiting")
                .description("How long the oldest timer of a queue has waited that is due and does not start; the "
                        + MOST_WAITING + " longest")
                .baseUnit("seconds")
                .register(registry);
    }

    void watch(Tickwheel timers) {
        pending = timers::liveCount;
        gone = () -> timers.unready().isPresent() ? 1 : 0;
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
        Instant now = clock.now();
        queues.register(
                waiting.stream()
                        .sorted(Comparator.comparing(WaitingQueue::oldest))
                        .limit(MOST_WAITING)
                        .map(queue -> row(queue, now))
                        .toList(),
                true);
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
        if (answer.outcome() == Cancelled.Outcome.CANCELLED
                || answer.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING) {
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
    public void postponed(Attempt attempt, Instant until, String reason) {
        postponed.increment();
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
    public void waiting(List<WaitingQueue> queues) {
        waiting = queues;
    }

    private static MultiGauge.Row<?> row(WaitingQueue queue, Instant now) {
        Tags tags =
                Tags.of("queue", queue.queue(), "reason", queue.reason().name().toLowerCase(Locale.ROOT));
        // A store that nodes share may have a clock that is ahead.
        long waitedMs = Math.max(0, now.toEpochMilli() - queue.oldest().toEpochMilli());
        return MultiGauge.Row.of(tags, waitedMs / 1_000.0);
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
