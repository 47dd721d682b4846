package io.tickwheel.benchmarks.wheel;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.TimerTask;

/** Kafka's hierarchical wheel, with a thread that advances it as Kafka's own reaper does. Delays are whole milliseconds. */
final class KafkaFacility implements TimerFacility {

    private static final long REAPER_POLL_MS = 200;
    private static final long WATCHED_PARK_NANOS = 200_000;

    private static final class Adapted extends TimerTask {
        private final Runnable task;

        Adapted(Runnable task, long delayMs) {
            super(delayMs);
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }
    }

    private final SystemTimer timer = new SystemTimer("kafka-timer");
    private final LongAccumulator longestAdvanceNanos = new LongAccumulator(Long::max, 0);
    private final Thread reaper;
    private volatile boolean closed;

    private KafkaFacility(boolean watched) {
        reaper = new Thread(watched ? this::advanceWatched : this::advance, "kafka-reaper");
        reaper.setDaemon(true);
        reaper.start();
    }

    static KafkaFacility asKafkaDoes() {
        return new KafkaFacility(false);
    }

    /** One that never waits inside {@code advanceClock}, so that its work can be timed. */
    static KafkaFacility watched() {
        return new KafkaFacility(true);
    }

    @Override
    public Object schedule(Runnable task, long delayNanos) {
        Adapted adapted = new Adapted(task, (delayNanos + 999_999) / 1_000_000);
        timer.add(adapted);
        return adapted;
    }

    @Override
    public void cancel(Object handle) {
        ((TimerTask) handle).cancel();
    }

    /** The longest {@code advanceClock} since this was last asked, when watched. */
    long longestAdvanceNanos() {
        return longestAdvanceNanos.getThenReset();
    }

    @Override
    public void close() {
        closed = true;
        timer.close();
    }

    private void advance() {
        try {
            while (!closed) {
                timer.advanceClock(REAPER_POLL_MS);
            }
        } catch (InterruptedException e) {
            // The thread ends here: this is how its owner stops it.
            Thread.currentThread().interrupt();
        }
    }

    private void advanceWatched() {
        try {
            while (!closed) {
                long start = System.nanoTime();
                boolean advanced = timer.advanceClock(0);
                longestAdvanceNanos.accumulate(System.nanoTime() - start);
                if (!advanced) {
                    LockSupport.parkNanos(WATCHED_PARK_NANOS);
                }
            }
        } catch (InterruptedException e) {
            // The thread ends here: this is how its owner stops it.
            Thread.currentThread().interrupt();
        }
    }
}
