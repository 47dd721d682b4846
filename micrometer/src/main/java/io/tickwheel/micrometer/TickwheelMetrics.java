package io.tickwheel.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TickwheelStats;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.PastAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what an engine does, in a registry. Thread-safe.
 *
 * <pre>{@code
 * TickwheelMetrics metrics = new TickwheelMetrics(registry, Clock.system());
 * Tickwheel timers = Tickwheel.builder(store).listener(metrics).open();
 * metrics.watch(timers);
 * }</pre>
 */
public final class TickwheelMetrics implements EngineListener {

    private static final int[] LATENESS_MS = {
        1, 2, 3, 5, 10, 15, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000
    };
    private static final int[] SYNC_MICROS = {
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000
    };

    /** A timer may be due in the year 0, and both a lateness and the sum of all must fit into a long of nanoseconds. */
    private static final Duration LONGEST_LATENESS = Duration.ofDays(1);

    /** Queues are named by whoever schedules: without a bound, each would be a time series. */
    public static final int MOST_QUEUES = 1_000;

    /** Stands for the queues beyond so many. */
    static final String OTHER_QUEUES = "(others)";

    private final MeterRegistry registry;
    private final Clock clock;
    private final Timer lateness;
    private final Timer logSync;
    private final MultiGauge queues;
    private final Map<String, Map<String, Counter>> attempts = new ConcurrentHashMap<>();
    private volatile List<WaitingQueue> waiting = List.of();
    private volatile @Nullable Tickwheel watched;
    private volatile boolean hasStopped;

    /**
     * Meters in a registry.
     *
     * @param clock tells how long timers have waited: that of the engine
     */
    public TickwheelMetrics(MeterRegistry registry, Clock clock) {
        this.registry = registry;
        this.clock = clock;
        counter("scheduled", TickwheelStats::scheduled, "Timers made, replacing others or not");
        counter("refused", TickwheelStats::refused, "Schedules refused because the store is full");
        counter("cancelled", TickwheelStats::cancelled, "Cancels answered with success");
        counter("delivered", TickwheelStats::delivered, "Timers acknowledged by their target");
        counter("failed", TickwheelStats::failed, "Attempts that failed and are repeated");
        counter("postponed", TickwheelStats::postponed, "Attempts whose receiver has asked for another time");
        counter("dead", TickwheelStats::dead, "Timers given up");
        counter("expired", TickwheelStats::expired, "Timers not delivered because they were too late");
        counter("changed", TickwheelStats::changed, "Timers rescheduled, redriven or purged");
        lateness = Timer.builder("tickwheel.lateness")
                .description(
                        "From the due time of a timer, which a retry does not move, to the start of each attempt, a day at most")
                .serviceLevelObjectives(durations(LATENESS_MS, 1_000_000))
                .register(registry);
        logSync = Timer.builder("tickwheel.log.sync")
                .description("How long a sync of the commit log took")
                .serviceLevelObjectives(durations(SYNC_MICROS, 1_000))
                .register(registry);
        Gauge.builder("tickwheel.timers.pending", this, metrics -> metrics.stat(TickwheelStats::live))
                .description("Live timers, running attempts included")
                .register(registry);
        Gauge.builder("tickwheel.attempts.running", this, metrics -> metrics.stat(TickwheelStats::running))
                .description("Attempts that run, or are about to")
                .register(registry);
        Gauge.builder("tickwheel.store.gone", this, metrics -> metrics.isGone() ? 1 : 0)
                .description(
                        "1 while what the store held is gone, and nothing is taken or delivered until an operator acts")
                .register(registry);
        Gauge.builder("tickwheel.engine.stopped", this, metrics -> metrics.hasStopped ? 1 : 0)
                .description(
                        "1 once the engine has stopped because of an error: it takes and delivers nothing any more")
                .register(registry);
        Gauge.builder("tickwheel.overdue", this, TickwheelMetrics::longestWait)
                .description("How long the oldest timer has waited that is due and does not start")
                .baseUnit("seconds")
                .register(registry);
        queues = MultiGauge.builder("tickwheel.queue.waiting")
                .description("How long the oldest timer of a queue has waited that is due and does not start; the "
                        + MOST_QUEUES + " longest")
                .baseUnit("seconds")
                .register(registry);
    }

