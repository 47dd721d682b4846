package io.tickwheel.wheel;

import java.lang.System.Logger.Level;

/** The listener of those who gave none, and where listeners that throw are reported. */
final class LoggingListener implements WheelTimerListener {
    /** Of no timer in particular. */
    static final LoggingListener ANY = new LoggingListener("a timer");

    private static final System.Logger LOG = System.getLogger("io.tickwheel.wheel.WheelTimer");

    private final String timer;

    /** Makes the listener of a timer, which its lines name. */
    LoggingListener(String timer) {
        this.timer = timer;
    }

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        log("A task of " + timer + " has thrown", thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        log("The executor has refused a task of " + timer + ", it has not run", cause);
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
