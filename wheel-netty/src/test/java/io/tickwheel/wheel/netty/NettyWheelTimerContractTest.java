package io.tickwheel.wheel.netty;

import io.netty.util.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Ours keeps the contract of the original. */
final class NettyWheelTimerContractTest extends TimerContract {
    @Override
    Timer make(
            ThreadFactory threads,
            long tick,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPending,
            Executor executor) {
        return new NettyWheelTimer(threads, tick, unit, ticksPerWheel, leakDetection, maxPending, executor);
    }

    @Override
    void start(Timer timer) {
        ((NettyWheelTimer) timer).start();
    }

    @Override
    long pending(Timer timer) {
        return ((NettyWheelTimer) timer).pendingTimeouts();
    }
}
