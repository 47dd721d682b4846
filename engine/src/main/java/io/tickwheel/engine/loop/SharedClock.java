package io.tickwheel.engine.loop;

import io.tickwheel.engine.Clock;
import io.tickwheel.store.StoreClock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The wall clock of a store that several nodes share, with the monotonic clock of this machine. */
record SharedClock(Clock local, StoreClock shared) implements Clock {

    /** The clock that the timers of a calendar are due by. */
    static Clock of(Clock local, @Nullable StoreClock shared) {
        return shared == null ? local : new SharedClock(local, shared);
    }

    @Override
    public Instant now() {
        return shared.at(local.monoNanos());
    }

    @Override
    public long monoNanos() {
        return local.monoNanos();
    }
}
