package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import java.util.concurrent.CountDownLatch;

/** What a facility does while nothing is due for an hour. */
final class IdleMeasurement implements Measurement {

    private static final long SETTLE_NANOS = SECONDS.toNanos(3);

    private static final double REPORTED_NANOS = SECONDS.toNanos(20);

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int seconds = options.number("seconds", 0);
        TimerFacility facility = contender.start();
        CountDownLatch fired = new CountDownLatch(1);
        facility.schedule(fired::countDown, MILLISECONDS.toNanos(1));
        fired.await();
        Runnable task = () -> {};
        for (int i = 0; i < timers; i++) {
            facility.schedule(task, HOURS.toNanos(1));
        }
        // To look costs most the first time.
        OwnUsage.start().timerThreads();
        FireMeasurement.parkUntil(System.nanoTime() + SETTLE_NANOS);
        OwnUsage usage = OwnUsage.start();
        FireMeasurement.parkUntil(System.nanoTime() + SECONDS.toNanos(seconds));
        ProcessUsage timerThreads = usage.timerThreads();
        double passed = usage.elapsedNanos();
        figures.add("wake-ups/s", timerThreads.wakeups() * 1e9 / passed);
        figures.add("CPU ms in 20 s", timerThreads.cpuNanos() / 1e6 * (REPORTED_NANOS / passed));
        figures.add("process, CPU ms in 20 s", usage.process().cpuNanos() / 1e6 * (REPORTED_NANOS / passed));
    }
}