    /** Has the counters and gauges show an engine, once it is open; until then they show nothing. */
    public void watch(Tickwheel timers) {
        watched = timers;
    }

    private double stat(ToLongFunction<TickwheelStats> which) {
        Tickwheel timers = watched;
        return timers == null ? 0 : (double) which.applyAsLong(timers.stats());
    }

    private boolean isGone() {
        Tickwheel timers = watched;
        return timers != null && timers.unready().isPresent();
    }

    private double longestWait() {
        Instant now = clock.now();
        return waiting.stream().mapToDouble(queue -> seconds(queue, now)).max().orElse(0);
    }

    /** Has the gauges of queues show those that wait now; to be called before the registry is read. */
    public void refresh() {
        Instant now = clock.now();
        queues.register(
                waiting.stream()
                        .sorted(Comparator.comparing(WaitingQueue::oldest))
                        .limit(MOST_QUEUES)
                        .map(queue -> row(queue, now))
                        .toList(),
                true);
    }

    @Override
    public void ended(Attempt attempt, PastAttempt past) {
        String shown = bounded(attempt.queue());
        attempts.computeIfAbsent(shown, queue -> new ConcurrentHashMap<>())
                .computeIfAbsent(status(past), status -> attempts(shown, status))
                .increment();
    }

    private String bounded(String queue) {
        return attempts.containsKey(queue) || attempts.size() < MOST_QUEUES ? queue : OTHER_QUEUES;
    }

    private Counter attempts(String queue, String status) {
        return Counter.builder("tickwheel.attempts")
                .description("Attempts that have ended and count, by queue and status class")
                .tags("queue", queue, "status", status)
                .register(registry);
    }

    /** As 2xx; of one that had no status, whether it succeeded. */
    private static String status(PastAttempt past) {
        if (past.status() != 0) {
            return past.status() / 100 + "xx";
        }
        return past.hasSucceeded() ? "success" : "error";
    }

    @Override
    public void started(Attempt attempt) {
        Duration late = attempt.lateness();
        lateness.record(late.compareTo(LONGEST_LATENESS) > 0 ? LONGEST_LATENESS : late);
    }

    @Override
    public void waiting(List<WaitingQueue> queues) {
        waiting = queues;
    }

    private static MultiGauge.Row<?> row(WaitingQueue queue, Instant now) {
        Tags tags =
                Tags.of("queue", queue.queue(), "reason", queue.reason().name().toLowerCase(Locale.ROOT));
        return MultiGauge.Row.of(tags, seconds(queue, now));
    }

    private static double seconds(WaitingQueue queue, Instant now) {
        // A store that nodes share may have a clock that is ahead.
        return Math.max(0, now.toEpochMilli() - queue.oldest().toEpochMilli()) / 1_000.0;
    }

    @Override
    public void stopped(Throwable cause) {
        hasStopped = true;
    }

    @Override
    public void synced(long nanos) {
        logSync.record(nanos, TimeUnit.NANOSECONDS);
    }

    private void counter(String name, ToLongFunction<TickwheelStats> which, String description) {
        FunctionCounter.builder("tickwheel." + name, this, metrics -> metrics.stat(which))
                .description(description)
                .register(registry);
    }

    private static Duration[] durations(int[] counts, long unitNanos) {
        Duration[] durations = new Duration[counts.length];
        for (int i = 0; i < counts.length; i++) {
            durations[i] = Duration.ofNanos(counts[i] * unitNanos);
        }
        return durations;
    }
}
