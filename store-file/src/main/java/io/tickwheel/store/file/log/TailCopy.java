package io.tickwheel.store.file.log;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes the end of the log anew for a new owner: the last segment, of which a torn end is left out, and of those before it as
 * many as fit into one segment with it. So each owner has a last segment of its own, nobody writes to what an owner before has
 * open, and restarts do not make more and more segments. LSNs stay as they are; frames get the epoch of the new owner.
 *
 * <pre>
 *   chain     ... | A-3 (64 MiB) | B-3 (20 MiB) | C-7 (1 MiB) | D-7 (2 MiB, torn)        owners 3 and 7
 *   owner 9   ... | A-3 (64 MiB) | B-9 (23 MiB)
 * </pre>
 */
public final class TailCopy {

    private static final int BUFFER_BYTES = 1 << 20;

    private final DataDirectory directory;
    private final long storeId;
    private final LogReader.Tail tail;
    private final long checkpointLsn;
    private final int epoch;
    private final SegmentReader reader;

    /** @param checkpointLsn what lies before it is left out */
    public TailCopy(
            DataDirectory directory,
            long storeId,
            LogReader.Tail tail,
            long checkpointLsn,
            int epoch,
            SegmentReader reader) {
        this.directory = directory;
        this.storeId = storeId;
        this.tail = tail;
        this.checkpointLsn = checkpointLsn;
        this.epoch = epoch;
        this.reader = reader;
    }

    /**
     * The new segment, synced, and the segments that stay in the log before it.
     *
     * @param before in their order
     */
    public record Written(LogSegment segment, List<SegmentName> before) {}

    /** Writes as many segments into one as are at most so long together, at least the last one. */
    public Written write(long mostBytes) throws IOException {
        List<SegmentName> chain = tail.chain();
        int first = chain.size() - 1;
        while (first > 0 && bytesFrom(first - 1) <= mostBytes) {
            first--;
        }
        List<SegmentName> before = chain.subList(0, first);
        SegmentName name = new SegmentName(startOf(first), epoch);
        LogSegment segment =
                LogSegment.create(directory.segment(name), storeId, name, first == 0 ? null : before.get(first - 1));
        try {
            copy(segment, first);
            segment.sync();
            directory.syncCommitLog();
            return new Written(segment, before);
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            DurableFiles.discard(directory.segment(name));
            throw e;
        }
    }

    private long startOf(int position) {
        return Math.max(tail.chain().get(position).baseLsn(), checkpointLsn);
    }

    private long bytesFrom(int position) {
        return LogSegment.HEADER_BYTES + tail.endLsn() - startOf(position);
    }

    private void copy(LogSegment segment, int first) throws IOException {
        long bytes = bytesFrom(first);
        Output out = new Output(segment, SegmentReader.allocate((int) Math.min(BUFFER_BYTES, bytes)));
        List<SegmentName> chain = tail.chain();
        for (int i = first; i < chain.size(); i++) {
            SegmentName from = chain.get(i);
            reader.open(directory, from);
            long end = i + 1 < chain.size() ? chain.get(i + 1).baseLsn() : tail.endLsn();
            long lsn = startOf(i);
            while (lsn < end) {
                lsn += copyFrame(from, LogSegment.HEADER_BYTES + lsn - from.baseLsn(), out);
            }
        }
        out.flush();
    }

    /** Returns how long it is. */
    private int copyFrame(SegmentName from, long offset, Output out) throws IOException {
        Frame.Header frame = reader.frame(offset, LogSegment.identity(storeId, from));
        if (frame == null) {
            throw new StoreCorruptedException(
                    directory.name(directory.segment(from)),
                    offset,
                    "a frame that was read before cannot be read again");
        }
        ByteBuffer header = ByteBuffer.allocate(Frame.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        reader.forEachPiece(offset, offset + Frame.HEADER_BYTES, header::put);
        CRC32C crc = Frame.change(header, epoch, LogSegment.identity(storeId, out.segment.name()));
        long body = offset + Frame.HEADER_BYTES;
        long end = offset + frame.bytes();
        reader.forEachPiece(body, end, crc::update);
        Frame.setChecksum(header, crc);
        out.put(header.flip());
        reader.forEachPiece(body, end, out::put);
        return frame.bytes();
    }

    /** Gathers what goes to the file. */
    private static final class Output {

        private final LogSegment segment;
        private final ByteBuffer buffer;

        Output(LogSegment segment, ByteBuffer buffer) {
            this.segment = segment;
            this.buffer = buffer;
        }

        void put(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                if (!buffer.hasRemaining()) {
                    flush();
                }
                int length = Math.min(bytes.remaining(), buffer.remaining());
                buffer.put(bytes.slice(bytes.position(), length));
                bytes.position(bytes.position() + length);
            }
        }

        void flush() throws IOException {
            segment.write(buffer.flip());
            buffer.clear();
        }
    }
}
