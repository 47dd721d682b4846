package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A task of a {@link WheelScheduledExecutor} and its future: what the workers are given. 56 bytes, and a {@link DueNode}
 * of 40 if it has to wait for its deadline. Ordered by deadline, then by submission.
 */
class ScheduledTask<V extends @Nullable Object> extends FutureTask<V> implements RunnableScheduledFuture<V> {
    final ScheduledTasks tasks;
    final @Nullable DueNode node;
    private final long sequence;
    // Since the start of the timer. It may wrap around, as only its distance from now means anything.
    private volatile long deadlineNanos;

    /** Makes a task that is due now. */
    ScheduledTask(ScheduledTasks tasks, Runnable command, @Nullable V result) {
        super(command, result);
        this.tasks = tasks;
        this.node = null;
        this.sequence = tasks.nextSequence();
        this.deadlineNanos = tasks.elapsedNanos();
    }

    /**
     * Makes a task that is due at a deadline.
     *
     * @param node null if the deadline has come
     */
    ScheduledTask(ScheduledTasks tasks, Callable<V> callable, @Nullable DueNode node, long deadlineNanos) {
        super(callable);
        this.tasks = tasks;
        this.node = node;
        this.sequence = tasks.nextSequence();
        this.deadlineNanos = deadlineNanos;
        if (node != null) {
            node.bind(this);
        }
    }

    @Override
    public void run() {
        if (tasks.mayRun(this)) {
            super.run();
        } else {
            cancel(false);
        }
    }

    /** Called when the deadline has come. */
    final void handOver() {
        tasks.handOver(this);
    }

    /** Cancels the task, unless it repeats itself and is running. */
    void cancelUnlessRunning() {
        cancel(false);
    }

    /** Ends the task, which has not run and will not. */
    final void fail(Throwable cause) {
        setException(cause);
    }

    /** As in any future, but that near the end of the stack nothing is cancelled, instead of something by half. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.touch();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    protected void done() {
        if (node != null) {
            node.release();
        }
    }

    final long deadlineNanos() {
        return deadlineNanos;
    }

    final void setDeadlineNanos(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public boolean isPeriodic() {
        return false;
    }

    @Override
    public final long getDelay(TimeUnit unit) {
        return unit.convert(deadlineNanos - tasks.elapsedNanos(), NANOSECONDS);
    }

    @Override
    public final int compareTo(Delayed other) {
        if (other == this) {
            return 0;
        }
        if (other instanceof ScheduledTask<?> that && that.tasks == tasks) {
            long now = tasks.elapsedNanos();
            int byDeadline = Long.compare(deadlineNanos - now, that.deadlineNanos - now);
            return byDeadline != 0 ? byDeadline : Long.compare(sequence, that.sequence);
        }
        return Long.compare(getDelay(NANOSECONDS), other.getDelay(NANOSECONDS));
    }
}
