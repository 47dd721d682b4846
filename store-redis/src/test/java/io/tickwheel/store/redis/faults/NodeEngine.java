package io.tickwheel.store.redis.faults;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * A node of a fault test, in whatever process. Its handler tells what comes, and returns at once; but for keys that begin with
 * {@code held} it waits until it is told to go on. Thread-safe.
 */
final class NodeEngine implements AutoCloseable {

    static final String QUEUE = "faults";
    static final String HELD = "held";
    static final int MANY_ATTEMPTS = 256;

    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(3);

    private final String name;
    private final NodeReports reports;
    private final StallWatch watch;
    private final CountDownLatch freed = new CountDownLatch(1);
    private final Tickwheel timers;

    /**
     * @param attempts how many handlers run at once
     */
    NodeEngine(NodeSetup setup, NodeReports reports, int attempts) {
        this.name = setup.name();
        this.reports = reports;
        TimerStore store = setup.store();
        this.watch = new StallWatch((fromMs, toMs) -> reports.stalled(name, fromMs, toMs));
        this.timers = Tickwheel.builder((context, listener) -> store.open(context, new LoadWatch(listener)))
                .listener(new PhaseWatch())
                .drainTimeout(DRAIN_TIMEOUT)
                .attemptsPerQueue(attempts)
                .open();
    }

    /** From now on it delivers. */
    void handle() {
        timers.handle(QUEUE, this::handle);
    }

    private void handle(Attempt attempt) throws InterruptedException {
        String key = attempt.key();
        FaultDelivery delivery = new FaultDelivery(
                name,
                key,
                new String(attempt.payload(), StandardCharsets.UTF_8),
                attempt.id(),
                attempt.version(),
                attempt.number(),
                attempt.dueAt().toEpochMilli(),
                System.currentTimeMillis());
        reports.delivered(delivery);
        reports.reached(NodePhase.RUNNING, key);
        if (key.startsWith(HELD)) {
            freed.await();
        }
        reports.handled(delivery);
    }

    CompletableFuture<FaultAnswer> schedule(String key, String token, long dueAtMs) {
        return timers.schedule(TimerRequest.at(QUEUE, key, Instant.ofEpochMilli(dueAtMs))
                        .withPayload(token.getBytes(StandardCharsets.UTF_8)))
                .handle((scheduled, failure) -> failure == null ? FaultAnswer.of(scheduled) : FaultAnswer.of(failure));
    }

    CompletableFuture<FaultAnswer> cancel(String key) {
        return timers.cancel(QUEUE, key)
                .handle((cancelled, failure) -> failure == null ? FaultAnswer.of(cancelled) : FaultAnswer.of(failure));
    }

    /** What stands under a key. */
    Optional<TimerView> find(String key) {
        return timers.find(QUEUE, key).join();
    }

    /** Lets the handlers of held keys go on, also of those that come. */
    void free() {
        freed.countDown();
    }

    boolean isRunning() {
        return timers.isRunning();
    }

    @Override
    public void close() {
        free();
        timers.close();
        watch.close();
    }

    private final class LoadWatch implements CalendarListener {

        private final CalendarListener listener;

        LoadWatch(CalendarListener listener) {
            this.listener = listener;
        }

        @Override
        public boolean mayStart(Lane lane) {
            return listener.mayStart(lane);
        }

        @Override
        public LoadRoom room() {
            return listener.room();
        }

        @Override
        public void loaded(PendingTimer timer) {
            listener.loaded(timer);
            reports.reached(NodePhase.LOADED, timer.key().key());
        }

        @Override
        public void unloaded(PendingTimer timer) {
            listener.unloaded(timer);
        }
    }

    private final class PhaseWatch implements EngineListener {

        @Override
        public void started(Attempt attempt) {
            reports.reached(NodePhase.CLAIMED, attempt.key());
        }

        @Override
        public void stopped(Throwable cause) {
            StringWriter trace = new StringWriter();
            cause.printStackTrace(new PrintWriter(trace));
            reports.failed(name, trace.toString());
        }

        @Override
        public void delivered(Attempt attempt) {
            // The calendar knows, and has its turn to send it only after this.
            reports.reached(NodePhase.HANDLED, attempt.key());
        }
    }
}
