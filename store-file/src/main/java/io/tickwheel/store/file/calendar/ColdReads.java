package io.tickwheel.store.file.calendar;

import io.tickwheel.store.StoreContext;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads what commands need of runs, several timers at a time, while the disk has to be waited for: the loop alone would wait for one after the other, and with it all others.
 * What is read is thrown away; the cache of the system has it when the commands are decided. While reads are quick, the loop makes them as it needs them, which spares the
 * hand-over. Owned by the loop.
 */
final class ColdReads {

    /** Commands that take longer, in the mean of a batch, have waited for the disk. */
    private static final long SLOW_NANOS = 40_000;

    /** Timers that are read sooner, in the mean of a reading, were in the cache. */
    private static final long QUICK_NANOS = 15_000;

    /** So many timers in a row must be read quickly before the loop waits for one again. */
    private static final int QUICK_ENOUGH = 256;

    /** So many read for one reading at most. */
    private static final int MOST_READERS = 8;

    private final TimerTables tables;
    private final StoreContext context;

    /** Whether some that were read lately had to be waited for. */
    private boolean areSlow;

    /** How many timers have been read since then, all of them quickly. */
    private int quick;

    ColdReads(TimerTables tables, StoreContext context) {
        this.tables = tables;
        this.context = context;
    }

    /** Told how long it took to decide so many commands, which says how quick reads are while the loop makes them. */
    void decided(int commands, long nanos) {
        if (!areSlow && nanos > commands * SLOW_NANOS) {
            areSlow = true;
            quick = 0;
        }
    }

    /**
     * Whether commands should wait for the disk rather than the loop. Not while the key index is filled: what ends then is remembered when that is done, and a command that waited
     * behind the one that ended it would not find it.
     */
    boolean areSlow() {
        return areSlow && tables.isIndexed();
    }

    /** Adds the timers of a key that stand in runs; returns whether there is one. */
    boolean addTimersTo(List<Timer> timers, long hash) {
        boolean any = false;
        for (boolean found = tables.index.find(hash); found; found = tables.index.findNext()) {
            Run run = tables.run(tables.index.place());
            if (run != null) {
                timers.add(new Timer(run.file(), tables.index.ordinal()));
                any = true;
            }
        }
        return any;
    }

    /** Has some timers read. The store's waker is called when all of them are. */
    Reading read(List<Timer> timers) {
        Reading reading = new Reading(timers, context);
        int readers = Math.min(timers.size(), MOST_READERS);
        int begun = 0;
        try {
            for (; begun < readers; begun++) {
                context.readers().execute(reading);
            }
        } catch (RuntimeException | Error e) {
            // There is no other thread to be had. Those that there are read all of them, or else the loop does:
            // it must, as commands wait.
            if (begun == 0) {
                reading.run();
            }
        }
        return reading;
    }

    /** Told that all timers of a reading have been read. */
    void ended(Reading reading) {
        int timers = reading.timers.size();
        if (reading.nanos.get() > timers * QUICK_NANOS) {
            quick = 0;
            return;
        }
        quick += timers;
        if (quick >= QUICK_ENOUGH) {
            areSlow = false;
        }
    }

    record Timer(RunFile file, int ordinal) {}

    /** Timers that are being read, or have been. Each reader takes the next one until there is none; a run that is closed meanwhile is no harm. */
    static final class Reading implements Runnable {

        private final List<Timer> timers;
        private final StoreContext context;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger left;
        private final AtomicLong nanos = new AtomicLong();

        private Reading(List<Timer> timers, StoreContext context) {
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
                        context.waker().run();
                    }
                }
            }
        }

        private void read(Timer timer) {
            long start = context.monoNanos().getAsLong();
            try {
                timer.file.readTimer(timer.ordinal);
            } catch (RuntimeException | Error e) {
                // The command comes to the same place, and it is its error.
            }
            nanos.addAndGet(context.monoNanos().getAsLong() - start);
        }

        boolean hasEnded() {
            return left.get() == 0;
        }
    }
}
