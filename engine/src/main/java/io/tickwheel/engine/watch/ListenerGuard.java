package io.tickwheel.engine.watch;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.engine.bulk.BulkBook;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts, tells each listener, and keeps what one throws away from the loop and from the others: measuring must not stop what is measured. */
public final class ListenerGuard implements EngineListener {

    private static final Logger LOG = LoggerFactory.getLogger(ListenerGuard.class);

    private final EngineCounts counts;
    private final List<EngineListener> listeners;

    public ListenerGuard(EngineCounts counts, List<EngineListener> listeners) {
        this.counts = counts;
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void scheduled(Scheduled scheduled) {
        tell(told -> told.scheduled(scheduled));
    }

    @Override
    public void refused(StoreFullException refusal) {
        tell(told -> told.refused(refusal));
    }

    @Override
    public void cancelled(Cancelled cancelled) {
        tell(told -> told.cancelled(cancelled));
    }

    @Override
    public void changed(Changed changed) {
        tell(told -> told.changed(changed));
    }

    @Override
    public void started(Attempt attempt) {
        tell(attempt, told -> told.started(attempt));
    }

    @Override
    public void ended(Attempt attempt, PastAttempt past) {
        tell(attempt, told -> told.ended(attempt, past));
    }

    @Override
    public void delivered(Attempt attempt) {
        tell(attempt, told -> told.delivered(attempt));
    }

    @Override
    public void failed(Attempt attempt, String reason) {
        tell(attempt, told -> told.failed(attempt, reason));
    }

    @Override
    public void postponed(Attempt attempt, Instant until, String reason) {
        tell(attempt, told -> told.postponed(attempt, until, reason));
    }

    @Override
    public void dead(Attempt attempt, String reason) {
        tell(attempt, told -> told.dead(attempt, reason));
    }

    @Override
    public void expired(Attempt attempt) {
        tell(attempt, told -> told.expired(attempt));
    }

    @Override
    public void waiting(List<WaitingQueue> queues) {
        tell(told -> told.waiting(queues));
    }

    @Override
    public void synced(long nanos) {
        tell(told -> told.synced(nanos));
    }

    @Override
    public void stopped(Throwable cause) {
        tell(told -> told.stopped(cause));
    }

    /** A bulk run is worked on in attempts of its document, which are nobody else's. */
    private void tell(Attempt attempt, Consumer<EngineListener> event) {
        if (!BulkBook.isOne(attempt.timer())) {
            tell(event);
        }
    }

    private void tell(Consumer<EngineListener> news) {
        news.accept(counts);
        for (EngineListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (RuntimeException | Error e) {
                LOG.error("A listener of the engine failed", e);
            }
        }
    }
}
