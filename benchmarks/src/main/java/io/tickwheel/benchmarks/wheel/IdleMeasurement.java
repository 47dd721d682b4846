package io.tickwheel.benchmarks.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** What a facility does while there is nothing to do: with no timer, then with some that are due in an hour. */
final class IdleMeasurement implements Measurement {

    private static final long SETTLE_NANOS = SECONDS.toNanos(3);

    @Override
    public void run(WheelContender contender, Options options, Figures figures) throws Exception {
        int timers = options.number("timers", 0);
        int seconds = options.number("seconds", 0);
        TimerFacility facility = contender.start();
        CountDownLatch fired = new CountDownLatch(1);
        facility.schedule(fired::countDown, MILLISECONDS.toNanos(1));
        fired.await();
        watch("0 timers", seconds, figures);
        Runnable task = () -> {};
        for (int i = 0; i < timers; i++) {
            facility.schedule(task, HOURS.toNanos(1));
        }
        watch("due in 1 h", seconds, figures);
    }

    private static void watch(String what, int seconds, Figures figures) throws IOException {
        FireMeasurement.parkUntil(System.nanoTime() + SETTLE_NANOS);
        OwnUsage usage = OwnUsage.start();
        FireMeasurement.parkUntil(System.nanoTime() + SECONDS.toNanos(seconds));
        ProcessUsage timerThreads = usage.timerThreads();
        double passed = usage.elapsedNanos();
        figures.add(what + ", wake-ups/s", timerThreads.wakeups() * 1e9 / passed);
        figures.add(what + ", CPU ms in 20 s", timerThreads.cpuNanos() / 1e6 * (20e9 / passed));
        figures.add(what + ", process, CPU ms in 20 s", usage.process().cpuNanos() / 1e6 * (20e9 / passed));
    }
}
