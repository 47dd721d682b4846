package io.tickwheel.store.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/**
 * Reads the timers of a run that have not ended from the first to the last, entries and records, with buffers of its own: for
 * background tasks. Checks all that it reads.
 */
final class RunScan {

    private static final int WINDOW_BYTES = 256 << 10;

    final Run run;
    private final BitSet ended;
    private final ByteBuffer block = Run.newBlock();
    private int blockInBuffer = -1;
    private int ordinal = -1;
    private int entry;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;

    /** @param ended which to pass over; must not change meanwhile */
    RunScan(Run run, BitSet ended) {
        this.run = run;
        this.ended = ended;
    }

    /** Goes on to the next timer; false at the end. */
    boolean next() {
        ordinal = ended.nextClearBit(ordinal + 1);
        if (ordinal >= run.count()) {
            return false;
        }
        int wanted = ordinal / RunFormat.ENTRIES_PER_BLOCK;
        if (wanted != blockInBuffer) {
            run.readBlock(wanted, block);
            blockInBuffer = wanted;
        }
        entry = ordinal % RunFormat.ENTRIES_PER_BLOCK * RunFormat.ENTRY_BYTES;
        return true;
    }

    int ordinal() {
        return ordinal;
    }

    long dueAtMs() {
        return block.getLong(entry);
    }

    long seq() {
        return block.getLong(entry + 8);
    }

    long hash() {
        return block.getLong(entry + 16);
    }

    long recordOffset() {
        return Integer.toUnsignedLong(block.getInt(entry + 24));
    }

    int length() {
        return block.getInt(entry + 28);
    }

    String queueName() {
        return run.queueName(block.getInt(entry + 32));
    }

    int queuePosition() {
        return block.getInt(entry + 32);
    }

    /** Brings the record into {@link #window}, checked; returns where it begins there. */
    int readRecord() {
        long offset = recordOffset();
        int length = length();
        run.checkWithin(ordinal, offset, length);
        if (offset < windowStart || offset + length > windowStart + window.limit()) {
            int wanted = Math.max(length, WINDOW_BYTES);
            if (window.capacity() < wanted) {
                window = ByteBuffer.allocate(wanted).order(ByteOrder.LITTLE_ENDIAN);
            }
            window.clear();
            run.readBytes(offset, window);
            window.flip();
            windowStart = offset;
        }
        int at = (int) (offset - windowStart);
        if (at + length > window.limit() || RunFormat.crc(window, at, length) != block.getInt(entry + 36)) {
            throw run.corrupt(offset, "the record of entry " + ordinal + " is damaged");
        }
        return at;
    }

    ByteBuffer window() {
        return window;
    }
}
