package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The key index of the timers in runs, as it was at a clean close, with the counts of their queues. It says nothing that
 * could not be found by looking through the runs: one that is missing or damaged is not missed.
 *
 * <pre>
 *   0 magic "TWLGKEYS" | 8 format u32 | 12 queues u32 | 16 store id u64 | 24 generation u64 | 32 entries u64
 *   40 (bytes u16, UTF-8, live u64, dead u64) for each queue | crc u32 of all before
 *   pieces: count u32 | crc u32 of position and entries | (hash u64, number of the run u32, ordinal u32) each
 * </pre>
 */
public final class KeysFile {

    static final long MAGIC = 0x5359454b474c5754L; // "TWLGKEYS"
    static final int ENTRY_BYTES = 16;
    static final int ENTRIES_PER_PIECE = 4_096;
    static final int PIECE_BYTES = 8 + ENTRIES_PER_PIECE * ENTRY_BYTES;
    public static final int HEADER_BYTES = 40;

    private KeysFile() {}

    /** What is counted of a queue. */
    public record QueueKeys(String name, long live, long dead) {}

    /**
     * Writes the file and gives it its name.
     *
     * @param queues the counts of the timers in runs
     * @param entries how many timers are in runs
     */
    public static void write(
            DataDirectory directory,
            long storeId,
            long generation,
            TimerTables tables,
            List<QueueKeys> queues,
            long entries)
            throws IOException {
        Path file = directory.keys(generation);
        Path unfinished = DataDirectory.unfinished(file);
        Files.deleteIfExists(unfinished);
        try (FileChannel channel =
                PrivateFiles.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeHeader(channel, storeId, generation, queues, entries);
            Pieces pieces = new Pieces(channel);
            int active = tables.active().number();
            KeyIndex.Visitor visitor = (hash, place, ordinal) -> {
                if (place != active) {
                    pieces.add(hash, place, ordinal);
                }
            };
            for (int segment = 0; segment < tables.index.segments(); segment++) {
                tables.index.visitSegment(segment, visitor);
                pieces.flushWhenFull();
            }
            pieces.end();
            channel.force(true);
        }
        DurableFiles.rename(unfinished, file);
    }

    private static void writeHeader(
            FileChannel channel, long storeId, long generation, List<QueueKeys> queues, long entries)
            throws IOException {
        List<byte[]> names = new ArrayList<>();
        int bytes = HEADER_BYTES + Integer.BYTES;
        for (QueueKeys queue : queues) {
            byte[] name = queue.name.getBytes(StandardCharsets.UTF_8);
            names.add(name);
            bytes += 18 + name.length;
        }
        ByteBuffer header = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC)
                .putInt(Manifest.FORMAT)
                .putInt(queues.size())
                .putLong(storeId)
                .putLong(generation)
                .putLong(entries);
        for (int i = 0; i < queues.size(); i++) {
            header.putShort((short) names.get(i).length)
                    .put(names.get(i))
                    .putLong(queues.get(i).live)
                    .putLong(queues.get(i).dead);
        }
        header.putInt(RunFormat.crc(header, 0, header.position()));
        DurableFiles.writeFully(channel, header.flip());
    }

    /** Gathers entries and writes them in pieces. */
    private static final class Pieces {

        private final FileChannel channel;
        private ByteBuffer entries = ByteBuffer.allocate(PIECE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private int position;

        Pieces(FileChannel channel) {
            this.channel = channel;
        }

        void add(long hash, int place, int ordinal) {
            if (entries.remaining() < ENTRY_BYTES) {
                ByteBuffer larger = ByteBuffer.allocate(2 * entries.capacity()).order(ByteOrder.LITTLE_ENDIAN);
                entries = larger.put(entries.flip());
            }
            entries.putLong(hash).putInt(place).putInt(ordinal);
        }

        void flushWhenFull() throws IOException {
            while (entries.position() >= ENTRIES_PER_PIECE * ENTRY_BYTES) {
                ByteBuffer all = entries.flip();
                write(all.slice(0, ENTRIES_PER_PIECE * ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN));
                all.position(ENTRIES_PER_PIECE * ENTRY_BYTES);
                entries = all.compact();
            }
        }

        void end() throws IOException {
            flushWhenFull();
            if (entries.position() > 0) {
                ByteBuffer rest = entries.flip();
                write(rest.slice().order(ByteOrder.LITTLE_ENDIAN));
            }
        }

        private void write(ByteBuffer piece) throws IOException {
            ByteBuffer header = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            header.putInt(piece.limit() / ENTRY_BYTES);
            header.putInt(crc(position++, piece)).flip();
            DurableFiles.writeFully(channel, header);
            DurableFiles.writeFully(channel, piece);
        }
    }

    static int crc(int position, ByteBuffer piece) {
        return RunFormat.crc(position, 0, 0, piece, piece.limit());
    }
}
