package io.tickwheel.wheel;

import java.lang.System.Logger.Level;

/** The listener of those who gave none, and where listeners that throw are reported. */
enum LoggingListener implements WheelTimerListener {
    INSTANCE;

    private static final System.Logger LOG = System.getLogger("io.tickwheel.wheel.WheelTimer");

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        log("A task of " + timerOf(timeout) + " has thrown", thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        log("The executor has refused a task of " + timerOf(timeout) + ", it has not run", cause);
    }

    static void listenerFailed(String timer, Throwable thrown) {
        log("The listener of " + timer + " has thrown", thrown);
    }

    static void expiryPaused(String timer, Throwable thrown) {
        log(timer + " pauses for a moment and goes on", thrown);
    }

    static void expiryFailed(String timer, Throwable thrown) {
        log(timer + " has failed and is closed", thrown);
    }

    private static String timerOf(Timeout timeout) {
        return timeout instanceof TimerNode node ? node.stripe.core.name() : "a timer";
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
