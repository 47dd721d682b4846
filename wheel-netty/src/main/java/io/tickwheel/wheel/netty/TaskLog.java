package io.tickwheel.wheel.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimerListener;

/** Writes what goes wrong with the tasks of a timer to Netty's log; the lines name the timer as its thread is named. */
final class TaskLog implements WheelTimerListener {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(NettyWheelTimer.class);

    private final String timer;

    TaskLog(String timer) {
        this.timer = timer;
    }

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        LOG.warn("A TimerTask of " + timer + " has thrown: " + taskOf(timeout), thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        LOG.error(
                "A TimerTask of " + timer + " was refused by the executor and has not run: " + taskOf(timeout), cause);
    }

    /** Throws nothing, for the thread of the timer would end with it. */
    @SuppressWarnings("EmptyCatch")
    void callbackFailed(NettyTimeout timeout, Throwable thrown) {
        try {
            LOG.warn("The cancelled method of a TimerTask of " + timer + " has thrown: " + timeout.task(), thrown);
        } catch (Throwable logFailed) {
            // There is nobody left to tell.
        }
    }

    private static Object taskOf(Timeout timeout) {
        return ((NettyTimeout) timeout).task();
    }
}
