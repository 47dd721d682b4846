package io.tickwheel.store.file.checkpoint;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.NoSpace;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.recovery.KeysFile;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.file.timers.Transitions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a {@link Checkpoint} is made, and of what; one at a time. Owned by the loop.
 *
 * <ul>
 *   <li>The commit log has grown by the checkpoint bytes, or by many ends: the memtable is frozen and written to runs.
 *   <li>The memtable is empty, nothing goes on and the log is longer than a segment: the log is dropped.
 *   <li>Runs have ended: they are dropped, when nothing goes on or there are several.
 *   <li>There are many small runs in a tier: they are merged.
 *   <li>A run of a far tier is half ended: what is left is written anew, to the tier where it belongs by now. So a run takes at
 *       most about twice the space of its timers, and one timer of a hundred years does not keep a file of others. The near
 *       tier is never written again for that: all of it ends within two days.
 * </ul>
 *
 * On a full disk the log is trimmed as soon as that frees more than it takes, runs are not merged, and a checkpoint that found
 * no room is made later. Until then the frozen memtable stays, and the log behind it.
 */
public final class CheckpointPolicy {

    /** An end that cannot be placed at recovery costs memory until the index is filled. */
    private static final int MOST_ENDS = 2_000_000;

    private static final int MERGED_AT_ONCE = 8;
    private static final int DROPPED_AT_ONCE = 16;
    private static final long SMALL_BYTES = 64 << 10;

    private final OpenStore store;
    private final FileStoreOptions options;
    private final DataDirectory directory;
    private final Transitions transitions;
    private final TimerTables tables;
    private final CommitLog log;
    private final DiskRoom room;
    private Manifest manifest;
    private @Nullable Checkpoint checkpoint;
    private long nowMs;

    /** How many ends were in the log when it was trimmed last, or is to be. */
    private long trimmedEnds;

    /** Where the log goes on behind the frozen memtable. */
    private long frozenLsn;

    public CheckpointPolicy(OpenStore store, Transitions transitions, CommitLog log, DiskRoom room, Manifest manifest) {
        this.store = store;
        this.options = store.options();
        this.directory = store.directory();
        this.transitions = transitions;
        this.tables = transitions.tables();
        this.log = log;
        this.room = room;
        this.manifest = manifest;
    }

    public @Nullable Checkpoint checkpoint() {
        return checkpoint;
    }

    public void setTime(long ms) {
        nowMs = ms;
    }

    /**
     * Whether more may be scheduled: a memtable must not grow without end while the one before is written. On a full disk it
     * grows by retries only, and the log has an end.
     */
    public boolean hasRoom() {
        return room.isFull()
                || tables.frozen() == null
                || tables.active().recordBytes() < 4 * options.checkpointBytes();
    }

    /**
     * Goes on, to be called after the log was worked on.
     *
     * @param mayStart whether a checkpoint may be started
     * @return whether it asks for another turn at once: 1, else 0
     */
    public int work(boolean mayStart) throws IOException {
        Checkpoint current = checkpoint;
        if (current != null) {
            Manifest done = work(current, transitions.nextSeq() - 1);
            if (done == null) {
                return current.isBusyOnLoop() ? 1 : 0;
            }
            manifest = done;
            checkpoint = null;
            room.wrote();
        }
        if (mayStart && room.mayWrite()) {
            start();
        }
        return 0;
    }

    private @Nullable Manifest work(Checkpoint current, long lastSeq) throws IOException {
        try {
            Manifest done = current.work(log.syncedLsn(), log.recordedLsn(), lastSeq, room.mayWrite());
            log.syncUpTo(current.awaitedLsn());
            return done;
        } catch (Checkpoint.OutOfRoomException e) {
            if (!current.isWritten()) {
                checkpoint = null;
            }
            room.ranOut(checkpoint != null || tables.frozen() != null);
            return null;
        }
    }

    private void start() {
        Memtable givenUp = tables.frozen();
        if (givenUp != null) {
            startAgain(givenUp);
            return;
        }
        long lsn = log.nextFrameLsn();
        long logBytes = lsn - manifest.checkpointLsn();
        boolean frees = room.isFull() && logBytes - DiskRoom.runBytes(tables.active()) > options.segmentBytes();
        boolean full = logBytes > options.checkpointBytes() || log.ends() - trimmedEnds > MOST_ENDS || frees;
        boolean idle = log.isQuiet();
        if (full || (idle && tables.active().present() == 0 && logBytes > options.segmentBytes())) {
            if (log.isAtFrameStart()) {
                trimmedEnds = log.ends();
                frozenLsn = lsn;
                start(lsn, tables.freeze(), List.of());
            }
            return;
        }
        if (tables.runs().isEmpty()) {
            return;
        }
        long ended = endedRuns();
        if (ended > 0 && (idle || ended >= DROPPED_AT_ONCE)) {
            start(manifest.checkpointLsn(), null, List.of());
            return;
        }
        List<Run> worn = wornRuns();
        if (!worn.isEmpty()) {
            start(manifest.checkpointLsn(), null, worn);
        }
    }

