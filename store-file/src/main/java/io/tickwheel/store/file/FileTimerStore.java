package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.file.calendar.CalendarOpening;
import io.tickwheel.store.file.disk.DirectoryCall;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.QueryBounds;
import io.tickwheel.store.file.disk.SyncPolicy;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Timers in a directory: a commit log that is synced before anything is accepted, unless told otherwise, and a schedule log of
 * what is pending when that is trimmed. Immutable and thread-safe; each {@code with} method gives a changed copy. One engine at
 * a time has the directory open.
 */
public final class FileTimerStore implements TimerStore {

    private final FileStoreOptions options;

    private FileTimerStore(FileStoreOptions options) {
        this.options = options;
    }

    /** A store in {@code directory}, which is made when it does not exist. */
    public static FileTimerStore in(Path directory) {
        return new FileTimerStore(FileStoreOptions.in(directory));
    }

    /** How large a file of the commit log gets, about: 64 MiB by default, 4 KiB to 1 GiB. */
    public FileTimerStore withSegmentBytes(long segmentBytes) {
        return new FileTimerStore(options.withSegmentBytes(segmentBytes));
    }

    /**
     * How much log may gather before what is pending is written to runs and the log is trimmed: 128 MiB by default, from
     * 4 KiB. What was scheduled since the last trim is kept in memory outside the heap, so this is also about how much of that
     * the store takes; up to twice as much while it writes.
     */
    public FileTimerStore withCheckpointBytes(long checkpointBytes) {
        return new FileTimerStore(options.withCheckpointBytes(checkpointBytes));
    }

    /** How many completed, cancelled and expired timers are remembered, the last ones: 100,000 by default, from 0. */
    public FileTimerStore withFinishedRemembered(int finishedRemembered) {
        return new FileTimerStore(options.withFinishedRemembered(finishedRemembered));
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
        return new FileTimerStore(options.withSyncPolicy(policy));
    }

    FileTimerStore withQueryBounds(QueryBounds bounds) {
        return new FileTimerStore(options.withQueryBounds(bounds));
    }

    FileTimerStore withTurnTimers(int timers) {
        return new FileTimerStore(options.withTurnTimers(timers));
    }

    @Override
    public Calendar open(StoreContext context, CalendarListener listener) {
        return DirectoryCall.run(options.directory(), () -> CalendarOpening.open(options, context, listener));
    }
}
