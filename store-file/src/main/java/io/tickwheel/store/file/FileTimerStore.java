package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Timers in a directory: a commit log that is synced before anything is accepted, unless told otherwise, and a schedule log of
 * what is pending when that is trimmed. Immutable and thread-safe; each {@code with} method gives a changed copy. One engine at
 * a time has the directory open.
 */
public final class FileTimerStore implements TimerStore {

    private static final long MIN_BYTES = 4_096;

    /** The last segment is read into memory as a whole. */
    private static final long MAX_SEGMENT_BYTES = 1 << 30;

    private final Path directory;
    private final long segmentBytes;
    private final long checkpointBytes;
    private final int finishedRemembered;
    private final SyncPolicy syncPolicy;
    private final Turns turns;

    /**
     * How much is done in a turn of the loop; tests take little, so that much comes between.
     *
     * @param timers how many timers are moved, captured, looked at or indexed, about
     * @param sweeps how much a list and a count do
     */
    private record Turns(int timers, Sweep.Bounds sweeps) {
        static final Turns DEFAULT = new Turns(8_192, Sweep.Bounds.DEFAULT);
    }

    private FileTimerStore(
            Path directory,
            long segmentBytes,
            long checkpointBytes,
            int finishedRemembered,
            SyncPolicy syncPolicy,
            Turns turns) {
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        this.checkpointBytes = checkpointBytes;
        this.finishedRemembered = finishedRemembered;
        this.syncPolicy = syncPolicy;
        this.turns = turns;
    }

    /** A store in {@code directory}, which is made when it does not exist. */
    public static FileTimerStore in(Path directory) {
        return new FileTimerStore(
                Objects.requireNonNull(directory, "directory"),
                64 << 20,
                128 << 20,
                100_000,
                SyncPolicy.SYNC,
                Turns.DEFAULT);
    }

    /** How large a file of the commit log gets, about: 64 MiB by default, 4 KiB to 1 GiB. */
    public FileTimerStore withSegmentBytes(long segmentBytes) {
        if (segmentBytes > MAX_SEGMENT_BYTES) {
            throw new IllegalArgumentException(
                    "segmentBytes is " + segmentBytes + ", must be at most " + MAX_SEGMENT_BYTES);
        }
        return new FileTimerStore(
                directory,
                atLeast("segmentBytes", segmentBytes, MIN_BYTES),
                checkpointBytes,
                finishedRemembered,
                syncPolicy,
                turns);
    }

    /**
     * How much log may gather before what is pending is written to runs and the log is trimmed: 128 MiB by default, from
     * 4 KiB. What was scheduled since the last trim is kept in memory outside the heap, so this is also about how much of that
     * the store takes; up to twice as much while it writes.
     */
    public FileTimerStore withCheckpointBytes(long checkpointBytes) {
        return new FileTimerStore(
                directory,
                segmentBytes,
                atLeast("checkpointBytes", checkpointBytes, MIN_BYTES),
                finishedRemembered,
                syncPolicy,
                turns);
    }

    /** How many completed, cancelled and expired timers are remembered, the last ones: 100,000 by default, from 0. */
    public FileTimerStore withFinishedRemembered(int finishedRemembered) {
        return new FileTimerStore(
                directory,
                segmentBytes,
                checkpointBytes,
                (int) atLeast("finishedRemembered", finishedRemembered, 0),
                syncPolicy,
                turns);
    }

    /**
     * When the log is synced: {@code SYNC}, before an answer, by default. With {@code NONE} an answer is given once it is
     * written: it outlives the process, and a power loss takes what came after the last sync, which is made when a segment
     * is full, at a checkpoint and at closing. For {@code INTERVAL} see {@link #withSyncInterval}.
     */
    public FileTimerStore withDurability(Durability durability) {
        return switch (durability.kind()) {
            case SYNC -> withSyncPolicy(SyncPolicy.SYNC);
            case NONE -> withSyncPolicy(SyncPolicy.NONE);
            case INTERVAL ->
                throw new IllegalArgumentException("durability interval needs an interval: call withSyncInterval");
            case MEMORY, REPLICATED, FSYNC ->
                throw new IllegalArgumentException(
                        "durability is " + durability + ", must be sync or none for a store on files");
        };
    }

    /**
     * Durability {@code INTERVAL}: an answer is given once it is written, and the log is synced after at most this long and half
     * a second: 1 ms to 60 s. An answer outlives the process; a power loss takes at most those given in that time, and
     * never an earlier one without all later ones.
     */
    public FileTimerStore withSyncInterval(Duration interval) {
        return withSyncPolicy(SyncPolicy.interval(interval));
    }

    private FileTimerStore withSyncPolicy(SyncPolicy policy) {
        return new FileTimerStore(directory, segmentBytes, checkpointBytes, finishedRemembered, policy, turns);
    }

    FileTimerStore withSweepBounds(Sweep.Bounds bounds) {
        return withTurns(new Turns(turns.timers, bounds));
    }

    FileTimerStore withTurnTimers(int timers) {
        return withTurns(new Turns((int) atLeast("timers", timers, 1), turns.sweeps));
    }

    private FileTimerStore withTurns(Turns newTurns) {
        return new FileTimerStore(directory, segmentBytes, checkpointBytes, finishedRemembered, syncPolicy, newTurns);
    }

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        return DirectoryCall.run(directory, () -> FileCalendar.open(this, context, listener));
    }

    Path directory() {
        return directory;
    }

    long segmentBytes() {
        return segmentBytes;
    }

    long checkpointBytes() {
        return checkpointBytes;
    }

    int finishedRemembered() {
        return finishedRemembered;
    }

    int turnTimers() {
        return turns.timers;
    }

    SyncPolicy syncPolicy() {
        return syncPolicy;
    }

    Sweep.Bounds sweepBounds() {
        return turns.sweeps;
    }

    private static long atLeast(String name, long value, long min) {
        if (value < min) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least " + min);
        }
        return value;
    }
}
