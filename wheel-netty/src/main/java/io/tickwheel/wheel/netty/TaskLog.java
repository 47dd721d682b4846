package io.tickwheel.wheel.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimerListener;

/** Writes what goes wrong with tasks to Netty's log, under the name of the timer. */
enum TaskLog implements WheelTimerListener {
    INSTANCE;

    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(NettyWheelTimer.class);

    @Override
    public void taskFailed(Timeout timeout, Throwable thrown) {
        LOG.warn("A TimerTask has thrown", thrown);
    }

    @Override
    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
        NettyTimeout rejected = (NettyTimeout) task;
        rejected.rejected();
        LOG.error("A TimerTask was refused by the executor and has not run: " + rejected.task(), cause);
    }

    void callbackFailed(NettyTimeout timeout, Throwable thrown) {
        LOG.warn("The cancelled method of a TimerTask has thrown: " + timeout.task(), thrown);
    }
}
