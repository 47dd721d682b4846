package io.tickwheel.store.file.run;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a checkpoint knows beside the runs themselves: which runs count, which of their timers have ended (a set, never a point
 * in time), and the timers that finished last, which stand outside the heap. Not changed once it is made.
 *
 * <pre>
 *   0 magic "TWLGPROG" | 8 format u32 | 12 zero u32 | 16 store id u64 | 24 generation u64
 *   32 runs u32 | finished u32
 *   run        number u32 | epoch u32 | timers u32 | words u32 | words: u64 each, bit i of word j: timer 64 j + i has ended
 *              (in format 2 without the epoch, which is 0)
 *   finished   a {@link FinishedRecord}
 *   crc u32 of all before                                                               little endian
 * </pre>
 *
 * In format 2 there was no attempt: it counts as the due time. Nor was there a history.
 */
public record Progress(List<RunProgress> runs, RecordQueue finished) {

    private static final long MAGIC = 0x474f5250474c5754L; // "TWLGPROG"
    private static final int HEADER_BYTES = 40;
    private static final int BUFFER_BYTES = 256 << 10;

    /** A run that counts, how many timers it has and which of them have ended. */
    public record RunProgress(long fileNumber, int count, BitSet ended) {

        public int number() {
            return RunFormat.number(fileNumber);
        }
    }

    /** Of runs, and of no timer that has finished. */
    public static Progress of(List<RunProgress> runs) {
        return new Progress(runs, new RecordQueue(new ChunkPool()));
    }

    /** Writes the file of that generation, syncs it and gives it its name. */
    public void write(DataDirectory directory, long storeId, long generation) throws IOException {
        Path file = directory.progress(generation);
        Path unfinished = DataDirectory.unfinished(file);
        Files.deleteIfExists(unfinished);
        try (FileChannel channel =
                PrivateFiles.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Out out = new Out(channel, bufferBytes());
            out.room(HEADER_BYTES)
                    .putLong(MAGIC)
                    .putInt(Manifest.FORMAT)
                    .putInt(0)
                    .putLong(storeId)
                    .putLong(generation);
            out.room(8).putInt(runs.size()).putInt(finished.size());
            for (RunProgress run : runs) {
                long[] words = run.ended.toLongArray();
                out.room(16)
                        .putInt(run.number())
                        .putInt((int) (run.fileNumber >>> 32))
                        .putInt(run.count)
                        .putInt(words.length);
                for (long word : words) {
                    out.room(Long.BYTES).putLong(word);
                }
            }
            for (long at = finished.first(); at < finished.end(); at = finished.next(at)) {
                int length = finished.length(at);
                out.room(length).put(finished.chunk(at).slice(finished.offset(at), length));
            }
            out.end();
            channel.force(true);
        }
        DurableFiles.rename(unfinished, file);
    }

    /** Room for all that is written, or for as much of it as is written at once: most are small. */
    private int bufferBytes() {
        long bytes = HEADER_BYTES + 8 + Integer.BYTES + finished.end() - finished.first();
        for (RunProgress run : runs) {
            bytes += 16 + (run.ended.length() + Long.SIZE - 1L) / Long.SIZE * Long.BYTES;
        }
        return (int) Math.min(bytes, BUFFER_BYTES);
    }

    private static final class Out {

        private final FileChannel channel;
        private final CRC32C crc = new CRC32C();
        private final ByteBuffer buffer;

