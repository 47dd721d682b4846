package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.tickwheel.wheel.Timeout;
import io.tickwheel.wheel.WheelTimer;

/** Tickwheel's timer: a tick of a millisecond, tasks on its own thread. */
final class TickwheelFacility implements TimerFacility {

    private final WheelTimer timer;

    private TickwheelFacility(WheelTimer timer) {
        this.timer = timer;
    }

    static TickwheelFacility byDefault() {
        return new TickwheelFacility(WheelTimer.create());
    }

    static TickwheelFacility ofStripes(int stripes) {
        return new TickwheelFacility(WheelTimer.builder().stripes(stripes).build());
    }

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        return timer.schedule(task, delayNanos, NANOSECONDS);
    }

    @Override
    public void cancel(Object handle) {
        ((Timeout) handle).cancel();
    }

    @Override
    public void close() {
        timer.close();
    }
}
