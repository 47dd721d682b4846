package io.tickwheel.store.file.calendar;

import io.tickwheel.store.StoreContext;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads what a batch of commands needs of runs, several timers at a time, while the disk has to be waited for: the loop alone would wait for one after the other, and with it whoever
 * schedules. What is read is thrown away; the cache of the system has it when the commands are decided. The loop reads too, so it waits for no reader that has not begun. While
 * reads are quick, the loop makes them as it needs them, which spares the hand-over. Owned by the loop.
 */
final class ColdReads {

    /** Commands that take longer, in the mean of a batch, have waited for the disk. */
    private static final long SLOW_NANOS = 40_000;

    /** Timers that are read sooner, in the mean of a batch, were in the cache. */
    private static final long QUICK_NANOS = 15_000;

    private final TimerTables tables;
    private final StoreContext context;

    /** Whether what was read last had to be waited for. */
    private boolean areSlow;

    ColdReads(TimerTables tables, StoreContext context) {
        this.tables = tables;
        this.context = context;
    }

    /** Told how long it took to decide so many commands. */
    void decided(int commands, long nanos) {
        areSlow |= nanos > commands * SLOW_NANOS;
    }

    /** Reads the timers of these keys, those that stand in runs. */
    void read(long[] hashes, int count) {
        if (!areSlow) {
            return;
        }
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            addTimersTo(timers, hashes[i]);
        }
        // Where there is nothing to be read, something else was slow.
        areSlow = timers.size() > 1 && readTogether(timers) > timers.size() * QUICK_NANOS;
    }

    /** Returns how long the reads took, one added to the other. */
    private long readTogether(List<Timer> timers) {
        Round round = new Round(timers, context);
        try {
            for (int i = 1; i < timers.size(); i++) {
                context.readers().execute(round);
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // There is no thread to be had: the loop reads what nobody else does.
        }
        round.run();
        return round.awaitNanos();
    }

    private void addTimersTo(List<Timer> timers, long hash) {
        for (boolean found = tables.index.find(hash); found; found = tables.index.findNext()) {
            Run run = tables.run(tables.index.place());
            if (run != null) {
                timers.add(new Timer(run.file(), tables.index.ordinal()));
            }
        }
    }

    private record Timer(RunFile file, int ordinal) {}

    /** The timers of one batch. Each reader takes the next one until there is none. */
    private static final class Round implements Runnable {

        private final List<Timer> timers;
        private final StoreContext context;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final AtomicLong nanos = new AtomicLong();
        private final CompletableFuture<Void> read = new CompletableFuture<>();

        Round(List<Timer> timers, StoreContext context) {
            this.timers = timers;
            this.context = context;
            this.left = new AtomicInteger(timers.size());
        }

        @Override
        public void run() {
            for (int i = next.getAndIncrement(); i < timers.size(); i = next.getAndIncrement()) {
                try {
                    read(timers.get(i));
                } finally {
                    if (left.decrementAndGet() == 0) {
                        read.complete(null);
                    }
                }
            }
        }

        private void read(Timer timer) {
            long start = context.monoNanos().getAsLong();
            try {
                timer.file.readTimer(timer.ordinal);
            } catch (RuntimeException | OutOfMemoryError e) {
                // The command comes to the same place, and it is its error.
            }
            nanos.addAndGet(context.monoNanos().getAsLong() - start);
        }

        /** Waits until all are read; returns how long that took, one added to the other. */
        long awaitNanos() {
            read.join();
            return nanos.get();
        }
    }
}
