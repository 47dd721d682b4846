package io.tickwheel.store.file;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A position in a run, on its way through the waiting timers in due order; of one queue only, or of all. Owned by the loop. */
final class RunCursor {

    final Run run;
    private final QueueTable.@Nullable Queue only;
    private int position;
    private long nextDueMs;

    /** Whether {@code position} is a waiting entry and {@code nextDueMs} its due time, rather than a time before it. */
    private boolean exact;

    private @Nullable ByteBuffer block;
    private int blockInBuffer = -1;

    RunCursor(Run run, long fromMs, QueueTable.@Nullable Queue only) {
        this.run = run;
        this.only = only;
        this.position = run.lowerBound(fromMs);
        this.nextDueMs = Math.max(fromMs, run.firstDueMs());
    }

    /** The due time of the next waiting timer, or one before it; {@link Long#MAX_VALUE} at the end. */
    long nextDueMs() {
        return nextDueMs;
    }

    boolean isAtEnd() {
        return position >= run.count();
    }

    /**
     * Makes {@link #nextDueMs} exact.
     *
     * @param budget how many entries may be passed over
     * @return how many were
     */
    int seek(int budget) {
        int passed = 0;
        while (!exact) {
            position = run.nextWaiting(position);
            if (isAtEnd()) {
                nextDueMs = Long.MAX_VALUE;
                block = null;
                return passed;
            }
            int entry = entry();
            nextDueMs = block().getLong(entry);
            if (only == null || run.queueAt(block().getInt(entry + 32)) == only) {
                exact = true;
            } else if (passed == budget) {
                return passed;
            } else {
                position++;
                passed++;
            }
        }
        return passed;
    }

    boolean isExact() {
        return exact;
    }

    int ordinal() {
        return position;
    }

    long seq() {
        return block().getLong(entry() + 8);
    }

    QueueTable.Queue queue() {
        return run.queueAt(block().getInt(entry() + 32));
    }

    /** Goes on behind the present entry. */
    void pass() {
        position++;
        exact = false;
        if (isAtEnd()) {
            nextDueMs = Long.MAX_VALUE;
            block = null;
        }
    }

    private ByteBuffer block() {
        ByteBuffer read = block;
        if (read == null) {
            read = Run.newBlock();
            block = read;
            blockInBuffer = -1;
        }
        return read;
    }

    private int entry() {
        int wanted = position / RunFormat.ENTRIES_PER_BLOCK;
        ByteBuffer into = block();
        if (wanted != blockInBuffer) {
            blockInBuffer = -1;
            run.readBlock(wanted, into);
            blockInBuffer = wanted;
        }
        return position % RunFormat.ENTRIES_PER_BLOCK * RunFormat.ENTRY_BYTES;
    }
}
