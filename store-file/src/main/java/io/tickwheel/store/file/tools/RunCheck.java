package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFilter;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * Reads all entries of a run, and the records of those that have not ended, and tells of each that is damaged. Reads what lies
 * between these too, without a look at it, so that a directory that is read past bad sectors knows all of them.
 */
final class RunCheck {

    private static final int PIECE_BYTES = 256 << 10;

    private final RunFile run;
    private final String name;
    private final BitSet ended;
    private final ChunkPool pool;
    private final Consumer<StoreDamage> damages;
    private final Work work;
    private final BitSet unreadable = new BitSet();
    private long timers;
    private boolean hasDamagedFilter;
    private long readTo = RunFormat.HEADER_BYTES;
    private final ByteBuffer passedOver = ByteBuffer.allocate(PIECE_BYTES);

    /**
     * @param ended which need not be readable
     * @param pool for what is kept meanwhile
     */
    RunCheck(
            DataDirectory directory,
            RunFile run,
            BitSet ended,
            ChunkPool pool,
            Consumer<StoreDamage> damages,
            Work work) {
        this.run = run;
        this.pool = pool;
        this.name = directory.name(run.path());
        this.ended = ended;
        this.damages = damages;
        this.work = work;
    }

    /** What has not ended and could not be read. */
    BitSet unreadable() {
        return unreadable;
    }

    /** Whether not all is as it should be in the filter: all timers can be read all the same. */
    boolean hasDamagedFilter() {
        return hasDamagedFilter;
    }

    /** How many timers were read. */
    long timers() {
        return timers;
    }

    void check() {
        work.begin(run.bytes());
        checkFilter();
        checkBlocks();
        BitSet passed = (BitSet) ended.clone();
        passed.or(unreadable);
        RunScan scan = new RunScan(run, passed);
        while (scan.next()) {
            passOver(scan.recordOffset());
            readTo = Math.max(readTo, scan.recordOffset() + scan.length());
            if (isSound(scan)) {
                timers++;
            } else {
                unreadable.set(scan.ordinal());
            }
            work.add(scan.length());
        }
        passOver(run.recordsEnd());
        work.end();
    }

    /** Reads on up to there, as far as that is part of the records. */
    private void passOver(long offset) {
        long end = Math.min(offset, run.recordsEnd());
        while (readTo < end) {
            passedOver.clear().limit((int) Math.min(PIECE_BYTES, end - readTo));
            run.readBytes(readTo, passedOver);
            readTo += passedOver.limit();
        }
    }

    private void checkFilter() {
        RunFilter.check(run, pool, damage -> harmFilter(damage.offset(), damage.what()));
    }

    private void harmFilter(long offset, String what) {
        hasDamagedFilter = true;
        damages.accept(Damages.harmless(name, offset, what + "; all entries of the run are looked at instead"));
    }

    private void checkBlocks() {
        ByteBuffer block = RunFile.newBlock();
        long lastDueMs = run.firstDueMs();
        RunFormat.Entries entries = run.entries();
        int blocks = entries.blocks(run.count());
        for (int position = 0; position < blocks; position++) {
            int first = position * entries.perBlock();
            int end = Math.min(run.count(), first + entries.perBlock());
            try {
                run.readBlock(position, block);
                lastDueMs = block.getLong(entries.offset(end - 1));
            } catch (StoreCorruptedException e) {
                lose(first, end, e.offset(), e.what(), lastDueMs);
            }
        }
    }

    private void lose(int first, int end, long offset, String what, long afterMs) {
        unreadable.set(first, end);
        unreadable.andNot(ended);
        int lost = unreadable.get(first, end).cardinality();
        damages.accept(Damages.ofTimers(name, offset, what, lost, afterMs, firstDueFrom(end)));
    }

    /** The due time of the first entry from there on that can be read. */
    private long firstDueFrom(int ordinal) {
        RunEntry entry = new RunEntry(run);
        for (int next = ordinal; next < run.count(); next += run.entries().perBlock()) {
            try {
                return entry.moveTo(next).attemptAtMs();
            } catch (StoreCorruptedException e) {
                // Told already, or in a moment.
            }
        }
        return run.lastDueMs();
    }

    private boolean isSound(RunScan scan) {
        String what;
        try {
            int at = scan.readRecord();
            TimerRecord record = TimerRecord.read(scan.window(), at, scan.length(), false);
            boolean same = record.seq() == scan.seq()
                    && record.attemptAtMs() == scan.attemptAtMs()
                    && record.lane().equals(scan.lane());
            if (same) {
                return true;
            }
            what = "the record of entry " + scan.ordinal() + " is another one";
        } catch (StoreCorruptedException e) {
            what = e.what();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            what = "the record of entry " + scan.ordinal() + " cannot be read: " + e.getMessage();
        }
        damages.accept(Damages.ofTimers(name, scan.recordOffset(), what, 1, scan.attemptAtMs(), scan.attemptAtMs()));
        return false;
    }
}
