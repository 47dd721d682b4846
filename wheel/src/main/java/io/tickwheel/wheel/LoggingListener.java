package io.tickwheel.wheel;

import java.lang.System.Logger.Level;

/** The listener of those who gave none, and where listeners that throw are reported. */
enum LoggingListener implements WheelTimerListener {
    INSTANCE;

    private static final System.Logger LOG = System.getLogger(WheelTimer.class.getName());

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        LOG.log(Level.ERROR, "A task has thrown", thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        LOG.log(Level.ERROR, "The executor has refused " + task + ", it has not run", cause);
    }

    static void listenerFailed(Throwable thrown) {
        LOG.log(Level.ERROR, "A listener has thrown", thrown);
    }

    static void expiryFailed(Throwable thrown) {
        LOG.log(Level.ERROR, "The timer has failed and is closed", thrown);
    }
}
