package io.tickwheel.store.file.checkpoint;

import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.log.SpareSegments;
import io.tickwheel.store.file.run.FilterFormat;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.function.LongSupplier;

/**
 * Whether there is room for more timers. Looks at what is left on the disk about once a second, and every few MiB of log; between two looks nothing is measured. Owned by the loop, but for the look itself, which the background
 * executor takes.
 *
 * <pre>
 *   left on the disk
 *   ---- 1.25 x reserve ----  above: schedules are taken again
 *   -------- reserve -------  below: schedules are refused
 *        2 segments           what the log needs, and one more for each spare that is missing
 *      + the memtables        as runs, so that the log can be trimmed
 *      + the progress         of runs and finished timers, as each checkpoint writes it
 *      + a margin             a segment, at most 16 MiB: what is accepted between two looks
 * </pre>
 *
 * Ends and retries are never refused: they go into the spare segments, which hold their place on the disk. What a checkpoint
 * cannot write for want of room is written later, see {@link CheckpointPolicy}. A quota may not show in what is left: so a checkpoint or
 * spare that found no room also counts as full, until it has been made.
 */
public final class DiskRoom {

    private static final long LOOK_NANOS = 1_000_000_000L;
    private static final long LOOK_BYTES = 4 << 20;
    private static final long MARGIN_BYTES = 16 << 20;

    private final DataDirectory directory;
    private final StoreContext context;
    private final LongSupplier monoNanos;
    private final SpareSegments spares;
    private final TimerTables tables;
    private final long segmentBytes;
    private final Backoff checkpoints = new Backoff();
    private final Backoff spareTrials = new Backoff();
    private long usableBytes;
    private long reserveBytes;
    private long nowNanos;
    private long lookedAtNanos;
    private long lookedAtLsn;
    private boolean below;
    private boolean checkpointRanOut;

    /** Under way, or not taken note of. */
    private boolean looking;

    private volatile boolean looked;
    private volatile long seenBytes;

    public DiskRoom(OpenStore store, TimerTables tables, long lsn) {
        this.directory = store.directory();
        this.context = store.context();
        this.monoNanos = context.monoNanos();
        this.spares = store.spares();
        this.tables = tables;
        this.segmentBytes = store.options().segmentBytes();
        this.nowNanos = monoNanos.getAsLong();
        this.lookedAtNanos = nowNanos;
        this.lookedAtLsn = lsn;
        weigh(directory.usableBytes());
    }

    /** Looks when it is time to. */
    public void work(long lsn) {
        nowNanos = monoNanos.getAsLong();
        if (looking) {
            if (!looked) {
                // It waits behind a long write: the log may have taken its bytes from the disk, and as many a run.
                below |= usableBytes - 2 * (lsn - lookedAtLsn) < reserveBytes;
                return;
            }
            looking = false;
            boolean wasBelow = below;
            weigh(seenBytes);
            trySpareAgain(wasBelow && !below);
        }
        if (lsn - lookedAtLsn >= Math.min(LOOK_BYTES, segmentBytes / 4) || nowNanos - lookedAtNanos >= LOOK_NANOS) {
            lookedAtLsn = lsn;
            lookedAtNanos = nowNanos;
            looking = true;
            looked = false;
            context.background().execute(this::look);
        }
    }

    private void look() {
        try {
            seenBytes = directory.usableBytes();
        } finally {
            looked = true;
            context.waker().run();
        }
    }

    private void weigh(long usable) {
        usableBytes = usable;
        reserveBytes = reserve();
        below = usable < (below ? reserveBytes + reserveBytes / 4 : reserveBytes);
    }

    private long reserve() {
        long bytes = (SpareSegments.MOST + spares.missing()) * segmentBytes + Math.min(segmentBytes, MARGIN_BYTES);
        Memtable frozen = tables.frozen();
        bytes += runBytes(tables.active()) + (frozen == null ? 0 : runBytes(frozen));
        for (Run run : tables.runs()) {
            bytes += run.count() / Byte.SIZE;
        }
        return bytes + tables.finished.recordBytes();
    }

    private void trySpareAgain(boolean hasRoomAgain) {
        if (!spares.ranOut()) {
            spareTrials.reset();
        } else if (spareTrials.isOver(nowNanos)) {
            spareTrials.failed(nowNanos);
            spares.tryAgain();
        }
        if (hasRoomAgain) {
            spares.tryAgain();
        }
    }

    /** What the live timers of a memtable take in a run, about. */
    static long runBytes(Memtable memtable) {
        if (memtable.present() == 0) {
            return 0;
        }
        long recordBytes = (long) ((double) memtable.recordBytes() * memtable.present() / memtable.size());
        return recordBytes
                + (long) RunFormat.Entries.CURRENT.entryBytes() * memtable.present()
                + (2L + FilterFormat.blocks(memtable.present())) * RunFormat.BLOCK_BYTES;
    }

    /** Whether no more timers are to be taken. */
    public boolean isFull() {
        return below || checkpointRanOut || spares.ranOut();
    }

    public StoreFullException refusal() {
        String others =
                "; a file could not be written all the same, as by a quota, or as there are too many files, or too many open";
        return new StoreFullException("no timer is taken for want of room: " + usableBytes
                + " bytes are left on the disk, " + reserveBytes + " are kept for the timers that there are"
                + (below ? "" : others));
    }

    /** Whether so much can be written. */
    boolean fits(long bytes) {
        return bytes <= usableBytes;
    }

    /** Whether a checkpoint may write: when it ran out of room, not until some time has passed. */
    boolean mayWrite() {
        return checkpoints.isOver(nowNanos);
    }

    /**
     * A checkpoint ran out of room.
     *
     * @param needed whether the log cannot be trimmed before it is made
     */
    void ranOut(boolean needed) {
        checkpoints.failed(nowNanos);
        checkpointRanOut |= needed;
    }

    /** A checkpoint was made. */
    void wrote() {
        checkpoints.reset();
        checkpointRanOut = false;
    }

    /** Whether the background executor has nothing of this under way. */
    public boolean isIdle() {
        return !looking || looked;
    }
}
