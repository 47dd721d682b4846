package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Brings a {@link KeysFile} into the index, a piece at a time: first all of it is checked, then all of it is read again and
 * used, so that of a damaged file nothing is. Owned by the loop.
 */
public final class KeysReader implements AutoCloseable {

    /** So much of the file is read at first for the names of the queues, and twice as much when that is too little. */
    private static final int FIRST_WINDOW_BYTES = 64 << 10;

    private static final int MOST_WINDOW_BYTES = 128 << 20;

    /** To check an entry costs so many times less than to use it. */
    private static final int CHECKED_FOR_ONE = 8;

    private final FileChannel channel;
    private final long storeId;
    private final long generation;
    private final List<KeysFile.QueueKeys> queues = new ArrayList<>();
    private Step step = Step.HEADER;
    private @Nullable Outcome outcome;
    private long entries;
    private long piecesAt;
    private long offset;
    private int position;
    private long entriesRead;

    private enum Step {
        HEADER,
        CHECK,
        FILL
    }

    /** What came of the file. */
    enum Outcome {
        /** All of it is in the index. */
        FILLED,
        /** It is damaged, or cannot be read: nothing of it is in the index. */
        DAMAGED
    }

    private KeysReader(FileChannel channel, long storeId, long generation) {
        this.channel = channel;
        this.storeId = storeId;
        this.generation = generation;
    }

    /** Opens the file of that generation and reads nothing yet; null when it is missing. */
    public static @Nullable KeysReader open(DataDirectory directory, long storeId, long generation) throws IOException {
        try {
            FileChannel channel = directory.openFile(directory.keys(generation));
            return new KeysReader(channel, storeId, generation);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** What came of the file, or null while there is more to be done. */
    @Nullable
    Outcome outcome() {
        return outcome;
    }

    /**
     * Goes on.
     *
     * @param budget about how many entries to use
     * @return about how many were
     */
    int work(int budget, TimerTables tables) throws IOException {
        int taken = 0;
        while (taken < budget && outcome == null) {
            taken += step == Step.FILL
                    ? fill(tables)
                    : look(() -> step == Step.HEADER ? readHeader() : checkBeforeUse(tables));
        }
        return taken;
    }

    private interface Look {
        int take() throws IOException;
    }

    /** Looks at a piece of which nothing is used yet: one that cannot be read is as good as damaged. */
    private int look(Look look) throws IOException {
        try {
            return look.take();
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            outcome = Outcome.DAMAGED;
            return 1;
        }
    }

    /**
     * Reads all of the file and uses nothing of it; instead of {@link #work}.
     *
     * @param timersOf how many timers the run of a number has; less than 0 when there is no such run
     * @return whether it is sound
     */
    public boolean isSound(IntUnaryOperator timersOf) throws IOException {
        while (outcome == null && step != Step.FILL) {
            look(() -> step == Step.HEADER ? readHeader() : check(timersOf));
        }
        return outcome == null;
    }

    private int readHeader() throws IOException {
        for (int window = FIRST_WINDOW_BYTES; ; window *= 2) {
            ByteBuffer in = DurableFiles.read(channel, 0, window);
            if (!isOurs(in)) {
                outcome = Outcome.DAMAGED;
                return 1;
            }
            if (readQueues(in)) {
                int end = in.position();
                piecesAt = end + (long) Integer.BYTES;
                offset = piecesAt;
                entries = in.getLong(32);
                step = Step.CHECK;
                outcome = in.getInt(end) == RunFormat.crc(in, 0, end) ? null : Outcome.DAMAGED;
                return 1 + queues.size();
            }
            if (in.limit() < window || window >= MOST_WINDOW_BYTES) {
                outcome = Outcome.DAMAGED;
                return 1;
            }
        }
    }

    private boolean isOurs(ByteBuffer in) {
        return in.limit() >= KeysFile.HEADER_BYTES
                && in.getLong(0) == KeysFile.MAGIC
                && (in.getInt(8) == Manifest.FORMAT || in.getInt(8) == Manifest.OLD_FORMAT)
                && in.getLong(16) == storeId
                && in.getLong(24) == generation;
    }

    /** Whether the names, and the checksum behind them, are all in there. */
    private boolean readQueues(ByteBuffer in) {
        queues.clear();
        in.position(KeysFile.HEADER_BYTES);
        for (int left = in.getInt(12); left > 0; left--) {
            if (in.remaining() < Short.BYTES) {
                return false;
            }
            byte[] name = new byte[Short.toUnsignedInt(in.getShort())];
            if (in.remaining() < name.length + 2 * Long.BYTES) {
                return false;
            }
            in.get(name);
            queues.add(new KeysFile.QueueKeys(new String(name, StandardCharsets.UTF_8), in.getLong(), in.getLong()));
        }
        return in.remaining() >= Integer.BYTES;
    }

    private int checkBeforeUse(TimerTables tables) throws IOException {
        int taken = check(number -> {
            Run run = tables.run(number);
            return run == null ? -1 : run.count();
        });
        if (step == Step.FILL) {
            for (KeysFile.QueueKeys queue : queues) {
                tables.queues.countAll(tables.queues.get(queue.name()), queue.live(), queue.dead());
            }
        }
        return taken;
    }

    private int check(IntUnaryOperator timersOf) throws IOException {
        if (offset == channel.size()) {
            if (entriesRead == entries) {
                beginToFill();
            } else {
                outcome = Outcome.DAMAGED;
            }
            return 1;
        }
        ByteBuffer piece = readPiece();
        if (piece == null || !isOfRuns(piece, timersOf)) {
            outcome = Outcome.DAMAGED;
            return 1;
        }
        return 1 + piece.limit() / KeysFile.ENTRY_BYTES / CHECKED_FOR_ONE;
    }

    private void beginToFill() {
        step = Step.FILL;
        offset = piecesAt;
        position = 0;
        entriesRead = 0;
    }

    /** The next piece, or null when there is no sound one. */
    private @Nullable ByteBuffer readPiece() throws IOException {
        ByteBuffer head = DurableFiles.read(channel, offset, 8);
        if (head.limit() < 8) {
            return null;
        }
        int count = head.getInt(0);
        if (count < 1 || count > KeysFile.ENTRIES_PER_PIECE) {
            return null;
        }
        ByteBuffer piece = DurableFiles.read(channel, offset + 8, count * KeysFile.ENTRY_BYTES);
        if (piece.limit() < count * KeysFile.ENTRY_BYTES || head.getInt(4) != KeysFile.crc(position, piece)) {
            return null;
        }
        position++;
        entriesRead += count;
        offset += 8L + piece.limit();
        return piece;
    }

    private static boolean isOfRuns(ByteBuffer piece, IntUnaryOperator timersOf) {
        for (int at = 0; at < piece.limit(); at += KeysFile.ENTRY_BYTES) {
            int ordinal = piece.getInt(at + 12);
            if (ordinal < 0 || ordinal >= timersOf.applyAsInt(piece.getInt(at + 8))) {
                return false;
            }
        }
        return true;
    }

    private int fill(TimerTables tables) throws IOException {
        if (entriesRead == entries) {
            outcome = Outcome.FILLED;
            return 1;
        }
        ByteBuffer piece = readPiece();
        if (piece == null) {
            throw new IOException("the saved keys changed while they were read");
        }
        for (int at = 0; at < piece.limit(); at += KeysFile.ENTRY_BYTES) {
            tables.enterCounted(piece.getLong(at), piece.getInt(at + 8), piece.getInt(at + 12));
        }
        return piece.limit() / KeysFile.ENTRY_BYTES;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
