package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way of the tasks of a {@link WheelScheduledExecutor} from their schedule over the wheel to the workers, and which of them may
 * still go it once it is shut down. Any thread may call this.
 */
final class ScheduledTasks {
    /*
     *     schedule --> wheel --expiry thread--> workers <-- execute, submit, delay <= 0
     *                    ^                         |
     *                    '--- the next run --------'
     *
     * A shutdown goes through three doors, and nothing gets caught between two: the phase refuses what is new; the timer
     * is closed once no task repeats itself, and lets the rest come due; the workers are shut down once the timer has
     * handed over the last task. A task is entered before the phase is read, and the phase is written before the tasks
     * are looked through: of a schedule and a shutdown one sees the other.
     */
    private enum Phase {
        RUNNING,
        SHUTDOWN,
        STOPPED
    }

    // Named in refusals.
    private final Object executor;
    private final ExecutorService workers;
    private final @Nullable ThreadPoolExecutor pool;
    private final WheelTimer timer;
    private final TimerCore core;
    private final TickClock ticks;
    private final AtomicLong sequence = new AtomicLong();
    private final Set<ScheduledTask<?>> repeating = ConcurrentHashMap.newKeySet();

    private volatile Phase phase = Phase.RUNNING;
    private volatile boolean workerStarted;
    private volatile boolean delayedAfterShutdown = true;
    private volatile boolean periodicAfterShutdown;

    /**
     * Makes the way, with a timer of its own.
     *
     * @param executor whom refusals name
     * @param pool the workers, if their threads are to be started here
     */
    ScheduledTasks(
            Object executor, ExecutorService workers, @Nullable ThreadPoolExecutor pool, TimerSettings settings) {
        this.executor = executor;
        this.workers = workers;
        this.pool = pool;
        this.timer = new WheelTimer(settings, this::timerTerminated);
        this.core = timer.core();
        this.ticks = core.ticks;
    }

    WheelTimer timer() {
        return timer;
    }

    /** Takes notice of a task that is to run again and again, until {@link #ended}. */
    void repeats(ScheduledTask<?> task) {
        StackReserve.touchForSteps();
        repeating.add(task);
    }

    /** Gives a new task that is due to the workers, and returns it. */
    <T extends ScheduledTask<?>> T runSoon(T task) {
        enqueue(task);
        return task;
    }

    /** Gives a new task that is due to the workers. */
    void enqueue(ScheduledTask<?> task) {
        if (phase != Phase.RUNNING) {
            throw refusal(task);
        }
        // A pool that fails in the middle of starting a thread counts on it for ever.
        StackReserve.touch();
        workers.execute(task);
    }

    /** Puts a new task into the wheel, and returns it. */
    <T extends ScheduledTask<?>> T runLater(T task, DueNode node, long elapsed) {
        if (phase != Phase.RUNNING) {
            throw refusal(task);
        }
        if (!workerStarted) {
            startWorker();
        }
        if (!arm(task, node, elapsed) && !task.isDone()) {
            throw refusal(task);
        }
        if (phase != Phase.RUNNING && !mayRun(task) && node.cancel()) {
            task.cancel(false);
        }
        return task;
    }

    private void startWorker() {
        StackReserve.touch();
        workerStarted = true;
        if (pool != null) {
            pool.prestartCoreThread();
        }
    }

    private boolean arm(ScheduledTask<?> task, DueNode node, long elapsed) {
        long deadline = TickClock.after(elapsed, task.deadlineNanos() - elapsed);
        long tick = task.isPeriodic() ? ticks.tickFrom(deadline) : core.tickWithSlack(deadline);
        return timer.arm(node, tick, elapsed);
    }

    private RejectedExecutionException refusal(ScheduledTask<?> task) {
        return new RejectedExecutionException(
                task + " was rejected by " + executor, timer.refusal().getCause());
    }

    /** Gives a task that is due to the workers. */
    void handOver(ScheduledTask<?> task) {
        try {
            workers.execute(task);
        } catch (Throwable refusal) {
            failUnlessStopped(task, refusal);
        }
    }

