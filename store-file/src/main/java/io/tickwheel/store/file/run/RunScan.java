package io.tickwheel.store.file.run;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.memory.OffHeap;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Reads the timers of a run that have not ended from the first to the last, entries and records, with buffers of its own, the
 * larger one outside the heap: for background tasks. Checks all that it reads.
 */
public final class RunScan {

    private static final int WINDOW_BYTES = 256 << 10;

    public final RunFile file;
    private final BitSet ended;
    private final RunEntry entry;
    private int ordinal = -1;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;

    /** @param ended which to pass over; must not change meanwhile */
    public RunScan(RunFile file, BitSet ended) {
        this(file, ended, 1);
    }

    /** @param blocksARead how many blocks of entries to read at a time; where one cannot be read, none of them can */
    public RunScan(RunFile file, BitSet ended, int blocksARead) {
        this.file = file;
        this.ended = ended;
        this.entry = new RunEntry(file, blocksARead);
    }

    /** Goes on to the next timer; false at the end. */
    public boolean next() {
        ordinal = ended.nextClearBit(ordinal + 1);
        if (ordinal >= file.count()) {
            return false;
        }
        entry.moveTo(ordinal);
        return true;
    }

    public int ordinal() {
        return ordinal;
    }

    public long attemptAtMs() {
        return entry.attemptAtMs();
    }

    public long seq() {
        return entry.seq();
    }

    public long hash() {
        return entry.hash();
    }

    public long recordOffset() {
        return entry.recordOffset();
    }

    public int length() {
        return entry.length();
    }

    public Lane lane() {
        return file.laneName(entry.lanePosition());
    }

    public int lanePosition() {
        return entry.lanePosition();
    }

    /** Brings the record into {@link #window}, checked; returns where it begins there. */
    public int readRecord() {
        long offset = recordOffset();
        int length = length();
        file.checkWithin(ordinal, offset, length);
        if (offset < windowStart || offset + length > windowStart + window.limit()) {
            int wanted = Math.max(length, WINDOW_BYTES);
            if (window.capacity() < wanted) {
                window = OffHeap.allocate(wanted);
            }
            window.clear();
            file.readBytes(offset, window);
            window.flip();
            windowStart = offset;
        }
        int at = (int) (offset - windowStart);
        if (at + length > window.limit() || RunFormat.crc(window, at, length) != entry.recordCrc()) {
            throw file.corrupt(offset, "the record of entry " + ordinal + " is damaged");
        }
        return at;
    }

    public ByteBuffer window() {
        return window;
    }
}
