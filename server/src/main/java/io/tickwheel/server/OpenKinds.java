package io.tickwheel.server;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.TargetKinds;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The targets and sources of a server, each opened with its settings. Thread-safe. */
final class OpenKinds {

    private static final Logger LOG = LoggerFactory.getLogger(OpenKinds.class);

    private final TargetKinds kinds;
    private final ServerConfig config;
    private final int attemptsInAll;
    private final MetricsPage metrics;
    private final Clock clock;
    private final LongSupplier random;
    private final Map<String, Target> targets = new ConcurrentHashMap<>();
    private final Map<String, Source> sources = new ConcurrentHashMap<>();

    /** @param attemptsInAll how many attempts run at once at most */
    OpenKinds(
            TargetKinds kinds,
            ServerConfig config,
            int attemptsInAll,
            MetricsPage metrics,
            Clock clock,
            LongSupplier random) {
        this.kinds = kinds;
        this.config = config;
        this.attemptsInAll = attemptsInAll;
        this.metrics = metrics;
        this.clock = clock;
        this.random = random;
    }

    /**
     * Opens all targets, and blocks until they are open.
     *
     * @throws StartException when one cannot be opened; those before it stay open
     */
    void targets() {
        kinds.all().forEach(kind -> targets.put(kind.name(), open(kind)));
    }

    /** Has the targets load what their first attempts need, once the server is ready. */
    void prepareTargets() {
        targets.forEach((kind, target) -> {
            try {
                target.prepare();
            } catch (RuntimeException e) {
                // As when the server stops meanwhile.
                LOG.debug("the target {} was not prepared", kind, e);
            }
        });
    }

    void eachTarget(BiConsumer<String, Target> action) {
        targets.forEach(action);
    }

    /**
     * Opens the sources that have a setting, when there is what they schedule in.
     *
     * @return the timers
     * @throws StartException when one cannot be opened; the timers are closed then
     */
    Tickwheel sources(Tickwheel timers) {
        try {
            for (SourceKind kind : kinds.sources()) {
                Map<String, String> options = config.sourceOptions().get(kind.name());
                if (options != null) {
                    Source source = open(kind, options, timers);
                    sources.put(kind.name(), source);
                    metrics.watch(kind.name(), source);
                }
            }
        } catch (StartException e) {
            closeSources();
            timers.close();
            throw e;
        }
        return timers;
    }

    private Source open(SourceKind kind, Map<String, String> options, Tickwheel timers) {
        try {
            return kind.open(new SourceOptions(clock, random, options), timers);
        } catch (RuntimeException e) {
            throw cannotOpen("sources." + kind.name(), e);
        }
    }

    private Target open(TargetKind kind) {
        Map<String, String> options = config.targetOptions().getOrDefault(kind.name(), Map.of());
        try {
            return kind.open(new TargetOptions(clock, attemptsInAll, options));
        } catch (RuntimeException e) {
            throw cannotOpen("targets." + kind.name(), e);
        }
    }

    private static StartException cannotOpen(String place, RuntimeException e) {
        String option = e instanceof InvalidTargetException invalid ? invalid.field() : null;
        String setting = option == null ? place : place + "." + option;
        return new StartException("cannot open " + setting + ": " + Excerpt.sentence(Server.reason(e)), e);
    }

    /** Closes the sources, before the engine that they schedule in. */
    void closeSources() {
        sources.forEach((kind, source) -> {
            try {
                source.close();
            } catch (RuntimeException e) {
                LOG.error("the source {} did not close cleanly", kind, e);
            }
        });
        sources.clear();
    }

    /** Closes what was opened, once. */
    void closeTargets() {
        synchronized (targets) {
            targets.values().forEach(OpenKinds::close);
            targets.clear();
        }
    }

    private static void close(Target target) {
        try {
            target.close();
        } catch (RuntimeException e) {
            LOG.error("a target did not close cleanly", e);
        }
    }
}
