package io.tickwheel.engine.watch;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes into the log that a store has no room for more timers, with its reason, and that it has some again: each at most once a minute, as a store whose room comes and goes
 * refuses one schedule and takes the next. Owned by the loop.
 */
public final class FullStoreLog implements EngineListener {

    private static final Logger LOG = LoggerFactory.getLogger(FullStoreLog.class);
    private static final long TELL_NANOS = 60_000_000_000L;

    private final Clock clock;
    private boolean told;
    private long tellAtNanos;

    public FullStoreLog(Clock clock) {
        this.clock = clock;
        this.tellAtNanos = clock.monoNanos();
    }

    @Override
    public void refused(StoreFullException refusal) {
        if (told) {
            return;
        }
        long now = clock.monoNanos();
        if (now - tellAtNanos >= 0) {
            told = true;
            tellAtNanos = now + TELL_NANOS;
            LOG.warn("the store has no room for more timers, those that there are go on: {}", refusal.getMessage());
        }
    }

    @Override
    public void scheduled(Scheduled answer) {
        if (told && isNew(answer)) {
            told = false;
            LOG.info("the store has room for timers again");
        }
    }

    /** A schedule that changes nothing is answered as ever while there is no room. */
    private static boolean isNew(Scheduled answer) {
        return answer.outcome() == Scheduled.Outcome.CREATED || answer.outcome() == Scheduled.Outcome.REPLACED;
    }
}
