package io.tickwheel.engine;

import io.tickwheel.store.PendingTimer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A running attempt, as its target sees it; brings the first outcome to the loop as a note. */
final class InFlight extends Inbox.Note implements Delivery {

    private static final Duration LONGEST_WAIT = Duration.ofDays(30);

    final Attempt attempt;
    final PendingTimer timer;
    final Lane lane;
    final RetryPolicy retry;
    private final Shard shard;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Outcome outcome = Outcome.FAILED;
    private String reason = "";
    private Duration wait = Duration.ZERO;

    InFlight(Shard shard, Attempt attempt, PendingTimer timer, Lane lane, RetryPolicy retry) {
        this.shard = shard;
        this.attempt = attempt;
        this.timer = timer;
        this.lane = lane;
        this.retry = retry;
    }

    /** How an attempt ended. */
    enum Outcome {
        ACKNOWLEDGED,
        FAILED,
        REJECTED
    }

    @Override
    void take() {
        shard.takeOutcome(this, outcome, reason, wait);
    }

    @Override
    public void acknowledge() {
        end(Outcome.ACKNOWLEDGED, "", Duration.ZERO);
    }

    @Override
    public void fail(String reason) {
        end(Outcome.FAILED, reason, Duration.ZERO);
    }

    @Override
    public void fail(String reason, Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait is " + wait + ", must not be negative");
        }
        end(Outcome.FAILED, reason, wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
    }

    @Override
    public void reject(String reason) {
        end(Outcome.REJECTED, reason, Duration.ZERO);
    }

    private void end(Outcome endedAs, @Nullable String because, Duration waitFor) {
        if (ended.compareAndSet(false, true)) {
            outcome = endedAs;
            reason = String.valueOf(because);
            wait = waitFor;
            shard.attemptEnded(this);
        }
    }
}
