package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;

/** Netty's hashed wheel. */
final class NettyFacility implements TimerFacility {

    /** A task of Netty's kind, as its users write them, that runs one of ours. */
    private record Adapted(Runnable task) implements TimerTask {
        @Override
        public void run(Timeout timeout) {
            task.run();
        }
    }

    private final HashedWheelTimer timer;
    private Adapted last = new Adapted(() -> {});

    NettyFacility(long tickMs, int wheelSlots) {
        timer = new HashedWheelTimer(threads -> new Thread(threads, "netty-timer"), tickMs, MILLISECONDS, wheelSlots);
        timer.start();
    }

    /** As {@code new HashedWheelTimer()} makes it. */
    static NettyFacility byDefault() {
        return new NettyFacility(100, 512);
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
