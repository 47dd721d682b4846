package io.tickwheel.wheel;

/**
 * A timeout and its task in one object of yours: subclass it, say what is to be done, and give it to {@link WheelTimer#start}. For
 * adapters and for programs with an object per timer, which save the second one: 40 bytes with one field of yours, 48 with three (32 and
 * 40 with compact object headers). Thread-safe, but for two starts at a time.
 */
public abstract class TimeoutNode extends TimerNode {

    /**
     * Makes a timeout that is pending, and not started yet. It can be started by this timer only, by one thread at a time, and not any
     * more once it was cancelled: of a cancel and a start that come in the same moment the cancel wins, whichever was first. Until it is started
     * it has no deadline and {@link #reschedule} returns false. One whose start was refused can be started again, unless the timer is closed.
     */
    protected TimeoutNode(WheelTimer timer) {
        super(timer.stripe());
    }

    /**
     * Called at the deadline, where tasks run, unless the timeout was cancelled. What it throws goes to the listener of the timer.
     *
     * @throws Exception as the task likes
     */
    protected abstract void expired() throws Exception;

    /** Called by the {@link #cancel} that has kept the timeout from expiring, before it returns. Must not throw. */
    protected void cancelled() {}

    @Override
    final void runTask(Runnable claimed) {
        try {
            expired();
        } catch (Throwable thrown) {
            stripe.core.taskFailed(this, thrown);
        }
    }

    @Override
    final void onCancelled() {
        cancelled();
    }

    @Override
    final void onCancelledByShutdown() {}
}
