package io.tickwheel.testkit;

import io.tickwheel.engine.Clock;
import io.tickwheel.wheel.ExpiryDriver;
import io.tickwheel.wheel.NanoClock;
import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimer;
import io.tickwheel.wheel.WheelTimerBuilder;
import io.tickwheel.wheel.WheelTimerListener;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A clock that moves only when it is told to. {@link #advance} moves both times; {@link #stepWall} moves the wall clock
 * alone, as an operator or a time server does. Thread-safe.
 *
 * <p>It also drives {@link WheelTimer}s, see {@link #timerBuilder}: advance stops at every deadline on its way and runs
 * there, on the calling thread, what is due, so that a test is a timeline.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * WheelTimer timer = clock.timerBuilder().build();
 * timer.schedule(() -> orders.close(42), Duration.ofMinutes(30));
 * clock.advance(Duration.ofMinutes(29)); // nothing
 * clock.advance(Duration.ofMinutes(1)); // closes the order
 * }</pre>
 */
public final class ManualClock implements Clock, NanoClock, ExpiryDriver, WheelTimerListener {

    private static final long NEVER = Long.MAX_VALUE;

    private Instant now;
    private long monoNanos;
    // When each timer is to be called, in the order in which the timers started.
    private final Map<Expiry, Long> calls = new LinkedHashMap<>();
    private final AtomicBoolean advancing = new AtomicBoolean();
    private @Nullable Throwable thrown;

    /** Starts at the epoch. */
    public ManualClock() {
        this(Instant.EPOCH);
    }

    public ManualClock(Instant now) {
        this.now = now;
    }

    @Override
    public synchronized Instant now() {
        return now;
    }

    @Override
    public synchronized long monoNanos() {
        return monoNanos;
    }

    @Override
    public long nanoTime() {
        return monoNanos();
    }

    /**
     * Returns the builder of a timer that runs on this clock, has no thread, and tells every nanosecond apart: its tasks run
     * in the order of their deadlines, and those of one deadline in the order in which they were scheduled. What a task
     * throws is thrown by {@link #advance}. A builder of another tick does it too, with {@code clock(this)} and
     * {@code driver(this)}, and {@code listener(this)} for what tasks throw.
     */
    public WheelTimerBuilder timerBuilder() {
        return WheelTimer.builder()
                .clock(this)
                .driver(this)
                .listener(this)
                .stripes(1)
                .tick(Duration.ofNanos(1));
    }

    /**
     * Lets time pass, and runs the tasks that come due on its timers, those that these tasks schedule too. Each task finds
     * the clock at its deadline. Tasks that are due now run first, for a duration of zero as well. When a task throws, the
     * others run all the same; then this call throws what the first one threw, with that of the others suppressed.
     *
     * @param duration not negative
     * @throws IllegalStateException if called by a task, or while another thread is inside this call
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration is " + duration + ", must not be negative");
        }
        if (!advancing.compareAndSet(false, true)) {
            throw new IllegalStateException("the clock is being advanced already");
        }
        try {
            long target = Math.addExact(monoNanos(), duration.toNanos());
            for (Optional<Expiry> next = next(target); next.isPresent(); next = next(target)) {
                Expiry expiry = next.get();
                long nanos = expiry.expireDue();
                called(expiry, nanos);
            }
            moveTo(target);
        } finally {
            advancing.set(false);
        }
        throwWhatTasksThrew();
    }

    private void throwWhatTasksThrew() {
        Throwable first = takeThrown();
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException exception) {
            throw exception;
        }
        if (first != null) {
            throw new IllegalStateException("a task has thrown", first);
        }
    }

    private synchronized @Nullable Throwable takeThrown() {
        Throwable first = thrown;
        thrown = null;
        return first;
    }

    @Override
    public synchronized void taskFailed(Timeout timeout, Throwable cause) {
        if (thrown == null) {
            thrown = cause;
        } else if (thrown != cause) {
            thrown.addSuppressed(cause);
        }
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        taskFailed(timeout, cause);
    }

    /** Moves to the timer that is called next, up to the target. */
    private synchronized Optional<Expiry> next(long target) {
        calls.keySet().removeIf(Expiry::isTerminated);
        Optional<Map.Entry<Expiry, Long>> next = calls.entrySet().stream()
                .filter(call -> call.getValue() <= target && call.getValue() != NEVER)
                .min(Map.Entry.comparingByValue());
        next.ifPresent(call -> {
            moveTo(Math.max(monoNanos, call.getValue()));
            call.setValue(NEVER);
        });
        return next.map(Map.Entry::getKey);
    }

    /** Notes when a timer wants to be called again, unless it was woken meanwhile. */
    private synchronized void called(Expiry expiry, long nanos) {
        long again = monoNanos + nanos;
        calls.merge(expiry, again < 0 ? NEVER : again, Math::min);
    }

    private synchronized void moveTo(long nanos) {
        now = now.plusNanos(nanos - monoNanos);
        monoNanos = nanos;
    }

    /** Steps the wall clock, forward or back, while no time passes. */
    public synchronized void stepWall(Duration step) {
        now = now.plus(step);
    }

    @Override
    public synchronized void start(Expiry expiry) {
        calls.put(expiry, monoNanos);
    }

    @Override
    public synchronized void wake(Expiry expiry) {
        calls.computeIfPresent(expiry, (timer, at) -> monoNanos);
    }
}
