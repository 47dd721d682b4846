package io.tickwheel.engine.watch;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.TickwheelStats;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what an engine does. The loop counts, and any thread may look. */
public final class EngineCounts implements EngineListener {

    private final AtomicLong scheduled = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();
    private final AtomicLong changed = new AtomicLong();
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong postponed = new AtomicLong();
    private final AtomicLong dead = new AtomicLong();
    private final AtomicLong expired = new AtomicLong();
    private volatile List<WaitingQueue> waiting = List.of();

    public TickwheelStats stats(long live, int running) {
        return new TickwheelStats(
                live,
                running,
                scheduled.get(),
                refused.get(),
                cancelled.get(),
                changed.get(),
                started.get(),
                delivered.get(),
                failed.get(),
                postponed.get(),
                dead.get(),
                expired.get(),
                waiting);
    }

    /** Only the loop writes: an addition that is atomic would cost it several per cent of a delivery. */
    private static void count(AtomicLong number) {
        number.setOpaque(number.getPlain() + 1);
    }

    @Override
    public void scheduled(Scheduled answer) {
        if (answer.outcome() == Scheduled.Outcome.CREATED || answer.outcome() == Scheduled.Outcome.REPLACED) {
            count(scheduled);
        }
    }

    @Override
    public void refused(StoreFullException refusal) {
        count(refused);
    }

    @Override
    public void cancelled(Cancelled answer) {
        if (answer.outcome() == Cancelled.Outcome.CANCELLED
                || answer.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING) {
            count(cancelled);
        }
    }

    @Override
    public void changed(Changed answer) {
        if (answer.outcome() == Changed.Outcome.CHANGED) {
            count(changed);
        }
    }

    @Override
    public void started(Attempt attempt) {
        count(started);
    }

    @Override
    public void delivered(Attempt attempt) {
        count(delivered);
    }

    @Override
    public void failed(Attempt attempt, String reason) {
        count(failed);
    }

    @Override
    public void postponed(Attempt attempt, Instant until, String reason) {
        count(postponed);
    }

    @Override
    public void dead(Attempt attempt, String reason) {
        count(dead);
    }

    @Override
    public void expired(Attempt attempt) {
        count(expired);
    }

    @Override
    public void waiting(List<WaitingQueue> queues) {
        waiting = queues;
    }
}
