package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ScheduledExecutorService} over a {@link WheelTimer}, to be put where a
 * {@link java.util.concurrent.ScheduledThreadPoolExecutor} is: schedule and cancel are O(1), and nothing is kept of a
 * cancelled task. Never early; late by less than a tick, and what the task waits for a thread. Thread-safe. Order: by
 * tick, and within a tick in the order of the calls of a thread; what is due at once goes straight to the workers.
 *
 * <p>It behaves as that class does: the exceptions and their order, the futures, the policies of
 * {@link #shutdown}, the tasks that {@link #shutdownNow} returns, the runs at a fixed rate that are made up for. What
 * differs:
 *
 * <ul>
 *   <li>Tasks wait for a worker in the order in which they came due, and not in that of their deadlines: a periodic task
 *       that lags behind queues at the tail.
 *   <li>The user's task is always let go on cancel. If it waited for its deadline, nothing is left of it; if it waited
 *       for a worker, an empty future is, until the worker comes to it.
 *   <li>A second thread, a daemon, waits for the deadlines. It is started by the first task with a delay, together with
 *       the first worker, which keeps the process alive as it does there.
 * </ul>
 */
public final class WheelScheduledExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    private static final long IDLE_MS_WITHOUT_CORE = 10;

    private final ExecutorService workers;
    private final WheelTimer timer;
    private final ScheduledTasks tasks;

    /**
     * Makes an executor with a tick of a millisecond and threads of {@link Executors#defaultThreadFactory}.
     *
     * @param threads how many workers, from 0: with 0 there is one, which ends when it has nothing to do, and no thread
     *     keeps the process alive for a task that is not due yet
     */
    @SuppressForbidden(reason = "the default of the thread factory")
    public WheelScheduledExecutor(int threads) {
        this(threads, Executors.defaultThreadFactory());
    }

    /**
     * Makes an executor with a tick of a millisecond and workers from a factory.
     *
     * @param threads how many workers, from 0
     */
    public WheelScheduledExecutor(int threads, ThreadFactory threadFactory) {
        this(threads, threadFactory, WheelTimer.builder());
    }

    /**
     * Makes an executor with workers from a factory, and a timer with its own tick, clock or stripes.
     *
     * @param threads how many workers, from 0
     * @param timer as in {@link #WheelScheduledExecutor(ExecutorService, WheelTimerBuilder)}
     */
    public WheelScheduledExecutor(int threads, ThreadFactory threadFactory, WheelTimerBuilder timer) {
        this(pool(threads, threadFactory), true, timer);
    }

    /**
     * Makes an executor with a tick of a millisecond that hands its tasks to {@code workers}.
     *
     * @param workers as in {@link #WheelScheduledExecutor(ExecutorService, WheelTimerBuilder)}
     */
    public WheelScheduledExecutor(ExecutorService workers) {
        this(workers, WheelTimer.builder());
    }

    /**
     * Makes an executor that hands its tasks to {@code workers}, which belong to it from now on and are shut down with it.
     * A task that they refuse ends with the exception which says so. Nothing but their threads keeps the process alive.
     *
     * @param workers how many tasks run at a time, and where, is theirs. {@link ExecutorService#shutdownNow} should return
     *     what it has not started, or run it, else such tasks never end
     * @param timer the tick, clock, stripes and slack; it must not have an executor, a rejection policy or a bound
     */
    public WheelScheduledExecutor(ExecutorService workers, WheelTimerBuilder timer) {
        this(Objects.requireNonNull(workers, "workers"), false, timer);
    }

    private WheelScheduledExecutor(ExecutorService workers, boolean ownPool, WheelTimerBuilder settings) {
        TimerSettings own = settings.settings();
        requireNoneOfOurs(own);
        this.workers = workers;
        this.tasks = new ScheduledTasks(this, workers, ownPool ? (ThreadPoolExecutor) workers : null, own);
        this.timer = tasks.timer();
    }

    @SuppressForbidden(reason = "this is where the user asks for threads")
    private static ThreadPoolExecutor pool(int threads, ThreadFactory threadFactory) {
        if (threads < 0) {
            throw new IllegalArgumentException("threads is " + threads + ", must be 0 or more");
        }
        int workers = Math.max(1, threads);
        // Not a queue with locks: a caller that has no memory to wait for one, with its task in the queue already,
        // wakes no worker, nor does anybody after it. This one allocates before it takes the task in.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                workers, workers, IDLE_MS_WITHOUT_CORE, MILLISECONDS, new LinkedTransferQueue<>(), threadFactory);
        pool.allowCoreThreadTimeOut(threads == 0);
        return pool;
    }

    private static void requireNoneOfOurs(TimerSettings settings) {
        if (settings.executor() != null) {
            throw new IllegalArgumentException("executor is set, must not be: tasks run on the workers");
        }
        if (settings.onRejection() != RejectionPolicy.FAIL) {
            throw new IllegalArgumentException(
                    "onRejection is " + settings.onRejection() + ", must be FAIL: the future tells of it");
        }
        if (settings.maxPending() != Integer.MAX_VALUE) {
            throw new IllegalArgumentException("maxPending is " + settings.maxPending() + ", must not be set");
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Objects.requireNonNull(command, "command");
        long delayNanos = unit.toNanos(delay);
        if (delayNanos <= 0) {
            return tasks.runSoon(new ScheduledTask<@Nullable Void>(tasks, command, null));
        }
        long elapsed = tasks.elapsedNanos();
        DueNode node = new DueNode(timer.stripe(), command);
        return tasks.runLater(
                new ScheduledTask<@Nullable Void>(tasks, node, node, elapsed + delayNanos), node, elapsed);
    }

    @Override
    public <V extends @Nullable Object> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        Objects.requireNonNull(callable, "callable");
        long delayNanos = unit.toNanos(delay);
        long elapsed = tasks.elapsedNanos();
        if (delayNanos <= 0) {
            return tasks.runSoon(new ScheduledTask<>(tasks, callable, null, elapsed));
        }
        DueNode node = new DueNode(timer.stripe(), null);
        return tasks.runLater(new ScheduledTask<>(tasks, callable, node, elapsed + delayNanos), node, elapsed);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Runs that were missed are made up for, one after the other and without a pause.
     */
    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return repeat(command, initialDelay, "period", period, unit, Periodic.Rule.FIXED_RATE_CATCHING_UP);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return repeat(command, initialDelay, "delay", delay, unit, Periodic.Rule.FIXED_DELAY);
    }

    private ScheduledFuture<?> repeat(
            Runnable command, long initialDelay, String name, long period, TimeUnit unit, Periodic.Rule rule) {
        Objects.requireNonNull(command, "command");
        Objects.requireNonNull(unit, "unit");
        if (period <= 0) {
            throw new IllegalArgumentException(name + " is " + period + ", must be above zero");
        }
        long delayNanos = Math.max(0, unit.toNanos(initialDelay));
        long elapsed = tasks.elapsedNanos();
        DueNode node = new DueNode(timer.stripe(), command);
        RepeatingTask task = new RepeatingTask(tasks, node, elapsed + delayNanos, rule, unit.toNanos(period));
        tasks.repeats(task);
        boolean started = false;
        try {
            ScheduledFuture<?> future = delayNanos == 0 ? tasks.runSoon(task) : tasks.runLater(task, node, elapsed);
            started = true;
            return future;
        } finally {
            if (!started) {
                tasks.ended(task);
            }
        }
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        if (command instanceof ScheduledTask<?> task && task.tasks == tasks && task.node == null) {
            // Made by newTaskFor: the future that invokeAll waits for is what shutdownNow ends or returns.
            tasks.enqueue(task);
        } else {
            tasks.enqueue(new ScheduledTask<@Nullable Void>(tasks, command, null));
        }
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new ScheduledTask<>(tasks, callable, null, tasks.elapsedNanos());
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return new ScheduledTask<>(tasks, runnable, value);
    }

    @Override
    public Future<?> submit(Runnable task) {
        return schedule(task, 0, NANOSECONDS);
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
        Objects.requireNonNull(task, "task");
        return tasks.runSoon(new ScheduledTask<>(tasks, task, result));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return schedule(task, 0, NANOSECONDS);
    }

    /**
     * Lets tasks that wait for their deadlines when {@link #shutdown} is called still run, or not. True by default. May
     * be set to false after the shutdown too: those that still wait are cancelled then.
     */
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean value) {
        tasks.runDelayedAfterShutdown(value);
    }

    public boolean getExecuteExistingDelayedTasksAfterShutdownPolicy() {
        return tasks.runsDelayedAfterShutdown();
    }

    /**
     * Lets periodic tasks go on after {@link #shutdown}, or not: until they are cancelled, throw or this is set to false.
     * False by default: a shutdown cancels them, one that is running at the end of the run.
     */
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(boolean value) {
        tasks.runPeriodicAfterShutdown(value);
    }

    public boolean getContinueExistingPeriodicTasksAfterShutdownPolicy() {
        return tasks.runsPeriodicAfterShutdown();
    }

    /** Returns how many tasks wait for their deadlines. Those that are due, and wait for a worker, are not counted. */
    public long pending() {
        return timer.pending();
    }

    /**
     * {@inheritDoc}
     *
     * <p>What becomes of tasks that wait for their deadlines, the two policies say.
     */
    @Override
    public void shutdown() {
        tasks.shutdown();
    }

    /**
     * Refuses new tasks, interrupts those that run, and takes away those that wait.
     *
     * @return the tasks that have never run since they came due: each the {@link ScheduledFuture} that was returned for it,
     *     or one made for a task of {@link #execute}. None of them is done, and none will be unless it is cancelled
     */
    @Override
    public List<Runnable> shutdownNow() {
        return tasks.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return tasks.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return timer.isTerminated() && workers.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        NanoClock clock = NanoClock.system();
        long start = clock.nanoTime();
        long nanos = unit.toNanos(timeout);
        return timer.awaitTermination(Duration.ofNanos(nanos))
                && workers.awaitTermination(nanos - (clock.nanoTime() - start), NANOSECONDS);
    }

    @Override
    public String toString() {
        String state = isTerminated() ? "Terminated" : isShutdown() ? "Shutting down" : "Running";
        return "WheelScheduledExecutor@" + Integer.toHexString(hashCode()) + "[" + state + ", pending tasks = "
                + pending() + ", workers = " + workers + "]";
    }
}
