package io.tickwheel.store.file.run;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a run in view. To move to another one costs a read of 4 KiB, or nothing when it stands in the same block. Owned by
 * one thread.
 */
public final class RunEntry {

    private final RunFile file;
    private @Nullable ByteBuffer block;
    private int blockInBuffer = -1;
    private int at;

    public RunEntry(RunFile file) {
        this.file = file;
    }

    /** Goes to an entry. */
    public RunEntry moveTo(int ordinal) {
        RunFormat.Entries entries = file.entries();
        int wanted = entries.block(ordinal);
        ByteBuffer buffer = block;
        if (buffer == null) {
            buffer = RunFile.newBlock();
            block = buffer;
        }
        if (wanted != blockInBuffer) {
            blockInBuffer = -1;
            file.readBlock(wanted, buffer);
            blockInBuffer = wanted;
        }
        at = entries.offset(ordinal);
        return this;
    }

    /** Whether to move to that entry costs no read. */
    public boolean isNear(int ordinal) {
        return file.entries().block(ordinal) == blockInBuffer;
    }

    /** Gives the memory back until it is needed again. */
    public void drop() {
        block = null;
        blockInBuffer = -1;
    }

    private ByteBuffer block() {
        ByteBuffer buffer = block;
        assert buffer != null : "not moved to an entry";
        return buffer;
    }

    public long attemptAtMs() {
        return block().getLong(at);
    }

    public long seq() {
        return block().getLong(at + 8);
    }

    public long hash() {
        return block().getLong(at + 16);
    }

    public long recordOffset() {
        return Integer.toUnsignedLong(block().getInt(at + 24));
    }

    /** How long the record is. */
    public int length() {
        return block().getInt(at + 28);
    }

    /** Where the lane stands in the names of the run. */
    public int lanePosition() {
        return block().getInt(at + 32);
    }

    public int recordCrc() {
        return block().getInt(at + 36);
    }

    /** The ordinal of the next entry of the same lane, 0 for none; only where the entries are linked. */
    public int next() {
        assert file.entries().areLinked();
        return block().getInt(at + 40);
    }
}
