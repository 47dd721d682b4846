package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A timeout in a stripe's wheel, and what an executor is given when it is due. One object a timer: 40 bytes with what a
 * {@link OneShot} adds, which is nothing; 32 with compact object headers.
 */
abstract class TimerNode extends WheelNode implements Timeout, Runnable {
    /*
     * The task is the state. While it is the user's the timeout is pending: in the wheel, or out of it and on its way
     * to a thread. Only the stripe's lock guards whether a node is in the wheel; a node in the wheel changes its state
     * under that lock, one that has left changes it by compare-and-set:
     *
     *     in the wheel --expire, under the lock--> expired --CAS--> STARTED
     *          |                                     |----CAS--> CANCELLED
     *          |---cancel, under the lock--> CANCELLED '---CAS--> FAILED
     *
     * A periodic one goes back from STARTED to its task, by compare-and-set, before it enters the wheel again.
     */
    private static final VarHandle TASK;

    static {
        try {
            TASK = MethodHandles.lookup().findVarHandle(TimerNode.class, "task", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Stands where the task was once the timeout is not pending any more. */
    enum End implements Runnable {
        STARTED,
        CANCELLED,
        FAILED;

        @Override
        public void run() {
            throw new AssertionError(this);
        }
    }

    final Stripe stripe;
    private volatile @Nullable Runnable task;

    // The task is written without the fence of a volatile write: the lock of the stripe publishes the node.
    TimerNode(Stripe stripe, Runnable task) {
        this.stripe = stripe;
        TASK.set(this, task);
    }

    /** Makes a node that is of no use before its {@link #bind}. */
    TimerNode(Stripe stripe) {
        this.stripe = stripe;
    }

    /** Gives the task to a node that has none yet and is known to no other thread. */
    final void bind(Runnable newTask) {
        TASK.set(this, newTask);
    }

    /** Returns whether the node has no task yet, and has not ended: it was neither bound nor started nor cancelled. */
    final boolean isUnbound() {
        return task == null;
    }

    /**
     * Returns whether the node may enter the wheel for the first time, under the lock. One without a task is its own from then on; a cancel
     * of it is under the lock too, so that no compare-and-set is needed.
     */
    final boolean begin() {
        Runnable current = task;
        if (current == null) {
            TASK.set(this, this);
            return true;
        }
        return current != this && !isEnd(current);
    }

    /** As {@link #begin}, without the lock: a cancel may come in the same moment. */
    final boolean beginUnlocked() {
        Runnable current = task;
        return current == null ? TASK.compareAndSet(this, null, this) : current != this && !isEnd(current);
    }

    /** Calls the task, unless it was cancelled. The node has expired; this is the start that a cancel races with. */
    @Override
    public final void run() {
        Runnable claimed = take(End.STARTED);
        if (claimed != null) {
            runTask(claimed);
        }
    }

    /** Runs the task and sees to what it throws. */
    abstract void runTask(Runnable claimed);

    /** Called once when the task will not run because of {@code cause}; the state is {@code FAILED} already. */
    void onRejected(Runnable rejected, Throwable cause) {
        stripe.core.taskRejected(this, rejected, cause);
    }

    /** Called once after the task was taken away by a cancel. No lock is held. */
    void onCancelled() {}

    /** Called once after the task was taken away by a shutdown. No lock is held. */
    void onCancelledByShutdown() {
        onCancelled();
    }

    final boolean isPending() {
        return !isEnd(task);
    }

    /** Returns the task while the timeout is pending, else null. */
    final @Nullable Runnable pendingTask() {
        Runnable current = task;
        return isEnd(current) ? null : current;
    }

    /** Cancels a node in the wheel, under the lock. */
    final void cancelInWheel() {
        assert isScheduled() && isPending();
        TASK.setOpaque(this, End.CANCELLED);
    }

    /** Cancels a node that is not in the wheel and returns the task that will not start because of it, or null. */
    final @Nullable Runnable cancelExpired() {
        return take(End.CANCELLED);
    }

    /** Keeps a node whose task has started from starting it again; false for one that would not. */
    boolean cancelRepetition() {
        return false;
    }

    /** Turns a node whose task has started to another state; false if it was cancelled meanwhile. */
    final boolean afterRun(Runnable nextState) {
        return TASK.compareAndSet(this, End.STARTED, nextState);
    }

    /** Gives up a node that is not in the wheel, because its task cannot be run. */
    final void reject(Throwable cause) {
        Runnable rejected = stripe.fail(this);
        if (rejected != null) {
            onRejected(rejected, cause);
        }
    }

    /** As {@link #cancelExpired}, for one whose task cannot be run. */
    final @Nullable Runnable failExpired() {
        return take(End.FAILED);
    }

    /** Cancels a node that has no task yet; false for one that has, or has ended, maybe in this moment. */
    final boolean cancelUnbound() {
        return task == null && TASK.compareAndSet(this, null, End.CANCELLED);
    }

    private @Nullable Runnable take(End end) {
        Runnable current = task;
        // Nothing but an end can have come between: a node that has left the wheel does not become another task.
        return current != null && !isEnd(current) && TASK.compareAndSet(this, current, end) ? current : null;
    }

    private static boolean isEnd(@Nullable Runnable task) {
        return task == End.STARTED || task == End.CANCELLED || task == End.FAILED;
    }

    @Override
    public final boolean cancel() {
        boolean cancelled = stripe.cancel(this);
        if (cancelled) {
            onCancelled();
        }
        return cancelled;
    }

    @Override
    public final boolean reschedule(Duration delay) {
        return stripe.reschedule(this, Durations.nanos(delay));
    }

    @Override
    public final State state() {
        Runnable current = task;
        if (current == End.STARTED) {
            return onceStarted();
        }
        if (current == End.CANCELLED) {
            return State.CANCELLED;
        }
        return current == End.FAILED ? State.FAILED : State.PENDING;
    }

    /** Returns whether the node enters the wheel again after its task has run. */
    boolean repeats() {
        return false;
    }

    /** Told the new deadline, in nanoseconds since the start of the timer, under the lock. */
    void onRescheduled(long deadlineNanos) {}

    /** What a node is once its task has started. */
    State onceStarted() {
        return State.STARTED;
    }

    @Override
    public final Duration remaining() {
        long tick = stripe.tickOf(this);
        TickClock ticks = stripe.core.ticks;
        return tick == 0 ? Duration.ZERO : Duration.ofNanos(ticks.nanosOf(tick) - ticks.elapsedNanos());
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + state() + "]";
    }
}
