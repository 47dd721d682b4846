package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what a listener throws away from the loop: measuring must not stop what is measured. */
final class ListenerGuard implements EngineListener {

    private static final Logger LOG = LoggerFactory.getLogger(ListenerGuard.class);

    private final EngineListener listener;

    ListenerGuard(EngineListener listener) {
        this.listener = listener;
    }

    @Override
    public void scheduled(Scheduled scheduled) {
        tell(() -> listener.scheduled(scheduled));
    }

    @Override
    public void refused(StoreFullException refusal) {
        tell(() -> listener.refused(refusal));
    }

    @Override
    public void cancelled(Cancelled cancelled) {
        tell(() -> listener.cancelled(cancelled));
    }

    @Override
    public void started(Attempt attempt) {
        tell(() -> listener.started(attempt));
    }

    @Override
    public void delivered(Attempt attempt) {
        tell(() -> listener.delivered(attempt));
    }

    @Override
    public void failed(Attempt attempt, String reason) {
        tell(() -> listener.failed(attempt, reason));
    }

    @Override
    public void postponed(Attempt attempt, Instant until, String reason) {
        tell(() -> listener.postponed(attempt, until, reason));
    }

    @Override
    public void dead(Attempt attempt, String reason) {
        tell(() -> listener.dead(attempt, reason));
    }

    @Override
    public void expired(Attempt attempt) {
        tell(() -> listener.expired(attempt));
    }

    @Override
    public void waiting(List<WaitingQueue> queues) {
        tell(() -> listener.waiting(queues));
    }

    @Override
    public void synced(long nanos) {
        tell(() -> listener.synced(nanos));
    }

    @Override
    public void stopped(Throwable cause) {
        tell(() -> listener.stopped(cause));
    }

    private static void tell(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A listener of the engine failed", e);
        }
    }
}
