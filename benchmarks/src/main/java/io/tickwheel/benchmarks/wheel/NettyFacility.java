package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.tickwheel.wheel.netty.NettyWheelTimer;
import java.util.concurrent.ThreadFactory;

/** Timers of Netty's interface: Netty's own hashed wheel, and Tickwheel's in its place. */
final class NettyFacility implements TimerFacility {

    /** A task of Netty's kind, as its users write them, that runs one of ours. */
    private record Adapted(Runnable task) implements TimerTask {
        @Override
        public void run(Timeout timeout) {
            task.run();
        }
    }

    private static final ThreadFactory THREADS = task -> new Thread(task, "netty-timer");

    private final Timer timer;
    private Adapted last = new Adapted(() -> {});

    private NettyFacility(Timer timer) {
        this.timer = timer;
    }

    static NettyFacility hashed(long tickMs, int wheelSlots) {
        HashedWheelTimer timer = new HashedWheelTimer(THREADS, tickMs, MILLISECONDS, wheelSlots);
        timer.start();
        return new NettyFacility(timer);
    }

    /** As {@code new HashedWheelTimer()} makes it. */
    static NettyFacility byDefault() {
        return hashed(100, 512);
    }

    /** Tickwheel's, with its tick of a millisecond. */
    static NettyFacility ofTickwheel() {
        return new NettyFacility(new NettyWheelTimer(THREADS));
    }

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        // A shared task is a shared object here too. Several threads may race for the field: each value is whole.
        Adapted adapted = last;
        if (adapted.task != task) {
            adapted = new Adapted(task);
            last = adapted;
        }
        return timer.newTimeout(adapted, delayNanos, NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Timeout) handle).cancel();
    }

    @Override
    public void close() {
        timer.stop();
    }
}
