package io.tickwheel.wheel.netty;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The original keeps the contract too, or it would not be one. */
final class HashedWheelTimerContractTest extends TimerContract {
    @Override
    Timer make(
            ThreadFactory threads,
            long tick,
            TimeUnit unit,
            int ticksPerWheel,
            boolean leakDetection,
            long maxPending,
            Executor executor) {
        return new HashedWheelTimer(threads, tick, unit, ticksPerWheel, leakDetection, maxPending, executor);
    }

    @Override
    void start(Timer timer) {
        ((HashedWheelTimer) timer).start();
    }

    @Override
    long pending(Timer timer) {
        return ((HashedWheelTimer) timer).pendingTimeouts();
    }
}
