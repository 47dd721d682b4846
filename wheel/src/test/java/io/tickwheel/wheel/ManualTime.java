package io.tickwheel.wheel;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A clock and a driver for the tests of one timer: time stands still but in {@link #advance}. For one thread. */
final class ManualTime implements NanoClock, ExpiryDriver {
    private long nanos;
    private @Nullable Expiry expiry;
    private long callAt = Long.MAX_VALUE;
    private int wakeUps;

    /** A timer on this time with a tick of a millisecond. */
    WheelTimerBuilder timerBuilder() {
        return WheelTimer.builder().clock(this).driver(this);
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    /** Lets time pass, and stops wherever the timer wants to be called. */
    void advance(Duration duration) {
        long target = nanos + duration.toNanos();
        while (expiry != null && callAt <= target) {
            nanos = Math.max(nanos, callAt);
            callAt = Long.MAX_VALUE;
            long again = nanos + expiry.expireDue();
            callAt = Math.min(callAt, again < 0 ? Long.MAX_VALUE : again);
        }
        nanos = Math.max(nanos, target);
    }

    void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    /** Lets time pass while nobody looks, as a stalled process or a suspended machine does. */
    void stall(Duration duration) {
        nanos += duration.toNanos();
    }

    /** Calls the timer now, and not again. */
    void expireOnce() {
        Objects.requireNonNull(expiry, "nothing was scheduled").expireDue();
    }

    boolean isStarted() {
        return expiry != null;
    }

    /** How often the timer asked to be called soon. */
    int wakeUps() {
        return wakeUps;
    }

    @Override
    public void start(Expiry started) {
        expiry = started;
        callAt = nanos;
    }

    @Override
    public void wake(Expiry woken) {
        wakeUps++;
        callAt = nanos;
    }
}
