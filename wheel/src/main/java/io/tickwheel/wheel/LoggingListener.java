package io.tickwheel.wheel;

import java.lang.System.Logger.Level;

/** The listener of those who gave none, and where listeners that throw are reported. */
enum LoggingListener implements WheelTimerListener {
    INSTANCE;

    private static final System.Logger LOG = System.getLogger("io.tickwheel.wheel.WheelTimer");

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        log("A task has thrown", thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        log("The executor has refused a task, it has not run", cause);
    }

    static void listenerFailed(Throwable thrown) {
        log("A listener has thrown", thrown);
    }

    static void expiryFailed(Throwable thrown) {
        log("The timer has failed and is closed", thrown);
    }

    /** A log that throws, or has no memory left, must not take the timer down with it. */
    @SuppressWarnings("EmptyCatch")
    private static void log(String message, Throwable thrown) {
        try {
            LOG.log(Level.ERROR, message, thrown);
        } catch (Throwable logFailed) {
            // There is nobody left to tell.
        }
    }
}
