package io.tickwheel.benchmarks.wheel;

import java.util.Timer;
import java.util.TimerTask;

/** {@link java.util.Timer}: a heap under a lock. What is cancelled stays in it until it would be due. */
final class JdkTimerFacility implements TimerFacility {

    private static final class Adapted extends TimerTask {
        private final Runnable task;

        Adapted(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }
    }

    private final Timer timer = new Timer("jdk-timer", true);

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        Adapted adapted = new Adapted(task);
        timer.schedule(adapted, (delayNanos + 999_999) / 1_000_000);
        return adapted;
    }

    @Override
    public void cancel(Object handle) {
        ((TimerTask) handle).cancel();
    }

    @Override
    public void close() {
        timer.cancel();
    }
}
