package io.tickwheel.wheel;

/**
 * Told what went wrong with a task. Called on the thread where it happened, which may be the expiry thread: it must not
 * block. What it throws is logged and changes nothing.
 */
public interface WheelTimerListener {

    /** The task has thrown. A periodic task does not run again. */
    void taskFailed(Timeout timeout, Throwable thrown);

    /** The executor has refused the task, which has not run and will not. */
    void taskRejected(Timeout timeout, Runnable task, Throwable cause);

    /** Writes to the {@link System.Logger} named {@code io.tickwheel.wheel.WheelTimer}: the default. */
    static WheelTimerListener logging() {
        return LoggingListener.ANY;
    }
}
