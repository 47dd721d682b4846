package io.tickwheel.stress;

import io.tickwheel.wheel.ExpiryDriver;
import io.tickwheel.wheel.NanoClock;
import io.tickwheel.wheel.RejectionPolicy;
import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimer;
import io.tickwheel.wheel.WheelTimerBuilder;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A timer, a clock that stands still until it is moved, and a driver that does what it must and no more. */
final class Scene implements NanoClock, ExpiryDriver {
    static final Duration FAR = Duration.ofDays(1);

    final AtomicInteger runs = new AtomicInteger();
    final WheelTimer timer;
    private final AtomicBoolean woken = new AtomicBoolean();
    private final AtomicLong nanos = new AtomicLong();
    private volatile @Nullable Expiry expiry;
    private volatile boolean again;

    Scene() {
        this(Integer.MAX_VALUE, 1);
    }

    Scene(int maxPending, int stripes) {
        timer = settings().maxPending(maxPending).stripes(stripes).build();
    }

    /** A timer whose executor refuses everything, for another try a tick later. */
    static Scene refusing() {
        return new Scene(task -> {
            throw new RejectedExecutionException("busy");
        });
    }

    Scene(Executor executor) {
        timer = settings()
                .maxPending(1)
                .stripes(1)
                .executor(executor)
                .onRejection(RejectionPolicy.RETRY)
                .build();
    }

    private WheelTimerBuilder settings() {
        return WheelTimer.builder().clock(this).driver(this);
    }

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public void start(Expiry started) {
        expiry = started;
    }

    @Override
    public void wake(Expiry awake) {
        woken.set(true);
    }

    /** Schedules a task that is due at once; null if it was refused. */
    @Nullable
    Timeout schedule() {
        return schedule(Duration.ZERO);
    }

    @Nullable
    Timeout schedule(Duration delay) {
        try {
            return timer.schedule(runs::incrementAndGet, delay);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    boolean isAccepted(Duration delay) {
        return schedule(delay) != null;
    }

    Timeout scheduled(Duration delay) {
        return timer.schedule(runs::incrementAndGet, delay);
    }

    void expire() {
        woken.set(false);
        Expiry started = expiry;
        if (started != null && !started.isTerminated()) {
            again = started.expireDue() == 0;
        }
    }

    /** What a driver does that was woken, or told to call again, and only then. */
    void expireIfWoken() {
        while ((woken.get() || again) && !timer.isTerminated()) {
            expire();
        }
    }

    /** Lets so much time pass and calls the expiry at its end. */
    void advance(Duration delay) {
        nanos.addAndGet(delay.toNanos());
        expire();
    }

    /** Returns how many more timeouts the timer accepts. */
    int room() {
        int room = 0;
        while (room < 10 && isAccepted(FAR)) {
            room++;
        }
        return room;
    }
}
