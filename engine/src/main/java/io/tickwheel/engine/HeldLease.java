package io.tickwheel.engine;

import java.util.function.Consumer;

/** A lease that a consumer holds, or is about to be given. Owned by the loop. */
final class HeldLease extends Alarms.Alarm {

    final String id;
    final InFlight attempt;
    private final Consumer<HeldLease> expired;

    /** Whether its timer was cancelled meanwhile. */
    boolean cancelled;

    HeldLease(String id, InFlight attempt, Consumer<HeldLease> expired) {
        this.id = id;
        this.attempt = attempt;
        this.expired = expired;
    }

    @Override
    void ring() {
        expired.accept(this);
    }
}
