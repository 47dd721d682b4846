package io.tickwheel.wheel;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until a test moves it, and a strict driver: it calls the expiry when it was woken and when the
 * time has come that the last call named, and at no other time. A wake-up that is forgotten is a timeout that stays out.
 */
final class StrictTime implements NanoClock, ExpiryDriver {
    private final AtomicLong nanos;
    private final AtomicBoolean woken = new AtomicBoolean();
    private volatile @Nullable Expiry expiry;
    private long asleepSince;
    private long asleepFor = Long.MAX_VALUE;
    private long calls;

    StrictTime(long startNanos) {
        nanos = new AtomicLong(startNanos);
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public void start(Expiry started) {
        assert expiry == null : "started twice";
        expiry = started;
    }

    @Override
    public void wake(Expiry awake) {
        assert awake == expiry : "woken before it was started";
        woken.set(true);
    }

    /** Moves the clock only, as a thread does that is kept from running. */
    void pass(long delayNanos) {
        nanos.addAndGet(delayNanos);
    }

    /** Moves the clock and stops on the way wherever the expiry wants to be called. */
    void advance(long delayNanos) {
        long target = nanoTime() + delayNanos;
        expireIfDue();
        while (isRunning() && untilDue() <= target - nanoTime()) {
            pass(untilDue());
            expireIfDue();
        }
        pass(Math.max(0, target - nanoTime()));
        expireIfDue();
    }

    /** Calls the expiry for as long as there is a reason to. */
    void expireIfDue() {
        while (isDue()) {
            expire();
        }
    }

    boolean isDue() {
        return isRunning() && (woken.get() || untilDue() <= 0);
    }

    private boolean isRunning() {
        Expiry started = expiry;
        return started != null && !started.isTerminated();
    }

    private long untilDue() {
        return asleepFor == Long.MAX_VALUE ? Long.MAX_VALUE : asleepFor - (nanoTime() - asleepSince);
    }

    /** Calls the expiry, whether there is a reason to or not. */
    void expire() {
        Expiry started = expiry;
        if (started == null) {
            return;
        }
        woken.set(false);
        calls++;
        long wait = started.expireDue();
        assert wait >= 0 : wait;
        asleepSince = nanoTime();
        asleepFor = wait;
    }

    /** Returns how often the expiry was called. */
    long calls() {
        return calls;
    }

    boolean isWoken() {
        return woken.get();
    }
}
