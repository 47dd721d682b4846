package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link KeysFile} that was checked as a whole, a piece at a time.
 */
final class KeysReader implements AutoCloseable {

    private final FileChannel channel;
    private final List<KeysFile.QueueKeys> queues;
    private final long entries;
    private long offset;
    private long entriesRead;
    private boolean counted;

    private KeysReader(FileChannel channel, List<KeysFile.QueueKeys> queues, long entries, long offset) {
        this.channel = channel;
        this.queues = queues;
        this.entries = entries;
        this.offset = offset;
    }

    /** Opens the file of that generation and checks all of it; null when it is missing or damaged. */
    static @Nullable KeysReader open(DataDirectory directory, long storeId, long generation) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(directory.keys(generation), StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            return null;
        }
        try {
            KeysReader reader = readHeader(channel, storeId, generation);
            if (reader != null && reader.isSound()) {
                return reader;
            }
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    private static @Nullable KeysReader readHeader(FileChannel channel, long storeId, long generation)
            throws IOException {
        ByteBuffer head = DataDirectory.read(channel, 0, KeysFile.HEADER_BYTES);
        if (head.limit() < KeysFile.HEADER_BYTES
                || head.getLong(0) != KeysFile.MAGIC
                || head.getInt(8) != Manifest.FORMAT
                || head.getLong(16) != storeId
                || head.getLong(24) != generation) {
            return null;
        }
        int queueCount = head.getInt(12);
        long atMost = Math.min(channel.size(), 128L << 20);
        ByteBuffer in = DataDirectory.read(channel, 0, (int) atMost);
        in.position(KeysFile.HEADER_BYTES);
        List<KeysFile.QueueKeys> queues = new ArrayList<>();
        for (int i = 0; i < queueCount; i++) {
            if (in.remaining() < Short.BYTES) {
                return null;
            }
            byte[] name = new byte[Short.toUnsignedInt(in.getShort())];
            if (in.remaining() < name.length + 16) {
                return null;
            }
            in.get(name);
            queues.add(new KeysFile.QueueKeys(new String(name, StandardCharsets.UTF_8), in.getLong(), in.getLong()));
        }
        int end = in.position();
        if (in.remaining() < Integer.BYTES || in.getInt(end) != RunFormat.crc(in, 0, end)) {
            return null;
        }
        return new KeysReader(channel, queues, head.getLong(32), end + Integer.BYTES);
    }

    private boolean isSound() throws IOException {
        long start = offset;
        long found = 0;
        int position = 0;
        for (ByteBuffer piece = readPiece(position++); piece != null; piece = readPiece(position++)) {
            found += piece.limit() / KeysFile.ENTRY_BYTES;
        }
        boolean sound = found == entries && offset == channel.size();
        offset = start;
        return sound;
    }

    /** The next piece, or null when there is no sound one. */
    private @Nullable ByteBuffer readPiece(int position) throws IOException {
        ByteBuffer head = DataDirectory.read(channel, offset, 8);
        if (head.limit() < 8) {
            return null;
        }
        int count = head.getInt(0);
        if (count < 1 || count > KeysFile.ENTRIES_PER_PIECE) {
            return null;
        }
        ByteBuffer piece = DataDirectory.read(channel, offset + 8, count * KeysFile.ENTRY_BYTES);
        if (piece.limit() < count * KeysFile.ENTRY_BYTES || head.getInt(4) != KeysFile.crc(position, piece)) {
            return null;
        }
        offset += 8L + piece.limit();
        return piece;
    }

    /** Brings about {@code budget} entries into the index; returns how many: fewer than that when all are in. */
    int read(int budget, Shelves shelves) throws IOException {
        if (!counted) {
            for (KeysFile.QueueKeys queue : queues) {
                shelves.queues.countAll(shelves.queues.get(queue.name()), queue.live(), queue.dead());
            }
            counted = true;
        }
        int read = 0;
        while (read < budget && entriesRead < entries) {
            ByteBuffer piece = readPiece((int) (entriesRead / KeysFile.ENTRIES_PER_PIECE));
            if (piece == null) {
                throw new IOException("the saved keys changed while they were read");
            }
            for (int at = 0; at < piece.limit(); at += KeysFile.ENTRY_BYTES) {
                addUnlessEnded(shelves, piece.getLong(at), piece.getInt(at + 8), piece.getInt(at + 12));
            }
            int count = piece.limit() / KeysFile.ENTRY_BYTES;
            entriesRead += count;
            read += count;
        }
        return read;
    }

    private static void addUnlessEnded(Shelves shelves, long hash, int number, int ordinal) {
        Run run = (Run) shelves.shelf(number);
        if (run.isEnded(ordinal)) {
            // Delivered since the opening: counted with the queue, so that it is one less now.
            shelves.queues.count(run.queue(ordinal), run.tier() == RunFormat.Tier.DEAD, -1);
        } else {
            shelves.index.add(hash, number, ordinal);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