        Out(FileChannel channel, int bufferBytes) {
            this.channel = channel;
            this.buffer = ByteBuffer.allocateDirect(bufferBytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        ByteBuffer room(int bytes) throws IOException {
            if (buffer.remaining() < bytes) {
                flush();
            }
            return buffer;
        }

        void end() throws IOException {
            flush();
            buffer.putInt((int) crc.getValue()).flip();
            DurableFiles.writeFully(channel, buffer);
        }

        private void flush() throws IOException {
            buffer.flip();
            crc.update(buffer.duplicate());
            DurableFiles.writeFully(channel, buffer);
            buffer.clear();
        }
    }

    /** Reads the file of that generation: twice, so that nothing is made of one that is damaged. */
    public static Progress read(DataDirectory directory, long storeId, long generation) throws IOException {
        Path file = directory.progress(generation);
        try (FileChannel channel = directory.openFile(file)) {
            return read(channel, directory.name(file), storeId, generation);
        } catch (NoSuchFileException e) {
            throw new StoreCorruptedException(
                    directory.name(file), 0, "the progress that the manifest names is missing");
        } catch (IOException e) {
            throw DurableFiles.unreadable(file, e);
        }
    }

    private static Progress read(FileChannel channel, String file, long storeId, long generation) throws IOException {
        In in = new In(channel);
        try {
            checkHeader(in, file, storeId, generation);
            return read(in);
        } catch (IllegalArgumentException e) {
            throw new StoreCorruptedException(file, in.position(), "the progress of the runs cannot be read: " + e);
        }
    }

    private static void checkHeader(In in, String file, long storeId, long generation) throws IOException {
        if (!in.isSound() || in.need(HEADER_BYTES).getLong(0) != MAGIC) {
            throw new StoreCorruptedException(file, 0, "the progress of the runs is damaged");
        }
        ByteBuffer header = in.need(HEADER_BYTES);
        int format = header.getInt(8);
        if (format != Manifest.FORMAT && format != Manifest.OLD_FORMAT) {
            throw new StoreCorruptedException(
                    file, 8, "the progress has format " + format + ", not " + Manifest.FORMAT);
        }
        if (header.getLong(16) != storeId || header.getLong(24) != generation) {
            throw new StoreCorruptedException(file, 16, "the progress is not the one that the manifest names");
        }
    }

    private static Progress read(In in) throws IOException {
        ByteBuffer header = in.need(HEADER_BYTES);
        boolean isOld = header.getInt(8) == Manifest.OLD_FORMAT;
        int runCount = header.getInt(32);
        int finishedCount = header.getInt(36);
        header.position(HEADER_BYTES);
        List<RunProgress> runs = new ArrayList<>();
        for (int i = 0; i < runCount; i++) {
            ByteBuffer bytes = in.need(isOld ? 12 : 16);
            int number = bytes.getInt();
            int epoch = isOld ? 0 : bytes.getInt();
            long fileNumber = RunFormat.fileNumber(epoch, number);
            runs.add(new RunProgress(fileNumber, bytes.getInt(), readEnded(in, bytes.getInt())));
        }
        RecordQueue finished = new RecordQueue(new ChunkPool());
        for (int i = 0; i < finishedCount; i++) {
            readFinished(in, finished, isOld);
        }
        if (in.left() > 0) {
            throw new IllegalArgumentException(in.left() + " bytes are left over");
        }
        return new Progress(runs, finished);
    }

    private static BitSet readEnded(In in, int wordCount) throws IOException {
        if (wordCount < 0 || wordCount > in.left() / Long.BYTES) {
            throw new IllegalArgumentException(wordCount + " words in " + in.left() + " bytes");
        }
        long[] words = new long[wordCount];
        for (int i = 0; i < wordCount; i++) {
            words[i] = in.need(Long.BYTES).getLong();
        }
        return BitSet.valueOf(words);
    }

    private static void readFinished(In in, RecordQueue finished, boolean isOld) throws IOException {
        if (isOld) {
            readOldFinished(in, finished);
            return;
        }
        ByteBuffer head = in.need(FinishedRecord.FIXED_BYTES);
        head = in.need(FinishedRecord.headBytes(head, head.position()));
        int length = FinishedRecord.length(head, head.position());
        ByteBuffer bytes = in.need(length);
        int from = bytes.position();
        FinishedRecord.checkHistory(bytes, from);
        long position = finished.add(length);
        finished.chunk(position).put(finished.offset(position), bytes, from, length);
        bytes.position(from + length);
    }

    private static void readOldFinished(In in, RecordQueue finished) throws IOException {
        ByteBuffer head = in.need(FinishedRecord.OLD_FIXED_BYTES);
        int length = FinishedRecord.oldLength(head, head.position());
        ByteBuffer bytes = in.need(length);
        int from = bytes.position();
        long position = finished.add(length + FinishedRecord.FIXED_BYTES - FinishedRecord.OLD_FIXED_BYTES);
        FinishedRecord.copyOld(bytes, from, length, finished.chunk(position), finished.offset(position));
        bytes.position(from + length);
    }

    /** The file, a piece at a time. */
    private static final class In {

        private final FileChannel channel;

        /** Where the checksum begins. */
        private final long end;

        private final ByteBuffer buffer;
        private long read;

        In(FileChannel channel) throws IOException {
            this.channel = channel;
            this.end = channel.size() - Integer.BYTES;
            this.buffer = ByteBuffer.allocate((int) Math.max(0, Math.min(end, BUFFER_BYTES)))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .limit(0);
        }

        /** Whether the checksum is right; then goes back to the beginning. */
        boolean isSound() throws IOException {
            if (end < HEADER_BYTES) {
                return false;
            }
            CRC32C crc = new CRC32C();
            while (left() > 0) {
                crc.update(need((int) Math.min(left(), BUFFER_BYTES)));
            }
            ByteBuffer written = DurableFiles.read(channel, end, Integer.BYTES);
            read = 0;
            buffer.limit(0);
            return written.limit() == Integer.BYTES && written.getInt(0) == (int) crc.getValue();
        }

        /** How many bytes come before the checksum. */
        long left() {
            return end - position();
        }

        long position() {
            return read - buffer.remaining();
        }

        /** So many bytes, or more, from the position of the buffer on; the caller moves that behind what it takes. */
        ByteBuffer need(int bytes) throws IOException {
            if (buffer.remaining() < bytes) {
                if (bytes > left()) {
                    throw new IllegalArgumentException(bytes + " bytes of the last " + left());
                }
                buffer.compact();
                buffer.limit((int) Math.min(buffer.capacity(), buffer.position() + end - read));
                while (buffer.hasRemaining()) {
                    int taken = channel.read(buffer, read);
                    if (taken < 0) {
                        throw new IllegalArgumentException("the file ends at " + read + " of " + end);
                    }
                    read += taken;
                }
                buffer.flip();
            }
            return buffer;
        }
    }
}
