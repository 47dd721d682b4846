package io.tickwheel.store.file.tools;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.file.StoreBackup;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The file {@code BACKUP} of a copy, written last: which files it has and what is in them.
 *
 * <pre>
 *   tickwheel-backup 1 end-lsn                        decimal
 *   crc32c bytes name                                 8 hex digits, decimal, relative with slashes; for each file, by name
 *   crc32c                                            of all lines before
 * </pre>
 */
public record BackupList(long endLsn, Map<String, Entry> files) {

    private static final String FIRST_WORDS = "tickwheel-backup 1 ";
    private static final int PIECE_BYTES = 1 << 20;

    /** What is in a file. */
    public record Entry(int crc, long bytes) {}

    long bytes() {
        return files.values().stream().mapToLong(Entry::bytes).sum();
    }

    StoreBackup summary() {
        return new StoreBackup(files.size(), bytes(), endLsn);
    }

    /** Writes the list into a directory of which all else is synced, and syncs it. */
    void write(Path directory) throws IOException {
        StringBuilder text = new StringBuilder(FIRST_WORDS).append(endLsn).append('\n');
        files.forEach((name, entry) -> text.append(hex(entry.crc))
                .append(' ')
                .append(entry.bytes)
                .append(' ')
                .append(name)
                .append('\n'));
        byte[] lines = text.toString().getBytes(StandardCharsets.UTF_8);
        byte[] last = (hex(crc(lines)) + "\n").getBytes(StandardCharsets.UTF_8);
        Path file = directory.resolve(DataDirectory.BACKUP);
        Path unfinished = DataDirectory.unfinished(file);
        try (FileChannel channel = PrivateFiles.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            DurableFiles.writeFully(channel, ByteBuffer.wrap(lines));
            DurableFiles.writeFully(channel, ByteBuffer.wrap(last));
            channel.force(true);
        }
        DurableFiles.publish(unfinished, file);
    }

    /** Reads the list of a copy. */
    public static BackupList read(Path directory) throws IOException {
        ByteBuffer bytes;
        try {
            bytes = DurableFiles.read(directory.resolve(DataDirectory.BACKUP));
        } catch (NoSuchFileException e) {
            throw new StoreException(
                    "there is no complete backup in " + directory + ": it has no file " + DataDirectory.BACKUP, e);
        }
        String text = StandardCharsets.UTF_8.decode(bytes).toString();
        int lastLine = text.lastIndexOf('\n', Math.max(0, text.length() - 2)) + 1;
        String lines = text.substring(0, lastLine);
        if (!text.substring(lastLine).equals(hex(crc(lines.getBytes(StandardCharsets.UTF_8))) + "\n")
                || !lines.startsWith(FIRST_WORDS)) {
            throw new StoreCorruptedException(DataDirectory.BACKUP, 0, "the list of the backup is damaged");
        }
        String[] each = lines.split("\n", -1);
        Map<String, Entry> files = new TreeMap<>();
        for (int i = 1; i < each.length - 1; i++) {
            String[] words = each[i].split(" ", 3);
            files.put(words[2], new Entry(Integer.parseUnsignedInt(words[0], 16), Long.parseLong(words[1])));
        }
        return new BackupList(Long.parseLong(each[0].substring(FIRST_WORDS.length())), files);
    }

    /** Copies an open file to a new one, synced, and tells what was in it. */
    static Entry copy(Path file, FileChannel from, Path to, Work work) throws IOException {
        work.begin(from.size());
        CRC32C crc = new CRC32C();
        long bytes = 0;
        try (FileChannel out = PrivateFiles.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
            while (read(file, from, piece.clear(), bytes) > 0) {
                piece.flip();
                bytes += piece.limit();
                crc.update(piece.duplicate());
                work.add(piece.limit());
                DurableFiles.writeFully(out, piece);
            }
            out.force(true);
        }
        work.end();
        return new Entry((int) crc.getValue(), bytes);
    }

    /** What is in a file. */
    static Entry of(Path file, Work work) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            work.begin(channel.size());
            CRC32C crc = new CRC32C();
            long bytes = 0;
            ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
            while (read(file, channel, piece.clear(), bytes) > 0) {
                bytes += piece.flip().limit();
                work.add(piece.limit());
                crc.update(piece);
            }
            work.end();
            return new Entry((int) crc.getValue(), bytes);
        }
    }

    private static int read(Path file, FileChannel channel, ByteBuffer piece, long at) throws IOException {
        try {
            return channel.read(piece, at);
        } catch (IOException e) {
            throw DurableFiles.unreadable(file, e);
        }
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static String hex(int crc) {
        return String.format(Locale.ROOT, "%08x", crc);
    }
}
