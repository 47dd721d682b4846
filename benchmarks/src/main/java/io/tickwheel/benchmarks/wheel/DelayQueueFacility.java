package io.tickwheel.benchmarks.wheel;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** The usual few lines around a {@link DelayQueue}: one thread takes and runs. To remove is O(timers), so nobody cancels. */
final class DelayQueueFacility implements TimerFacility {

    private static final class Entry implements Delayed {
        private final Runnable task;
        private final long deadlineNanos;

        Entry(Runnable task, long deadlineNanos) {
            this.task = task;
            this.deadlineNanos = deadlineNanos;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.signum(deadlineNanos - ((Entry) other).deadlineNanos);
        }
    }

    private final DelayQueue<Entry> queue = new DelayQueue<>();
    private final Thread thread = new Thread(this::takeAndRun, "delay-queue");

    DelayQueueFacility() {
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        Entry entry = new Entry(task, System.nanoTime() + delayNanos);
        queue.add(entry);
        return entry;
    }

    @Override
    public void cancel(Object handle) {
        queue.remove(handle);
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void takeAndRun() {
        try {
            while (true) {
                queue.take().task.run();
            }
        } catch (InterruptedException closed) {
            // The thread ends here: this is how its owner stops it.
            Thread.currentThread().interrupt();
        }
    }
}
