package io.tickwheel.wheel;

/**
 * A timeout and its task in one object of yours: subclass it, say what is to be done, and give it to {@link WheelTimer#start}. For
 * adapters and for programs with an object per timer, which save the second one: 40 bytes with one field of yours, 48 with three (32 and
 * 40 with compact object headers). Thread-safe once it was started.
 */
public abstract class TimeoutNode extends TimerNode {

    /**
     * Makes a timeout that is pending, and not started yet. It can be started by this timer only, and not any more once it was
     * cancelled; until it is started it has no deadline and {@link #reschedule} returns false.
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
