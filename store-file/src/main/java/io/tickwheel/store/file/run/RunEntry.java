package io.tickwheel.store.file.run;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a run in view. To move to another one costs a read, or nothing when it stands in what was read before. Each block is
 * checked when the entry comes into it. Owned by one thread.
 */
public final class RunEntry {

    private static final ByteBuffer NO_BLOCK = ByteBuffer.allocate(0);

    private final RunFile file;
    private final int blocksARead;

    /** The blocks that were read. */
    private @Nullable ByteBuffer blocks;

    private int firstInBuffer = -1;

    /** The block that was checked. */
    private ByteBuffer block = NO_BLOCK;

    private int checked = -1;
    private int at;

    /** For who goes here and there: reads 4 KiB at a time. */
    public RunEntry(RunFile file) {
        this(file, 1);
    }

    /** @param blocksARead how many blocks of 4 KiB to read at a time: more for who goes from the first entry to the last */
    public RunEntry(RunFile file, int blocksARead) {
        this.file = file;
        this.blocksARead = blocksARead;
    }

    /** Goes to an entry. */
    public RunEntry moveTo(int ordinal) {
        RunFormat.Entries entries = file.entries();
        int wanted = entries.block(ordinal);
        if (wanted != checked) {
            moveToBlock(wanted);
        }
        at = entries.offset(ordinal);
        return this;
    }

    /** Goes to the first entry from that one on whose hash is sought; returns its ordinal, or {@code end} when there is none before. */
    public int seek(int from, int end, LongPredicate isSought) {
        RunFormat.Entries entries = file.entries();
        int ordinal = from;
        while (ordinal < end) {
            moveTo(ordinal);
            int nextBlock = (entries.block(ordinal) + 1) * entries.perBlock();
            for (int last = Math.min(end, nextBlock); ordinal < last; ordinal++) {
                if (isSought.test(hash())) {
                    return ordinal;
                }
                at += entries.entryBytes();
            }
        }
        return end;
    }

    private void moveToBlock(int wanted) {
        checked = -1;
        ByteBuffer buffer = blocks;
        if (buffer == null) {
            buffer = RunFile.newBlocks(blocksARead);
            blocks = buffer;
        }
        if (firstInBuffer < 0 || wanted < firstInBuffer || wanted >= firstInBuffer + blocksARead) {
            firstInBuffer = -1;
            file.readBlocks(wanted, buffer);
            firstInBuffer = wanted;
        }
        int from = Math.min(buffer.limit(), (wanted - firstInBuffer) * RunFormat.BLOCK_BYTES);
        int length = Math.min(buffer.limit() - from, RunFormat.BLOCK_BYTES);
        block = buffer.slice(from, length).order(ByteOrder.LITTLE_ENDIAN);
        file.checkBlock(wanted, block);
        checked = wanted;
    }

    /** Whether to move to that entry costs no read. */
    public boolean isNear(int ordinal) {
        int wanted = file.entries().block(ordinal);
        return firstInBuffer >= 0 && wanted >= firstInBuffer && wanted < firstInBuffer + blocksARead;
    }

    /** Gives the memory back until it is needed again. */
    public void drop() {
        blocks = null;
        block = NO_BLOCK;
        firstInBuffer = -1;
        checked = -1;
    }

    private ByteBuffer block() {
        assert checked >= 0 : "not moved to an entry";
        return block;
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
