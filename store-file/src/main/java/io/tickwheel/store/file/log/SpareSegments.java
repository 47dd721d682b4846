package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.NoSpace;
import io.tickwheel.store.file.disk.PrivateFiles;
import io.tickwheel.store.file.disk.SegmentName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Files for the log to go on in, written from end to end before: a sync of a file that grows also waits for the journal of the
 * file system. One is made when there is none, a second one is kept at a trim; they outlive restarts. Thread-safe; what it does
 * on the disk is done by the background executor, but for {@link #begin}.
 *
 * <pre>
 *   zeros -> spare-e-n.tmp, synced -> spare-e-n -> &lt;lsn&gt;-e.log -> (trimmed) -> spare-e-n        e: the epoch of this owner
 * </pre>
 *
 * A name is given only to what is complete, so a file called {@code spare-e-n} is one. Where none can be made, as on a disk with
 * little room, the log goes on in a file that grows.
 *
 * <p>Whoever has too many files open can open no segment either, for a while: so all is opened before anything is changed, and the beginning of a segment can be tried again.
 *
 * <p>An owner before this one that did not end in order may still have a spare open, or a segment, and write to it when it is
 * least expected. So only the spares of one that did are taken over, and only segments that this owner has written become spares.
 */
public final class SpareSegments {

    public static final int MOST = 2;

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

    /** A spare is longer than a segment by this, or an eighth: who deletes one can write as much anew, and two manifests. */
    private static final int MORE_BYTES = 8 << 10;

    private final DataDirectory directory;
    private final int epoch;
    private final Executor executor;
    private final Runnable waker;
    private final long segmentBytes;

    /** Of {@code spare-e-1} and so on; guarded by this. */
    private final State[] states = new State[MOST];

    /** Whether one could not be made; it is tried again for the next segment. Guarded by this. */
    private boolean givenUp;

    /** Whether the last that was tried found no room for it. */
    private volatile boolean ranOut;

    /** Whether the last segment could not be begun, as too many files are open. */
    private volatile boolean heldUp;

    private volatile @Nullable Throwable failure;

    /** Without any spare yet, and nothing on the disk is changed. */
    public SpareSegments(DataDirectory directory, int epoch, Executor executor, Runnable waker, long segmentBytes) {
        this.directory = directory;
        this.epoch = epoch;
        this.executor = executor;
        this.waker = waker;
        this.segmentBytes = segmentBytes;
        Arrays.fill(states, State.FREE);
    }

    /**
     * Takes over what there is of the owner before, and deletes what is of others.
     *
     * @param endedEpoch of the owner before, in names, when it ended in order; else -1
     */
    public void takeOver(int endedEpoch) throws IOException {
        for (DataDirectory.SpareName name : directory.spares()) {
            Path file = directory.spare(name);
            int slot = name.epoch() == endedEpoch && fits(file) ? reserve() : -1;
            if (slot >= 0) {
                Files.move(file, file(slot), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                set(slot, State.READY);
            } else if (name.epoch() < epoch) {
                Files.deleteIfExists(file);
            }
        }
    }

    private Path file(int slot) {
        return directory.spare(new DataDirectory.SpareName(epoch, slot + 1));
    }

    private long spareBytes() {
        return segmentBytes + Math.min(MORE_BYTES, segmentBytes / 8);
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
    public synchronized int missing() {
        return MOST - count(State.READY) - count(State.FILLING);
    }

    /** Deletes one for the room that it takes; returns whether there was one. */
    public synchronized boolean giveUpOne() throws IOException {
        int slot = find(State.READY);
        if (slot < 0) {
            return false;
        }
        states[slot] = State.FREE;
        Files.deleteIfExists(file(slot));
        return true;
    }

    /** Whether there is none, and the last that was tried found no room on the disk; or the log cannot go on, as too many files are open. */
    public boolean ranOut() {
        return heldUp || (ranOut && ready() == 0);
    }

    /** Starts to make one when there is none, though the last could not be made. */
    public void tryAgain() {
        synchronized (this) {
            givenUp = false;
        }
        prepare();
    }

    /** Whether the executor has nothing of this under way. */
    public synchronized boolean isIdle() {
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
            end = make(file(slot)) ? State.READY : State.FREE;
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
                ranOut = false;
                return true;
            }
        } catch (IOException e) {
            ranOut = NoSpace.isCauseOf(e, directory.usableBytes());
            DurableFiles.discard(DataDirectory.unfinished(file));
        }
        return false;
    }

    private boolean hasRoom() {
        return directory.usableBytes() / ROOM_FOR >= spareBytes();
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
            for (long left = spareBytes(); left > 0; left -= zeros.limit()) {
                zeros.position(0).limit((int) Math.min(zeros.capacity(), left));
                DurableFiles.writeFully(channel, zeros);
                if (++pieces % SYNC_EVERY_PIECES == 0) {
                    channel.force(false);
                }
            }
            channel.force(true);
        }
        DurableFiles.publish(unfinished, file);
    }

    /**
     * Begins the segment that starts at that LSN: in a spare when there is one, else in a file that grows; with the frames given,
     * all of it synced, and its name too.
     *
     * @throws NoDescriptorException when nothing was changed, as too many files are open
     */
    LogSegment begin(long storeId, long lsn, SegmentName before, SegmentStart start) throws IOException {
        SegmentName name = new SegmentName(lsn, epoch);
        try (FileChannel names = DurableFiles.openDirectory(directory.commitLog())) {
            int slot = take();
            LogSegment spare = slot < 0 ? null : overwrite(slot, storeId, name, before);
            Path begun = spare == null ? DataDirectory.unfinished(directory.segment(name)) : file(slot);
            LogSegment segment = spare == null ? LogSegment.create(begun, storeId, name, before) : spare;
            heldUp = false;
            try {
                start.writeAndSync(segment);
                // Only now: the newest name leads to all of the log.
                Files.move(begun, directory.segment(name), StandardCopyOption.ATOMIC_MOVE);
                if (spare != null) {
                    set(slot, State.FREE);
                }
                DurableFiles.sync(names);
                return segment;
            } catch (IOException | RuntimeException | Error e) {
                segment.close();
                throw e;
            }
        } catch (IOException e) {
            heldUp = NoSpace.isOfDescriptors(e);
            throw heldUp ? new NoDescriptorException(e) : e;
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

    private @Nullable LogSegment overwrite(int slot, long storeId, SegmentName name, SegmentName before)
            throws IOException {
        try {
            return LogSegment.overwrite(file(slot), storeId, name, before);
        } catch (NoSuchFileException e) {
            set(slot, State.FREE);
            return null;
        } catch (IOException e) {
            set(slot, NoSpace.isOfDescriptors(e) ? State.READY : State.TAKEN);
            throw e;
        }
    }

    /** Keeps a segment of this owner that is not needed any more, when it is one too few; see {@code Disposal}. */
    public boolean keep(Path segment) throws IOException {
        int slot = fits(segment) ? reserve() : -1;
        if (slot < 0) {
            return false;
        }
        State end = State.FREE;
        try {
            Files.move(segment, file(slot), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            end = State.READY;
        } finally {
            set(slot, end);
        }
        return true;
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
