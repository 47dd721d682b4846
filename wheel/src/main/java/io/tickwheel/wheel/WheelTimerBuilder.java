package io.tickwheel.wheel;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link WheelTimer}. Every one has a default; a wrong value is refused at once. Not thread-safe. */
public final class WheelTimerBuilder {
    private static final int MAX_STRIPES = 64;

    private static final AtomicInteger UNNAMED = new AtomicInteger();

    private @Nullable String name;
    private NanoClock clock = NanoClock.system();
    private long tickNanos = 1_000_000;
    private int stripes = defaultStripes();
    private @Nullable Executor executor;
    private RejectionPolicy onRejection = RejectionPolicy.FAIL;
    private @Nullable WheelTimerListener listener;
    private long slackNanos;
    private int maxPending = Integer.MAX_VALUE;
    private long maxPendingWaitNanos;
    private @Nullable ThreadFactory threads;
    private @Nullable ExpiryDriver driver;

    WheelTimerBuilder() {}

    /**
     * What the timer is called: the name of its expiry thread, unless {@link #threadFactory} makes that, and of the timer in its log
     * lines. By default {@code wheel-timer-1}, {@code wheel-timer-2} and so on.
     *
     * @param name not blank
     */
    public WheelTimerBuilder name(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name is '" + name + "', must not be blank");
        }
        this.name = name;
        return this;
    }

    /**
     * How finely deadlines are told apart. Every deadline is rounded up to a whole tick, and the expiry thread wakes once
     * for all that share one. From a nanosecond to a day; a millisecond by default.
     */
    public WheelTimerBuilder tick(Duration tick) {
        if (tick.compareTo(Duration.ofNanos(1)) < 0 || tick.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("tick is " + tick + ", must be from PT0.000000001S to PT24H");
        }
        tickNanos = tick.toNanos();
        return this;
    }

    /**
     * Over how many wheels, each with a lock, the scheduling threads are spread: a power of two from 1 to 64. By default
     * at least twice the number of processors. With one stripe timeouts of a tick run in the order in which they were
     * scheduled by whatever thread.
     */
    public WheelTimerBuilder stripes(int stripes) {
        if (stripes < 1 || stripes > MAX_STRIPES || Integer.bitCount(stripes) != 1) {
            throw new IllegalArgumentException(
                    "stripes is " + stripes + ", must be a power of two from 1 to " + MAX_STRIPES);
        }
        this.stripes = stripes;
        return this;
    }

    /**
     * What runs the tasks. By default the expiry thread itself, where each task delays those behind it. The executor must
     * not run a task on the thread that calls it, unless that may be the expiry thread.
     */
    public WheelTimerBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Runs each task on a virtual thread of its own.
     *
     * @throws UnsupportedOperationException before Java 21
     */
    @SuppressForbidden(reason = "this is where the user asks for threads")
    public WheelTimerBuilder virtualThreads() {
        try {
            return executor((Executor)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            throw new UnsupportedOperationException(
                    "virtual threads need Java 21, this is " + Runtime.version().feature(), e);
        }
    }

    /** What becomes of a task that the executor refuses: {@link RejectionPolicy#FAIL} by default. */
    public WheelTimerBuilder onRejection(RejectionPolicy policy) {
        this.onRejection = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /** Who is told of tasks that throw or are refused. By default they are logged. */
    public WheelTimerBuilder listener(WheelTimerListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * By how much a timeout may be later than asked, so that several share a wake-up, where the call does not say it. Zero
     * by default. Periodic timeouts have none.
     */
    public WheelTimerBuilder slack(Duration slack) {
        if (slack.isNegative()) {
            throw new IllegalArgumentException("slack is " + slack + ", must not be negative");
        }
        slackNanos = Durations.nanos(slack);
        return this;
    }

    /**
     * How many timeouts may be pending, 1 or more; one more is refused. Periodic ones count until they end. The limit is
     * exact, but that timeouts which {@link RejectionPolicy#RETRY} puts back are pending again, whatever the limit. Without a
     * limit, the default, no two threads write the same counter; with one they do.
     */
    public WheelTimerBuilder maxPending(int maxPending) {
        if (maxPending < 1) {
            throw new IllegalArgumentException("maxPending is " + maxPending + ", must be 1 or more");
        }
        this.maxPending = maxPending;
        return this;
    }

    /**
     * How long a schedule call waits for another timeout to end before it is refused for too many. Zero by default. On the
     * expiry thread it does not wait, as nothing would end meanwhile.
     */
    public WheelTimerBuilder maxPendingWait(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait is " + wait + ", must not be negative");
        }
        maxPendingWaitNanos = Durations.nanos(wait);
        return this;
    }

    /** What makes the expiry thread. By default a daemon thread, called as the timer is. It must not be a virtual thread. */
    public WheelTimerBuilder threadFactory(ThreadFactory threads) {
        this.threads = Objects.requireNonNull(threads, "threads");
        return this;
    }

    /** The clock. */
    public WheelTimerBuilder clock(NanoClock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /** What runs the expiry, instead of a thread of the timer's own. */
    public WheelTimerBuilder driver(ExpiryDriver driver) {
        this.driver = Objects.requireNonNull(driver, "driver");
        return this;
    }

    /** Makes the timer. No thread is started before something is scheduled. */
    public WheelTimer build() {
        return new WheelTimer(settings());
    }

    /** Returns what was set so far, as one value for one timer. */
    TimerSettings settings() {
        String called = name == null ? "wheel-timer-" + UNNAMED.incrementAndGet() : name;
        return new TimerSettings(
                called,
                clock,
                tickNanos,
                stripes,
                executor,
                onRejection,
                listener == null ? new LoggingListener(called) : listener,
                slackNanos,
                maxPending,
                maxPendingWaitNanos,
                driver == null ? new ExpiryThread(threads == null ? loop -> daemon(loop, called) : threads) : driver);
    }

    private static int defaultStripes() {
        int processors = Math.min(MAX_STRIPES / 2, Runtime.getRuntime().availableProcessors());
        return Integer.highestOneBit(2 * processors - 1) << 1;
    }

    // The usual priority instead of an inherited one: nothing relies on it.
    @SuppressWarnings("ThreadPriorityCheck")
    @SuppressForbidden(reason = "the default of the thread factory")
    private static Thread daemon(Runnable loop, String name) {
        // It must not keep what the thread that happens to schedule first has: thread-locals, class loader, priority.
        Thread thread = new Thread(null, loop, name, 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return thread;
    }
}
