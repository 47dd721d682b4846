package io.tickwheel.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Files for the log to go on in, written from end to end before: a sync of a file that grows also waits for the journal of the
 * file system. One is made when there is none, a second one is kept at a trim; they outlive restarts. Thread-safe; what it does
 * on the disk is done by the background executor, but for {@link #begin}.
 *
 * <pre>
 *   zeros -> spare-n.tmp, synced -> spare-n -> &lt;lsn&gt;.log -> (trimmed) -> spare-n
 * </pre>
 *
 * A name is given only to what is complete, so a file called {@code spare-n} is one. Where none can be made, as on a disk with
 * little room, the log goes on in a file that grows.
 */
final class SpareSegments {

    static final int MOST = 2;

    /**
     * A page at a time: of what is written in larger pieces the page cache may make larger units, each of which then counts as
     * written as a whole when a frame goes into a part of it.
     */
    private static final int PIECE_BYTES = 4 << 10;

    /** Synced now and then, so that one large sync at the end does not hold up the log. */
    private static final int SYNC_EVERY_PIECES = 1_024;

    /** A spare is not made where this many of them do not fit. */
    private static final int ROOM_FOR = 4;

    private enum State {
        FREE,
        FILLING,
        READY,
        TAKEN
    }

    private final DataDirectory directory;
    private final Executor executor;
    private final Runnable waker;
    private final long segmentBytes;

    /** Of {@code spare-1} and so on; guarded by this. */
    private final State[] states = new State[MOST];

    /** Whether one could not be made; it is tried again for the next segment. Guarded by this. */
    private boolean givenUp;

    /** Whether the last that was tried found no room for it. */
    private volatile boolean ranOut;

    private volatile @Nullable Throwable failure;

    private SpareSegments(DataDirectory directory, Executor executor, Runnable waker, long segmentBytes) {
        this.directory = directory;
        this.executor = executor;
        this.waker = waker;
        this.segmentBytes = segmentBytes;
        Arrays.fill(states, State.FREE);
    }

    /** Finds what there is, and changes nothing yet. */
    static SpareSegments open(DataDirectory directory, Executor executor, Runnable waker, long segmentBytes)
            throws IOException {
        SpareSegments spares = new SpareSegments(directory, executor, waker, segmentBytes);
        for (int i = 0; i < MOST; i++) {
            if (spares.fits(directory.spare(i + 1))) {
                spares.set(i, State.READY);
            }
        }
        return spares;
    }

    /** One of another size was made for other settings, or held a frame that was too large. */
    private boolean fits(Path file) throws IOException {
        try {
            long size = Files.size(file);
            return size >= segmentBytes && size <= 2 * segmentBytes;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    synchronized int ready() {
        return count(State.READY);
    }

    /** How many there could be beside those that there are, or are being made. */
    synchronized int missing() {
        return MOST - count(State.READY) - count(State.FILLING);
    }

    /** Gives one away for another use, or null when there is none. */
    synchronized @Nullable Path giveAway() {
        int slot = find(State.READY);
        if (slot < 0) {
            return null;
        }
        states[slot] = State.FREE;
        return directory.spare(slot + 1);
    }

    /** Whether there is none, and the last that was tried found no room on the disk. */
    boolean ranOut() {
        return ranOut && ready() == 0;
    }

    /** Starts to make one when there is none, though the last could not be made. */
    void tryAgain() {
        synchronized (this) {
            givenUp = false;
        }
        prepare();
    }

    /** Whether the executor has nothing of this under way. */
    synchronized boolean isIdle() {
        return count(State.FILLING) == 0;
    }

    /** What went wrong, other than I/O, which only means that there is no spare. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Starts to make one when there is none: the second is one that a trim leaves. */
    void prepare() {
        int slot;
        synchronized (this) {
            if (givenUp || count(State.FILLING) > 0 || count(State.READY) > 0) {
                return;
            }
            slot = find(State.FREE);
            if (slot < 0) {
                return;
            }
            states[slot] = State.FILLING;
        }
        executor.execute(() -> fill(slot));
    }

    private void fill(int slot) {
        State end = State.FREE;
        try {
            end = make(directory.spare(slot + 1)) ? State.READY : State.FREE;
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            synchronized (this) {
                states[slot] = end;
                givenUp = end == State.FREE;
            }
            waker.run();
        }
    }

    private boolean make(Path file) {
        try {
            if (hasRoom()) {
                write(file);
                return true;
            }
        } catch (IOException e) {
            ranOut = NoSpace.isCauseOf(e, directory.usableBytes());
            DataDirectory.discard(DataDirectory.unfinished(file));
        }
        return false;
    }

    private boolean hasRoom() {
        return directory.usableBytes() / ROOM_FOR >= segmentBytes;
    }

    private void write(Path file) throws IOException {
        Path unfinished = DataDirectory.unfinished(file);
        try (FileChannel channel = PrivateFiles.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(PIECE_BYTES, segmentBytes));
            int pieces = 0;
            for (long left = segmentBytes; left > 0; left -= zeros.limit()) {
                zeros.position(0).limit((int) Math.min(zeros.capacity(), left));
                DataDirectory.writeFully(channel, zeros);
                if (++pieces % SYNC_EVERY_PIECES == 0) {
                    channel.force(false);
                }
            }
            channel.force(true);
        }
        DataDirectory.publish(unfinished, file);
    }

    /**
     * Begins the segment that starts at that LSN: in a spare when there is one, else in a file that grows; with the frames given,
     * all of it synced, and its name too.
     */
    LogSegment begin(long storeId, long lsn, SegmentStart start) throws IOException {
        Path file = directory.segment(lsn);
        int slot = take();
        LogSegment segment = slot < 0 ? null : overwrite(slot, storeId, lsn);
        boolean isSpare = segment != null;
        if (segment == null) {
            segment = LogSegment.create(file, storeId, lsn);
        }
        try {
            start.writeAndSync(segment);
            if (isSpare) {
                Files.move(directory.spare(slot + 1), file, StandardCopyOption.ATOMIC_MOVE);
                set(slot, State.FREE);
            }
            directory.syncCommitLog();
            return segment;
        } catch (IOException | RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    /** Writes the first frame of a segment. */
    interface SegmentStart {
        void writeAndSync(LogSegment segment) throws IOException;
    }

    private synchronized int take() {
        givenUp = false;
        int slot = find(State.READY);
        if (slot >= 0) {
            states[slot] = State.TAKEN;
        }
        return slot;
    }

    private @Nullable LogSegment overwrite(int slot, long storeId, long lsn) throws IOException {
        try {
            return LogSegment.overwrite(directory.spare(slot + 1), storeId, lsn);
        } catch (NoSuchFileException e) {
            set(slot, State.FREE);
            return null;
        }
    }

    /**
     * Keeps segments that end at or before a checkpoint, as many as are missing; to be called by the background executor once the
     * manifest that makes them superfluous is synced.
     */
    void recycle(long checkpointLsn) throws IOException {
        List<Long> segments = directory.segments();
        // The log may have just begun the next segment: without it the end of the log would be missing after a power
        // loss.
        directory.syncCommitLog();
        for (int i = 0; i + 1 < segments.size() && segments.get(i + 1) <= checkpointLsn; i++) {
            Path file = directory.segment(segments.get(i));
            if (!fits(file)) {
                continue;
            }
            int slot = reserve();
            if (slot < 0) {
                return;
            }
            Files.move(
                    file,
                    directory.spare(slot + 1),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            set(slot, State.READY);
        }
    }

    private synchronized int reserve() {
        int slot = find(State.FREE);
        if (slot >= 0) {
            states[slot] = State.TAKEN;
        }
        return slot;
    }

    private synchronized void set(int slot, State state) {
        states[slot] = state;
    }

    private synchronized int find(State state) {
        return Arrays.asList(states).indexOf(state);
    }

    private synchronized int count(State state) {
        int count = 0;
        for (State each : states) {
            if (each == state) {
                count++;
            }
        }
        return count;
    }
}
