package io.tickwheel.wheel.netty;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.tickwheel.wheel.RejectionPolicy;
import io.tickwheel.wheel.WheelTimer;
import io.tickwheel.wheel.WheelTimerBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Netty's {@link Timer} over a {@link WheelTimer}: put it where a {@code HashedWheelTimer} was. Scheduling and cancelling
 * are O(1); a cancelled timeout leaves at once; the thread sleeps while nothing is due. Nothing is ever early, and late by
 * less than a tick, the time it takes to wake a thread and the tasks before it. Thread-safe. For Netty 4.2 and 4.1.
 *
 * <p>The constructors, their checks and the exceptions are those of {@code HashedWheelTimer}. What differs:
 *
 * <ul>
 *   <li>The default tick is 1 ms, not 100: no tick costs anything in which nothing is due. A tick that is given is kept:
 *       it is by how much a timeout may be late, and how far apart wake-ups are at least.
 *   <li>{@code ticksPerWheel} is checked and has no effect. This wheel has levels, and no size to choose.
 *   <li>{@link Timeout#cancel} also wins over a timeout that waits for a thread of the task executor. It frees its place
 *       under {@code maxPendingTimeouts} before it returns. {@link TimerTask#cancelled}, which Netty 4.1 has not, is
 *       called soon after, on the timer's thread, as there.
 *   <li>{@link #stop} waits for the task that is running, and interrupts it until it ends, as there, but for those of the executor.
 *   <li>A task that the executor refuses is logged as an error; there, as a warning.
 * </ul>
 */
public final class NettyWheelTimer implements Timer {
    /*
     *     newTimeout --> NettyTimeout, in the WheelTimer --(when due)--> runs on the TimerThread, or is handed to the executor
     *     cancel     --> leaves the WheelTimer; if its task overrides cancelled(): --> TimerThread
     *
     * The thread does not refer to this object, only pending timeouts do: a timer that was forgotten without a stop becomes
     * garbage, and the leak detector can tell.
     */
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(NettyWheelTimer.class);
    private static final ResourceLeakDetector<NettyWheelTimer> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(NettyWheelTimer.class, 1);

    private static final int DEFAULT_TICKS_PER_WHEEL = 512;
    private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_TICK_NANOS = TimeUnit.DAYS.toNanos(1);

    static {
        // A class whose initialisation meets the end of the stack can never be used again.
        CancelledCallback.isOverriddenBy(timeout -> {});
    }

    private final WheelTimer timer;
    private final TimerThread thread;
    private final TaskLog log;
    private final @Nullable ResourceLeakTracker<NettyWheelTimer> leak;
    private final AtomicBoolean stopped = new AtomicBoolean();

    /** Makes a timer with a tick of a millisecond, and a thread that is not a daemon. */
    public NettyWheelTimer() {
        this(defaultThreadFactory());
    }

    /** As {@link #NettyWheelTimer(ThreadFactory, long, TimeUnit)}, with a thread that is not a daemon. */
    public NettyWheelTimer(long tickDuration, TimeUnit unit) {
        this(defaultThreadFactory(), tickDuration, unit);
    }

    /** As {@link #NettyWheelTimer(ThreadFactory, long, TimeUnit, int)}, with a thread that is not a daemon. */
    public NettyWheelTimer(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        this(defaultThreadFactory(), tickDuration, unit, ticksPerWheel);
    }

    /** As {@link #NettyWheelTimer(ThreadFactory, long, TimeUnit)}, with a tick of a millisecond. */
    public NettyWheelTimer(ThreadFactory threadFactory) {
        this(threadFactory, MIN_TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    /** Makes a timer with leak detection and without a limit, whose thread runs the tasks. */
    public NettyWheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit) {
        this(threadFactory, tickDuration, unit, DEFAULT_TICKS_PER_WHEEL);
    }

    /** Makes a timer with leak detection and without a limit, whose thread runs the tasks. */
    public NettyWheelTimer(ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, true);
    }

    /** Makes a timer without a limit, whose thread runs the tasks. */
    public NettyWheelTimer(
            ThreadFactory threadFactory, long tickDuration, TimeUnit unit, int ticksPerWheel, boolean leakDetection) {
        this(threadFactory, tickDuration, unit, ticksPerWheel, leakDetection, -1);
    }

    /** Makes a timer whose thread runs the tasks. */
    public NettyWheelTimer(
            ThreadFactory threadFactory,
            long tickDuration,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPendingTimeouts) {
        this(
                threadFactory,
                tickDuration,
                unit,
                ticksPerWheel,
                leakDetection,
                maxPendingTimeouts,
                ImmediateExecutor.INSTANCE);
    }

    /**
     * Makes a timer. Its thread is made now, and started by {@link #start} or the first timeout.
     *
     * @param threadFactory makes the one thread of the timer
     * @param tickDuration how finely deadlines are told apart, above zero: they are rounded up to a whole tick. Less than a
     *     millisecond is taken as one, with a warning; more than a day as a day
     * @param unit the unit of {@code tickDuration}
     * @param ticksPerWheel above zero, and of no effect
     * @param leakDetection whether Netty's {@link ResourceLeakDetector} reports the timer if it becomes garbage without a
     *     {@link #stop}; it always does if the thread is not a daemon. There a timer is kept from becoming garbage by its
     *     thread, once that runs; here it is not
     * @param maxPendingTimeouts how many timeouts may be pending; zero or less for no limit, and so is
     *     {@code Integer.MAX_VALUE} or more
     * @param taskExecutor what runs the tasks; {@link ImmediateExecutor} for the thread of the timer, where each delays
     *     those behind it. It is not shut down by the timer
     * @throws NullPointerException if an argument is null, or the thread that was made
     * @throws IllegalArgumentException if {@code tickDuration} or {@code ticksPerWheel} is not above zero, or if together
     *     they are too long for 63 bits of nanoseconds
     */
    public NettyWheelTimer(
            ThreadFactory threadFactory,
            long tickDuration,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPendingTimeouts,
            Executor taskExecutor) {
        Objects.requireNonNull(threadFactory, "threadFactory");
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(taskExecutor, "taskExecutor");
        long tickNanos = checkedTickNanos(tickDuration, unit, ticksPerWheel);
        thread = new TimerThread(threadFactory);
        log = new TaskLog(thread.name());
        WheelTimerBuilder settings = WheelTimer.builder()
                .tick(Duration.ofNanos(tickNanos))
                .driver(thread)
                .onRejection(RejectionPolicy.FAIL)
                .name(thread.name())
                .listener(log);
        if (taskExecutor != ImmediateExecutor.INSTANCE) {
            settings.executor(taskExecutor);
        }
        if (maxPendingTimeouts > 0) {
            settings.maxPending((int) Math.min(Integer.MAX_VALUE, maxPendingTimeouts));
        }
        timer = settings.build();
        leak = leakDetection || !thread.isDaemon() ? LEAKS.track(this) : null;
    }

    private static ThreadFactory defaultThreadFactory() {
        return new DefaultThreadFactory(NettyWheelTimer.class);
    }

    private static long checkedTickNanos(long tickDuration, TimeUnit unit, int ticksPerWheel) {
        if (tickDuration <= 0) {
            throw new IllegalArgumentException("tickDuration is " + tickDuration + ", must be above zero");
        }
        if (ticksPerWheel <= 0) {
            throw new IllegalArgumentException("ticksPerWheel is " + ticksPerWheel + ", must be above zero");
        }
        long tickNanos = unit.toNanos(tickDuration);
        // There the wheel has a power of two of slots, and one round of it must be a time.
        long slots = 1L << (Integer.SIZE - Integer.numberOfLeadingZeros(ticksPerWheel - 1));
        long limit = Long.MAX_VALUE / slots;
        if (tickNanos >= limit) {
            throw new IllegalArgumentException(
                    "tickDuration is " + tickDuration + " " + unit + ", must be below " + limit + " ns");
        }
        if (tickNanos < MIN_TICK_NANOS) {
            LOG.warn("A tick of {} ns is too short, it is taken as {} ns", tickNanos, MIN_TICK_NANOS);
        }
        return Math.min(MAX_TICK_NANOS, Math.max(MIN_TICK_NANOS, tickNanos));
    }

    /**
     * Starts the thread now, which the first timeout does otherwise. Does not wait for it. May be called again.
     *
     * @throws IllegalStateException if the timer was stopped
     */
    public void start() {
        if (stopped.get() || !thread.start()) {
            throw refusal(null);
        }
    }

    /**
     * Runs a task once.
     *
     * @param delay zero or less is due at once, but never runs on the calling thread; one too long for 63 bits of
     *     nanoseconds (292 years) never comes
     * @throws IllegalStateException if the timer was stopped
     * @throws RejectedExecutionException if too many timeouts are pending
     */
    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(unit, "unit");
        NettyTimeout timeout = new NettyTimeout(this, task);
        try {
            timer.start(timeout, delay, unit);
        } catch (RejectedExecutionException refused) {
            if (timer.isShutdown()) {
                throw refusal(refused);
            }
            throw refused;
        }
        return timeout;
    }

    private static IllegalStateException refusal(@Nullable Throwable cause) {
        return new IllegalStateException("the timer was stopped", cause);
    }

    /** Returns how many timeouts wait for their deadline. A cancelled one does not, from when {@code cancel} returns. */
    public long pendingTimeouts() {
        return timer.pending();
    }

    /**
     * Refuses new timeouts, cancels those that are pending, and waits for the thread of the timer to end, and so for the
     * task that it is running. That thread is interrupted, and again every 100 ms until it ends, so that a task that waits
     * is not waited for. The threads of the task executor are not, nor are their tasks waited for. An interrupt of the calling
     * thread is kept for later. {@link TimerTask#cancelled} is not called for what is cancelled here, as there: the caller has
     * it in hand.
     *
     * @return what was cancelled by this call; nothing if the timer was stopped before, or is being stopped
     * @throws IllegalStateException if called on the thread of the timer, which is inside a task
     */
    @Override
    public Set<Timeout> stop() {
        if (thread.isCurrent()) {
            throw new IllegalStateException("a timer cannot be stopped from its own thread");
        }
        if (!stopped.compareAndSet(false, true)) {
            return Collections.emptySet();
        }
        try {
            return cancelPending();
        } finally {
            thread.stop();
            if (leak != null) {
                leak.close(this);
            }
        }
    }

    private Set<Timeout> cancelPending() {
        Set<Timeout> cancelled = new HashSet<>();
        for (Runnable pending : timer.shutdownNow()) {
            cancelled.add((NettyTimeout) pending);
        }
        return cancelled;
    }

    WheelTimer wheel() {
        return timer;
    }

    TaskLog log() {
        return log;
    }

    /** Sees to it that the thread of the timer tells the task. */
    void tellCancelled(NettyTimeout timeout) {
        thread.tellCancelled(timeout);
    }
}
