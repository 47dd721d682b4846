package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.TimerKey;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
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
 * in time), and the timers that finished last. Immutable.
 *
 * <pre>
 *   0 magic "TWLGPROG" | 8 format u32 | 12 zero u32 | 16 store id u64 | 24 generation u64
 *   32 runs u32 | finished u32
 *   run        number u32 | epoch u32 | timers u32 | words u32 | words: u64 each, bit i of word j: timer 64 j + i has ended
 *              (in format 2 without the epoch, which is 0)
 *   finished   state u8 | id u64 | version u64 | due i64 | attempt i64 | attempts u32 | request hash u64
 *              queue bytes u16 | key bytes u16 | queue, key: UTF-8
 *   crc u32 of all before                                                               little endian
 * </pre>
 *
 * In format 2 there was no attempt: it counts as the due time.
 */
record Progress(List<RunProgress> runs, List<FinishedTable.Finished> finished) {

    static final Progress NONE = new Progress(List.of(), List.of());

    private static final long MAGIC = 0x474f5250474c5754L; // "TWLGPROG"
    private static final int BUFFER_BYTES = 256 << 10;

    /** A run that counts, how many timers it has and which of them have ended. */
    record RunProgress(long fileNumber, int count, BitSet ended) {

        int number() {
            return RunFormat.number(fileNumber);
        }
    }

    /** Writes the file of that generation, syncs it and gives it its name. */
    void write(DataDirectory directory, long storeId, long generation) throws IOException {
        Path file = directory.progress(generation);
        Path unfinished = DataDirectory.unfinished(file);
        Files.deleteIfExists(unfinished);
        try (FileChannel channel =
                PrivateFiles.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Out out = new Out(channel);
            out.room(40)
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
            for (FinishedTable.Finished one : finished) {
                write(out, one);
            }
            out.end();
            channel.force(true);
        }
        DataDirectory.rename(unfinished, file);
    }

    private static void write(Out out, FinishedTable.Finished one) throws IOException {
        byte[] queue = one.key().queue().getBytes(StandardCharsets.UTF_8);
        byte[] key = one.key().key().getBytes(StandardCharsets.UTF_8);
        out.room(49 + queue.length + key.length)
                .put(EndRecord.number(one.state()))
                .putLong(one.id())
                .putLong(one.version())
                .putLong(one.dueAtMs())
                .putLong(one.attemptAtMs())
                .putInt(one.attempts())
                .putLong(one.requestHash())
                .putShort((short) queue.length)
                .putShort((short) key.length)
                .put(queue)
                .put(key);
    }

    private static final class Out {

        private final FileChannel channel;
        private final CRC32C crc = new CRC32C();
        private final ByteBuffer buffer =
                ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

        Out(FileChannel channel) {
            this.channel = channel;
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
            DataDirectory.writeFully(channel, buffer);
        }

        private void flush() throws IOException {
            buffer.flip();
            crc.update(buffer.duplicate());
            DataDirectory.writeFully(channel, buffer);
            buffer.clear();
        }
    }

    /** Reads the file of that generation. */
    static Progress read(DataDirectory directory, long storeId, long generation) throws IOException {
        Path file = directory.progress(generation);
        ByteBuffer in;
        try {
            in = DataDirectory.read(file);
        } catch (NoSuchFileException e) {
            throw new StoreCorruptedException(
                    directory.name(file), 0, "the progress that the manifest names is missing");
        }
        int end = in.limit() - Integer.BYTES;
        if (end < 40 || in.getInt(end) != RunFormat.crc(in, 0, end) || in.getLong(0) != MAGIC) {
            throw new StoreCorruptedException(directory.name(file), 0, "the progress of the runs is damaged");
        }
        int format = in.getInt(8);
        if (format != Manifest.FORMAT && format != Manifest.OLD_FORMAT) {
            throw new StoreCorruptedException(
                    directory.name(file), 8, "the progress has format " + format + ", not " + Manifest.FORMAT);
        }
        if (in.getLong(16) != storeId || in.getLong(24) != generation) {
            throw new StoreCorruptedException(
                    directory.name(file), 16, "the progress is not the one that the manifest names");
        }
        in.limit(end).position(40);
        try {
            return read(in, format, in.getInt(32), in.getInt(36));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new StoreCorruptedException(
                    directory.name(file), in.position(), "the progress of the runs cannot be read: " + e);
        }
    }

    private static Progress read(ByteBuffer in, int format, int runCount, int finishedCount) {
        List<RunProgress> runs = new ArrayList<>();
        for (int i = 0; i < runCount; i++) {
            int number = in.getInt();
            int epoch = format == Manifest.OLD_FORMAT ? 0 : in.getInt();
            int count = in.getInt();
            int wordCount = in.getInt();
            if (wordCount < 0 || wordCount > in.remaining() / Long.BYTES) {
                throw new IllegalArgumentException(wordCount + " words in " + in.remaining() + " bytes");
            }
            long[] words = new long[wordCount];
            in.asLongBuffer().get(words);
            in.position(in.position() + words.length * Long.BYTES);
            runs.add(new RunProgress(RunFormat.fileNumber(epoch, number), count, BitSet.valueOf(words)));
        }
        List<FinishedTable.Finished> finished = new ArrayList<>();
        for (int i = 0; i < finishedCount; i++) {
            finished.add(readFinished(in, i, format));
        }
        return new Progress(runs, finished);
    }

    private static FinishedTable.Finished readFinished(ByteBuffer in, int order, int format) {
        byte state = in.get();
        long id = in.getLong();
        long version = in.getLong();
        long dueAtMs = in.getLong();
        long attemptAtMs = format == Manifest.OLD_FORMAT ? dueAtMs : in.getLong();
        int attempts = in.getInt();
        long requestHash = in.getLong();
        byte[] queue = new byte[Short.toUnsignedInt(in.getShort())];
        byte[] key = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(queue).get(key);
        TimerKey name =
                new TimerKey(new String(queue, StandardCharsets.UTF_8), new String(key, StandardCharsets.UTF_8));
        return new FinishedTable.Finished(
                name, order, id, version, dueAtMs, attemptAtMs, EndRecord.state(state), attempts, requestHash);
    }
}
