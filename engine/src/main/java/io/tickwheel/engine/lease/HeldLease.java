package io.tickwheel.engine.lease;

import io.tickwheel.engine.attempt.InFlight;
import io.tickwheel.engine.inbox.Alarms;
import java.util.function.Consumer;

/** A lease that a consumer holds, or is about to be given. Owned by the loop. */
final class HeldLease extends Alarms.Alarm {

    /** The bits of its {@link LeaseId} that no other lease of the timer has. */
    final long nonce;

    final InFlight attempt;
    private final Consumer<HeldLease> expired;

    /** Whether its timer was cancelled meanwhile. */
    boolean cancelled;

    HeldLease(long nonce, InFlight attempt, Consumer<HeldLease> expired) {
        this.nonce = nonce;
        this.attempt = attempt;
        this.expired = expired;
    }

    @Override
    public void ring() {
        expired.accept(this);
    }
}
