package io.tickwheel.wheel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks at their deadlines: many threads schedule and cancel, one thread expires. Schedule, cancel and reschedule are
 * O(1); nothing is ever early, and late by less than a tick, the time it takes to wake a thread and the tasks before it.
 * Thread-safe. Order, among the timeouts that one thread has scheduled (all threads with one
 * {@linkplain WheelTimerBuilder#stripes stripe}): by tick, and within a tick in the order of the schedule calls. Deadlines are monotonic time, not wall-clock time.
 */
public final class WheelTimer implements AutoCloseable {
    /*
     *     thread A --schedule--> [ stripe 0: lock, wheel, nextTick ] <--.
     *     thread B --schedule--> [ stripe 1: lock, wheel, nextTick ] <--+-- expiry loop --> executor, or runs the task
     *     thread C --cancel----> [ the stripe of the timeout       ] <--'   sleeps until the least nextTick
     *
     * A thread takes the lock of one stripe, for a few writes, and touches nothing that threads of other stripes write. Where it is
     * taken, a new timeout is left in the inbox of the stripe.
     * The expiry loop reads the next tick of every stripe without a lock and locks only those that are due, for a bounded
     * advance each. Tasks run without a lock. The thread is started by the first schedule, and is woken only for a
     * deadline that is earlier than all others: the timeout of a request, which comes behind those before it and is
     * cancelled in the end, wakes nobody.
     */
    static {
        Rehearsal.run();
    }

    private final TimerCore core;
    private final TickClock ticks;
    private final TimerLifecycle lifecycle;
    private final Stripe[] stripes;
    private final int stripeShift;
    private final @Nullable PendingLimit permits;
    private final long permitWaitNanos;

    WheelTimer(TimerSettings settings) {
        this(settings, () -> {});
    }

    /**
     * Makes a timer.
     *
     * @param onTerminated called once when the timer is terminated
     */
    WheelTimer(TimerSettings settings, Runnable onTerminated) {
        lifecycle = new TimerLifecycle(settings, onTerminated);
        core = lifecycle.core();
        ticks = core.ticks;
        stripes = lifecycle.stripes();
        stripeShift = Long.numberOfLeadingZeros(stripes.length - 1L);
        permits = core.permits;
        permitWaitNanos = settings.maxPendingWaitNanos();
    }

    /**
     * Makes a timer with a tick of a millisecond that runs tasks on its own thread. A timer that was used has to be closed:
     * its thread, a daemon, keeps it alive. One timer for the whole program is usual.
     */
    public static WheelTimer create() {
        return builder().build();
    }

    public static WheelTimerBuilder builder() {
        return new WheelTimerBuilder();
    }

    /**
     * Runs a task once, {@code delay} from now.
     *
     * @param delay zero or less is due at once, but never runs on the calling thread; one too long for 63 bits of
     *     nanoseconds (292 years) never comes
     * @throws RejectedExecutionException if the timer is closed, has failed, or has too many pending timeouts
     */
    public Timeout schedule(Runnable task, Duration delay) {
        return schedule(task, Durations.nanos(delay), TimeUnit.NANOSECONDS);
    }

    /** As {@link #schedule(Runnable, Duration)}, without the object. */
    public Timeout schedule(Runnable task, long delay, TimeUnit unit) {
        Objects.requireNonNull(task, "task");
        long elapsed = ticks.elapsedNanos();
        long deadline = TickClock.after(elapsed, unit.toNanos(delay));
        OneShot node = new OneShot(stripe(), task);
        start(node, core.tickWithSlack(deadline), elapsed);
        return node;
    }

    /**
     * Runs a task once, {@code delay} from now, or up to {@code slack} later if other timeouts can then share the wake-up:
     * the deadline is moved to the roundest tick of that range.
     *
     * @param slack not negative
     */
    public Timeout schedule(Runnable task, Duration delay, Duration slack) {
        Objects.requireNonNull(task, "task");
        if (slack.isNegative()) {
            throw new IllegalArgumentException("slack is " + slack + ", must not be negative");
        }
        long elapsed = ticks.elapsedNanos();
        long deadline = TickClock.after(elapsed, Durations.nanos(delay));
        OneShot node = new OneShot(stripe(), task);
        start(node, ticks.tickWithin(deadline, Durations.nanos(slack)), elapsed);
        return node;
    }

    /**
     * Runs a task again and again: {@code initialDelay} from now, and then every {@code period} from that first deadline.
     * It never drifts, and never runs twice at a time: runs that come due while the task still runs, or while the machine
     * sleeps, are left out. A task that throws ends it.
     *
     * @param period above zero
     */
    public Timeout scheduleAtFixedRate(Runnable task, Duration initialDelay, Duration period) {
        return schedulePeriodic(task, initialDelay, period, Periodic.Rule.FIXED_RATE);
    }

    /**
     * Runs a task again and again: {@code initialDelay} from now, and then {@code delay} after each end of it. A task that
     * throws ends it.
     *
     * @param delay above zero
     */
    public Timeout scheduleWithFixedDelay(Runnable task, Duration initialDelay, Duration delay) {
        return schedulePeriodic(task, initialDelay, delay, Periodic.Rule.FIXED_DELAY);
    }

    private Timeout schedulePeriodic(Runnable task, Duration initialDelay, Duration period, Periodic.Rule rule) {
        Objects.requireNonNull(task, "task");
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException("period is " + period + ", must be above zero");
        }
        long elapsed = ticks.elapsedNanos();
        long deadline = TickClock.after(elapsed, Durations.nanos(initialDelay));
        Periodic node = new Periodic(stripe(), task, rule, Durations.nanos(period), deadline);
        start(node, ticks.tickFrom(deadline), elapsed);
        return node;
    }

    /**
     * Starts a timeout that is its own task: it expires once, {@code delay} from now, as with {@link #schedule(Runnable, long,
     * TimeUnit)}. No other object is made.
     *
     * @throws IllegalStateException if it was started or cancelled before
     * @throws IllegalArgumentException if it was made for another timer
     * @throws RejectedExecutionException if the timer is closed, has failed, or has too many pending timeouts
     */
    public void start(TimeoutNode timeout, long delay, TimeUnit unit) {
        long elapsed = ticks.elapsedNanos();
        long deadline = TickClock.after(elapsed, unit.toNanos(delay));
        if (timeout.stripe.core != core) {
            throw new IllegalArgumentException(
                    "timeout is of " + timeout.stripe.core.name() + ", not of " + core.name());
        }
        boolean isNew = timeout.isUnbound();
        if (!isNew || !enter(timeout, core.tickWithSlack(deadline), elapsed)) {
            throw isNew && isShutdown()
                    ? refusal()
                    : new IllegalStateException("timeout was started or cancelled before: " + timeout);
        }
    }

    /** Returns the stripe of the calling thread. */
    Stripe stripe() {
        // Fibonacci hashing: threads that were made one after the other come to different stripes.
        long hash = Thread.currentThread().getId() * 0x9E3779B97F4A7C15L;
        return stripes[(int) (hash >>> stripeShift) & (stripes.length - 1)];
    }

    private void start(TimerNode node, long tick, long elapsedNanos) {
        if (!enter(node, tick, elapsedNanos)) {
            throw refusal();
        }
    }

    /** Puts a new node into its wheel once it is admitted; false if it was started or cancelled before, or the timer is closed. */
    private boolean enter(TimerNode node, long tick, long elapsedNanos) {
        admit();
        boolean entered = false;
        try {
            entered = (lifecycle.isStarted() || lifecycle.start()) && node.stripe.scheduleNew(node, tick, elapsedNanos);
        } finally {
            if (!entered) {
                dismiss();
            }
        }
        return entered;
    }

    /** Takes a place among those that may be pending; waits for one if it has to. */
    void admit() {
        if (permits != null) {
            // A place that was taken must be given back, also where the stack ends.
            StackReserve.touch();
            acquirePermit(permits);
        }
    }

    /** Takes a place as {@link #admit} does, if there is one. */
    boolean admitNow() {
        if (permits == null) {
            return true;
        }
        StackReserve.touch();
        return permits.tryAcquire();
    }

    /** Takes a place that may not be there. */
    void admitBeyondLimit() {
        core.retried();
    }

    /** Gives back the place of a timeout that was admitted and did not start. */
    void dismiss() {
        if (permits != null) {
            permits.release();
        }
    }

    /** Starts a timeout that was admitted. Does not wait. */
    void startAdmitted(TimerNode node, long delayNanos) {
        long elapsed = ticks.elapsedNanos();
        startAdmitted(node, core.tickWithSlack(TickClock.after(elapsed, delayNanos)), elapsed);
    }

    private void startAdmitted(TimerNode node, long tick, long elapsedNanos) {
        if (!arm(node, tick, elapsedNanos)) {
            throw refusal();
        }
    }

    /** Puts a node into its wheel; false if it was cancelled before, or the timer is closed. No permit is taken. */
    boolean arm(TimerNode node, long tick, long elapsedNanos) {
        return (lifecycle.isStarted() || lifecycle.start()) && node.stripe.schedule(node, tick, elapsedNanos);
    }

    /** The thread of the expiry may not: while it waits, nothing ends. */
    private boolean mayWait() {
        return permitWaitNanos > 0 && !lifecycle.loop().isRunBy(Thread.currentThread());
    }

    private void acquirePermit(PendingLimit limit) {
        try {
            if (limit.tryAcquire() || (mayWait() && limit.tryAcquire(permitWaitNanos, TimeUnit.NANOSECONDS))) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RejectedExecutionException("interrupted while too many timeouts were pending", e);
        }
        throw new RejectedExecutionException("too many timeouts are pending, see maxPending");
    }

    TimerCore core() {
        return core;
    }

    /** Makes the exception for a timeout that comes too late, with why. */
    RejectedExecutionException refusal() {
        return lifecycle.refusal();
    }

    /** Returns how many timeouts wait for their deadline. Exact while nobody schedules, cancels or expires. */
    public long pending() {
        return lifecycle.totals().pending();
    }

    /** Returns the tasks that wait for their deadlines, in no order. Each stripe is held up while it is looked through. */
    List<Runnable> pendingTasks() {
        List<Runnable> tasks = new ArrayList<>();
        for (Stripe stripe : stripes) {
            stripe.addTasksTo(tasks);
        }
        return tasks;
    }

    public WheelTimerMetrics metrics() {
        StripeTotals totals = lifecycle.totals();
        ExpiryCounters counters = lifecycle.loop().counters;
        return new WheelTimerMetrics(
                totals.pending(),
                totals.scheduled(),
                totals.cancelled(),
                counters.expired(),
                core.failed(),
                core.rejected(),
                counters.wakeUps(),
                counters.spuriousWakeUps(),
                counters.lateness());
    }

    /**
     * Refuses new timeouts from now on. Those that are pending expire at their deadlines, periodic ones a last time. Does
     * not wait; {@link #awaitTermination} does.
     */
    public void shutdown() {
        lifecycle.shutdown();
    }

    /**
     * Refuses new timeouts from now on and cancels those that are pending. Tasks that have started, or wait for a thread
     * of the executor, are not touched, and no thread is interrupted. Does not wait.
     *
     * @return the tasks that were cancelled by this call: every task that was accepted has started or will, or is in this
     *     list, or was cancelled
     */
    public List<Runnable> shutdownNow() {
        return lifecycle.shutdownNow();
    }

    /** {@link #shutdownNow} for try-with-resources. Does not wait for tasks that have started. */
    @Override
    public void close() {
        shutdownNow();
    }

    public boolean isShutdown() {
        return lifecycle.isClosing();
    }

    /** Returns whether the timer is closed, nothing is pending and the expiry has nothing left to do. */
    public boolean isTerminated() {
        return lifecycle.isTerminated();
    }

    /**
     * Waits until the timer {@linkplain #isTerminated is terminated}. Tasks on an executor may run on.
     *
     * @return false if the time was too short
     */
    public boolean awaitTermination(Duration timeout) throws InterruptedException {
        return lifecycle.awaitTermination(Durations.nanos(timeout));
    }
}