    /** After there was no room for the run of that memtable. */
    private void startAgain(Memtable givenUp) {
        if (endedRuns() > 0) {
            start(manifest.checkpointLsn(), null, List.of());
        } else if (room.fits(DiskRoom.runBytes(givenUp))) {
            start(frozenLsn, givenUp, List.of());
        }
    }

    private long endedRuns() {
        long ended = 0;
        // Asked for in each turn of the loop.
        for (Run run : tables.runs()) {
            if (run.present() == 0) {
                ended++;
            }
        }
        return ended;
    }

    private void start(long lsn, @Nullable Memtable frozen, List<Run> sources) {
        checkpoint = new Checkpoint(store, transitions, manifest, lsn, frozen, sources, nowMs);
    }

    private List<Run> wornRuns() {
        List<Run> small = new ArrayList<>();
        for (RunFormat.Tier tier : RunFormat.Tier.values()) {
            small.clear();
            for (Run run : tables.runs()) {
                if (run.tier() == tier && run.present() > 0) {
                    if (tier != RunFormat.Tier.NEAR
                            && 2L * run.present() <= run.count()
                            && room.fits(2 * presentBytes(run))) {
                        return List.of(run);
                    }
                    if (!room.isFull() && presentBytes(run) < Math.max(SMALL_BYTES, options.checkpointBytes() / 8)) {
                        small.add(run);
                    }
                }
            }
            if (small.size() >= MERGED_AT_ONCE) {
                small.sort(Comparator.comparingInt(Run::number));
                return List.copyOf(small);
            }
        }
        return List.of();
    }

    private static long presentBytes(Run run) {
        return (long) ((double) run.bytes() * run.present() / run.count());
    }

    /** Whether the background has nothing of this under way. */
    public boolean isIdle() {
        return checkpoint == null || checkpoint.isIdle();
    }

    /**
     * Writes down how the store stands, for a quick opening; the log is synced and closed. Where there is no room for that, the
     * next opening is slower: what was written before still counts.
     *
     * @param indexed whether the key index is complete
     */
    public void close(boolean indexed) throws IOException {
        long nextSeq = transitions.nextSeq();
        Manifest last = manifest;
        boolean settled = true;
        if (checkpoint != null) {
            Manifest done = checkpoint.close();
            settled = done != null;
            last = done != null ? done : manifest;
        }
        boolean worthSaving =
                settled && tables.frozen() == null && indexed && !tables.runs().isEmpty();
        if (!worthSaving || !save(last.closed(log.syncedLsn(), nextSeq, tables.nextNumber()))) {
            Manifest plain = last.ended(log.syncedLsn(), nextSeq, tables.nextNumber());
            try {
                store.owner().check();
                plain.write(directory);
            } catch (IOException e) {
                throwUnlessOutOfRoom(e);
            }
        }
    }

    /** Returns false when there is no room for it. */
    private boolean save(Manifest closed) throws IOException {
        try {
            new Progress(Checkpoint.progressOf(tables), tables.finished.copy(tables.pool))
                    .write(directory, closed.storeId(), closed.progress());
            directory.syncScheduleLog();
            saveKeys(closed);
            store.owner().check();
            closed.write(directory);
        } catch (IOException e) {
            throwUnlessOutOfRoom(e);
            // Files that are complete stay until the next opening: the manifest that names them may have reached the
            // disk.
            DurableFiles.discard(DataDirectory.unfinished(directory.progress(closed.progress())));
            DurableFiles.discard(DataDirectory.unfinished(directory.keys(closed.keys())));
            return false;
        }
        store.disposal().dropProgressBut(closed.progress());
        return true;
    }

    private void throwUnlessOutOfRoom(IOException failure) throws IOException {
        if (!NoSpace.isCauseOf(failure, directory.usableBytes())) {
            throw failure;
        }
    }

    private void saveKeys(Manifest closed) throws IOException {
        Memtable active = tables.active();
        Map<QueueTable.Queue, long[]> inMemtable = new HashMap<>();
        for (int ordinal = 0; ordinal < active.size(); ordinal++) {
            if (!active.isEnded(ordinal)) {
                long[] counts = inMemtable.computeIfAbsent(active.lane(ordinal).queue, queue -> new long[2]);
                counts[active.isDead(ordinal) ? 1 : 0]++;
            }
        }
        List<KeysFile.QueueKeys> queues = new ArrayList<>();
        for (QueueTable.Queue queue : tables.queues.all()) {
            long[] counts = inMemtable.getOrDefault(queue, new long[2]);
            queues.add(new KeysFile.QueueKeys(queue.name, queue.live() - counts[0], queue.dead() - counts[1]));
        }
        long entries = tables.index.size() - active.present();
        KeysFile.write(directory, closed.storeId(), closed.keys(), tables, queues, entries);
        directory.syncKeys();
    }

    /** Lets go when the store has failed. */
    public void abandon() throws IOException {
        if (checkpoint != null) {
            checkpoint.abandon();
        }
    }
}