    /** Lets a task whose run has ended, and whose deadline is that of the next, wait for it. */
    void repeat(ScheduledTask<?> task, DueNode node) {
        if (!mayRun(task)) {
            task.cancel(false);
            return;
        }
        long elapsed = elapsedNanos();
        if (task.deadlineNanos() - elapsed <= 0) {
            handOver(task);
            return;
        }
        node.afterRun(task);
        try {
            if (!arm(task, node, elapsed)) {
                throw refusal(task);
            }
        } catch (Throwable noTimer) {
            failUnlessStopped(task, noTimer);
        }
        if (task.isDone()) {
            // Cancelled by another thread, which may have come before the node was pending again.
            node.release();
        }
    }

    private void failUnlessStopped(ScheduledTask<?> task, Throwable cause) {
        if (phase == Phase.STOPPED) {
            task.cancel(false);
        } else if (!task.isDone()) {
            task.fail(cause);
            tellOfRefusal(task, cause);
        }
    }

    private void tellOfRefusal(ScheduledTask<?> task, Throwable cause) {
        core.countRejection();
        if (task.node != null) {
            core.taskRejected(task.node, task, cause);
        }
    }

    /** Returns whether a task may still start. */
    boolean mayRun(ScheduledTask<?> task) {
        return switch (phase) {
            case RUNNING -> true;
            case SHUTDOWN ->
                task.isPeriodic() ? periodicAfterShutdown : delayedAfterShutdown || task.getDelay(NANOSECONDS) <= 0;
            case STOPPED -> false;
        };
    }

    /** Called when a task will not repeat itself any more. */
    void ended(ScheduledTask<?> task) {
        repeating.remove(task);
        closeTimerIfNoneRepeats();
    }

    long elapsedNanos() {
        return ticks.elapsedNanos();
    }

    long nextSequence() {
        return sequence.getAndIncrement();
    }

    void runDelayedAfterShutdown(boolean value) {
        delayedAfterShutdown = value;
        endWhatShutdownEnds();
    }

    boolean runsDelayedAfterShutdown() {
        return delayedAfterShutdown;
    }

    void runPeriodicAfterShutdown(boolean value) {
        periodicAfterShutdown = value;
        endWhatShutdownEnds();
    }

    boolean runsPeriodicAfterShutdown() {
        return periodicAfterShutdown;
    }

    boolean isShutdown() {
        return phase != Phase.RUNNING;
    }

    /** Refuses new tasks, and ends those that a shutdown ends. */
    void shutdown() {
        enterShutdown();
        endWhatShutdownEnds();
        closeTimerIfNoneRepeats();
    }

    private synchronized void enterShutdown() {
        if (phase == Phase.RUNNING) {
            phase = Phase.SHUTDOWN;
        }
    }

    private void endWhatShutdownEnds() {
        if (phase != Phase.SHUTDOWN) {
            // What shutdownNow has returned is no business of ours any more.
            return;
        }
        if (!periodicAfterShutdown) {
            repeating.forEach(ScheduledTask::cancelUnlessRunning);
        }
        if (!delayedAfterShutdown) {
            for (Runnable pending : timer.pendingTasks()) {
                ScheduledTask<?> task = (ScheduledTask<?>) pending;
                if (!mayRun(task) && !task.isPeriodic()) {
                    task.cancel(false);
                }
            }
        }
    }

    private void closeTimerIfNoneRepeats() {
        if (phase != Phase.RUNNING && repeating.isEmpty()) {
            timer.shutdown();
        }
    }

    private void timerTerminated() {
        // The timer closes by itself when it fails.
        enterShutdown();
        workers.shutdown();
    }

    /** Takes away the tasks that wait, for their deadlines or for a worker, and returns those that are not done. */
    List<Runnable> shutdownNow() {
        synchronized (this) {
            phase = Phase.STOPPED;
        }
        List<Runnable> waiting = timer.shutdownNow();
        waiting.sort(Comparator.comparing(task -> (ScheduledTask<?>) task));
        List<Runnable> tasks = new ArrayList<>(workers.shutdownNow());
        tasks.addAll(waiting);
        tasks.removeIf(task -> task instanceof Future<?> future && future.isDone());
        return tasks;
    }
}
