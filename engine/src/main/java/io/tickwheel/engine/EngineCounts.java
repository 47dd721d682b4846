package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what an engine does. Any thread may look. */
final class EngineCounts implements EngineListener {

    private final LongAdder scheduled = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder changed = new LongAdder();
    private final LongAdder started = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder postponed = new LongAdder();
    private final LongAdder dead = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private volatile List<WaitingQueue> waiting = List.of();

    TickwheelStats stats(long live, int running) {
        return new TickwheelStats(
                live,
                running,
                scheduled.sum(),
                refused.sum(),
                cancelled.sum(),
                changed.sum(),
                started.sum(),
                delivered.sum(),
                failed.sum(),
                postponed.sum(),
                dead.sum(),
                expired.sum(),
                waiting);
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
    public void changed(Changed answer) {
        if (answer.outcome() == Changed.Outcome.CHANGED) {
            changed.increment();
        }
    }

    @Override
    public void started(Attempt attempt) {
        started.increment();
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
}
