package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.file.checkpoint.Checkpoint;
import io.tickwheel.store.file.checkpoint.DiskRoom;
import io.tickwheel.store.file.checkpoint.Trimming;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.log.SpareSegments;
import io.tickwheel.store.file.query.Sweeps;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.TimerIds;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.recovery.IndexBuild;
import io.tickwheel.store.file.recovery.Recovery;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Shelf;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.timers.LoadedTimer;
import io.tickwheel.store.file.timers.Shelves;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calendar on files. Every command is decided at once in memory, written to the commit log, and answered when the log is
 * synced: so decisions are made in the order of the calls, and nothing that was shown is ever taken back. Owned by the loop.
 *
 * <pre>
 *   command -> Shelves (find, decide) -> CommitLog (append) -> Answers (wait for the sync) -> answer
 *                  |  '-> Loading -> the listener
 *                  '- now and then: Checkpoint, which moves what is pending to runs and trims the log
 * </pre>
 *
 * After an opening, timers are loaded and delivered at once; commands wait until {@link IndexBuild} has filled the index.
 */
public final class FileCalendar implements Calendar {

    /** So many commands may wait for the index. */
    private static final int DEFERRED = 1_024;

    private final FileStoreOptions options;
    private final OpenStore store;
    private final CalendarListener listener;
    private final DataDirectory directory;
    private final Shelves shelves;
    private final CommitLog log;
    private final Answers answers = new Answers();
    private final DiskRoom room;
    private final Trimming trimming;
    private final String idPrefix;
    private final ScheduleBatch batch = new ScheduleBatch();
    private final Sweeps sweeps;
    private final ArrayDeque<Runnable> deferred = new ArrayDeque<>();
    private long nextSeq;
    private @Nullable IndexBuild indexBuild;
    private @Nullable StoreFailedException failure;

    private FileCalendar(OpenStore store, CalendarListener listener, Recovery recovery, Recovery.Opened opened) {
        this.options = store.options();
        this.store = store;
        this.listener = listener;
        this.directory = store.directory();
        this.shelves = recovery.shelves();
        this.indexBuild = opened.indexBuild();
        this.log = new CommitLog(store, opened.log().segment(), opened.log().lsn());
        this.room = new DiskRoom(store, shelves, log.nextFrameLsn());
        this.trimming = new Trimming(store, shelves, log, room, opened.manifest());
        this.nextSeq = opened.manifest().nextSeq();
        this.idPrefix = TimerIds.prefix(opened.manifest().storeId());
        this.sweeps = new Sweeps(shelves, options.queryBounds(), this::publicId);
    }

    public static FileCalendar open(FileStoreOptions options, StoreContext context, CalendarListener listener)
            throws IOException {
        DataDirectory directory = DataDirectory.open(options.directory());
        try {
            // Refused here, nothing is changed. What counts is read again behind the claim.
            Manifest seen = ManifestFiles.newest(directory);
            OwnerMark owner = OwnerMark.claim(directory, seen == null ? 0 : seen.epoch(), context.monoNanos());
            return open(options, context, listener, directory, owner);
        } catch (IOException | RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    private static FileCalendar open(
            FileStoreOptions options,
            StoreContext context,
            CalendarListener listener,
            DataDirectory directory,
            OwnerMark owner)
            throws IOException {
        boolean mayBeWritten = !owner.isFirst();
        while (true) {
            Opening opening = new Opening(listener);
            Recovery recovery = null;
            try {
                SpareSegments spares = new SpareSegments(
                        directory, owner.epoch(), context.background(), context.waker(), options.segmentBytes());
                recovery = Recovery.of(directory, owner, options, context.random(), opening);
                Recovery.Opened opened = recovery.run(spares);
                OpenStore store = new OpenStore(
                        context,
                        options,
                        directory,
                        owner,
                        opened.disposal(),
                        opened.manifest().storeId(),
                        spares);
                FileCalendar calendar = new FileCalendar(store, listener, recovery, opened);
                opening.calendar = calendar;
                if (opened.indexBuild().isDoneAtOnce()) {
                    calendar.indexBuild = null;
                }
                return calendar;
            } catch (IOException | RuntimeException | Error e) {
                boolean hasWritten = recovery != null && recovery.hasWritten();
                if (e instanceof StoreCorruptedException && mayBeWritten && !hasWritten) {
                    // An owner who is about to notice that it is none any more may still write; it does so once.
                    mayBeWritten = false;
                    continue;
                }
                try (owner) {
                    owner.throwIfReasonOf(e);
                    if (!hasWritten) {
                        owner.withdraw();
                    }
                }
                throw e;
            }
        }
    }

    /** Stands for the calendar while that is being opened; nothing is loaded before. */
    private static final class Opening implements Loading.Target {

        private final CalendarListener listener;
        private @Nullable FileCalendar calendar;

        Opening(CalendarListener listener) {
            this.listener = listener;
        }

        @Override
        public boolean mayStart(Lane lane) {
            return listener.mayStart(lane);
        }

        @Override
        public LoadRoom room() {
            return listener.room();
        }

        @Override
        public void load(
                Shelf shelf, int ordinal, long seq, long attemptAtMs, StoreLane lane, LoadRoom.Age age, int length) {
            Objects.requireNonNull(calendar).tellLoaded(shelf, ordinal, seq, attemptAtMs, lane, age, length);
        }
    }

    // ---- commands

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        TimerRecord.checkName(command.key().queue());
        TimerRecord.checkName(command.key().key());
        if (mustWait()) {
            deferred.addLast(() -> {
                batch.add(command, answer);
                decide();
            });
        } else if (batch.add(command, answer)) {
            decide();
        }
    }

    /** Decides what was scheduled: before anything else looks or acts. */
    private void decide() {
        if (!batch.isEmpty()) {
            batch.decide(
                    shelves,
                    (command, key, hash, answer) -> run(answer, () -> scheduleNow(command, key, hash, answer)));
        }
    }

    private void scheduleNow(ScheduleCommand command, byte[] key, long hash, Answer<Scheduled> answer) {
        TimerKey name = command.key();
        if (room.isFull() && shelves.queues.find(name.queue()) == null) {
            // Nor is the name of its queue kept.
            answer.fail(room.refusal());
            return;
        }
        QueueTable.Queue queue = shelves.queues.get(name.queue());
        Standing old = standing(name, queue, key, hash);
        Scheduled.Previous previous = previous(old);
        if (old != null && keeps(old, command)) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            answers.add(log.recordedLsn(), answer, new Scheduled(outcome, old.view, previous, old.requestHash));
            return;
        }
        if (room.isFull()) {
            answer.fail(room.refusal());
            return;
        }
        long seq = nextSeq++;
        TimerRecord record = TimerRecord.scheduled(
                seq,
                old == null || old.shelf == null ? 0 : old.seq,
                old == null ? 1 : old.view.version() + 1,
                command,
                queue.utf8,
                key);
        Scheduled.Outcome outcome =
                old != null && !old.view.state().isFinished() ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED;
        if (old != null && old.shelf != null) {
            replace(old.shelf, old, queue);
        }
        put(record, hash, shelves.queues.get(new Lane(name.queue(), command.route())), old);
        // Not before: its queue would be forgotten when this was all that is known of it.
        shelves.finished.remove(hash, queue.utf8, key);
        answers.add(
                log.recordedLsn(),
                answer,
                new Scheduled(outcome, view(name, record, TimerState.PENDING, 0), previous, command.requestHash()));
    }

    private static Scheduled.Previous previous(@Nullable Standing old) {
        if (old == null || old.view.state().isFinished()) {
            return Scheduled.Previous.NONE;
        }
        return old.view.state() == TimerState.PENDING ? Scheduled.Previous.PENDING : Scheduled.Previous.CLAIMED;
    }

    private static boolean keeps(Standing old, ScheduleCommand command) {
        boolean live = !old.view.state().isFinished();
        return switch (command.onConflict()) {
            case REPLACE -> false;
            case KEEP, FAIL -> live;
            case EARLIEST -> live && old.view.dueAtMs() <= command.dueAtMs();
            case LATEST -> live && old.view.dueAtMs() >= command.dueAtMs();
            case ONCE -> true;
        };
    }

    /** Takes the timer of a key away that another one takes the place of, but for its entry in the index. */
    private void replace(Shelf shelf, Standing old, QueueTable.Queue queue) {
        if (old.view.state() == TimerState.DEAD) {
            shelves.queues.count(queue, false, 1);
            shelves.queues.count(queue, true, -1);
        }
        shelf.end(old.ordinal);
        if (old.loaded != null) {
            withdraw(old.loaded);
        }
    }

    /** Writes a record and brings its timer to the shelves, in the place of {@code old} when that stands there. */
    private void put(TimerRecord record, long hash, StoreLane lane, @Nullable Standing old) {
        Memtable active = shelves.active();
        int ordinal = active.add(record, hash, lane);
        if (old != null && old.shelf != null) {
            shelves.index.move(hash, old.shelf.number(), old.ordinal, active.number(), ordinal);
        } else {
            shelves.index.add(hash, active.number(), ordinal);
            shelves.queues.count(lane.queue, record.dead(), 1);
        }
        log.append(record);
        if (!record.dead()) {
            offer(active, ordinal, record, lane);
        }
    }

    @Override
    public void cancel(TimerKey key, @Nullable Durability level, Answer<Cancelled> answer) {
        whenIndexed(answer, () -> {
            Cancelled cancelled = cancelNow(key);
            answers.add(log.recordedLsn(), answer, cancelled);
        });
    }

    private Cancelled cancelNow(TimerKey key) {
        Standing found = standing(key);
        if (found == null) {
            return new Cancelled(Cancelled.Outcome.NOT_FOUND, null);
        }
        TimerView view = found.view;
        if (found.shelf == null || view.state() != TimerState.PENDING) {
            boolean cancelled = view.state() == TimerState.CANCELLED;
            return new Cancelled(cancelled ? Cancelled.Outcome.CANCELLED : Cancelled.Outcome.TOO_LATE, view);
        }
        TimerRecord record = found.shelf.record(found.ordinal, false);
        if (found.loaded != null) {
            withdraw(found.loaded);
        }
        end(
                found.shelf,
                found.ordinal,
                shelves.queues.get(key.queue()),
                record,
                TimerState.CANCELLED,
                record.attempts());
        return new Cancelled(Cancelled.Outcome.CANCELLED, view(key, record, TimerState.CANCELLED, record.attempts()));
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        whenIndexed(answer, () -> {
            Standing found = standing(key);
            answers.add(log.recordedLsn(), answer, found == null ? List.of() : List.of(found.view));
        });
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        whenIndexed(answer, () -> answers.add(log.recordedLsn(), answer, shelves.queues.counts()));
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        whenIndexed(answer, () -> sweeps.list(query, answer));
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        whenIndexed(answer, () -> sweeps.countDue(query, answer));
    }

    private void whenIndexed(Answer<?> answer, Runnable command) {
        decide();
        if (mustWait()) {
            deferred.addLast(() -> run(answer, command));
        } else {
            run(answer, command);
        }
    }

    private boolean mustWait() {
        return failure == null && (indexBuild != null || !deferred.isEmpty());
    }

    private void run(Answer<?> answer, Runnable command) {
        if (failure != null) {
            answer.fail(failure);
            return;
        }
        try {
            command.run();
        } catch (RuntimeException | Error e) {
            // A read that failed, or a bug: in either case nobody may be left waiting, and the next turn says why.
            answer.fail(failNow(e));
        }
    }

    /** Runs what may read the disk. */
    private void guarded(Runnable step) {
        if (failure == null) {
            try {
                step.run();
            } catch (UncheckedIOException | StoreCorruptedException e) {
                fail(e);
            }
        }
    }

    /**
     * The timer that stands under a key.
     *
     * @param shelf where, with {@code ordinal} and {@code seq}; null when it is finished
     * @param loaded when it is loaded or claimed
     */
    private record Standing(
            @Nullable Shelf shelf,
            int ordinal,
            long seq,
            @Nullable LoadedTimer loaded,
            long requestHash,
            TimerView view) {}

    private @Nullable Standing standing(TimerKey name) {
        QueueTable.Queue queue = shelves.queues.find(name.queue());
        if (queue == null) {
            return null;
        }
        byte[] key = name.key().getBytes(StandardCharsets.UTF_8);
        return standing(name, queue, key, shelves.hash(queue.utf8, key));
    }

    private @Nullable Standing standing(TimerKey name, QueueTable.Queue queue, byte[] key, long hash) {
        if (!shelves.find(hash, queue.utf8, key)) {
            FinishedRecord finished = shelves.finished.get(hash, queue.utf8, key);
            return finished == null
                    ? null
                    : new Standing(null, 0, 0, null, finished.requestHash(), view(name, finished));
        }
        Shelf shelf = shelves.shelf(shelves.index.place());
        int ordinal = shelves.index.ordinal();
        TimerRecord record = shelf.record(ordinal, false);
        LoadedTimer loaded = record.dead() ? null : shelves.loaded.get(record.seq());
        TimerView view;
        if (record.dead()) {
            view = view(name, record, TimerState.DEAD, record.attempts());
        } else if (loaded != null && loaded.claimed()) {
            view = view(name, record, TimerState.CLAIMED, loaded.attempts());
        } else {
            view = view(name, record, TimerState.PENDING, record.attempts());
        }
        return new Standing(shelf, ordinal, record.seq(), loaded, record.requestHash(), view);
    }

    // ---- from loading to the end

    @Override
    public boolean load(long nowMs, long toMs, int limit) {
        decide();
        if (failure != null) {
            return true;
        }
        trimming.setTime(nowMs);
        try {
            boolean all = shelves.loading.load(nowMs, toMs, limit);
            if (shelves.loading.isCutShort()) {
                store.context().waker().run();
            }
            return all;
        } catch (UncheckedIOException | StoreCorruptedException e) {
            fail(e);
            return true;
        }
    }

    @Override
    public long loadedTo() {
        decide();
        return shelves.loading.loadedTo();
    }

    @Override
    public void suspend(Lane lane) {
        decide();
        shelves.loading.suspend(shelves.queues.find(lane));
    }

    @Override
    public void resume(Lane lane) {
        decide();
        shelves.loading.resume(shelves.queues.find(lane));
    }

    @Override
    public void unload(PendingTimer pending) {
        decide();
        LoadedTimer timer = (LoadedTimer) pending;
        if (timer.gone || timer.claimed()) {
            throw new IllegalStateException(timer.key() + " is not loaded");
        }
        forget(timer);
        freePlace(timer);
        timer.shelf.untake(timer.ordinal);
        shelves.loading.unloaded(timer.shelf, timer.ordinal, timer.attemptAtMs(), timer.storeLane);
    }

    @Override
    public List<WaitingLane> waiting() {
        decide();
        if (failure != null) {
            return List.of();
        }
        try {
            return shelves.loading.waiting();
        } catch (UncheckedIOException | StoreCorruptedException e) {
            fail(e);
            return List.of();
        }
    }

    private void offer(Memtable memtable, int ordinal, TimerRecord record, StoreLane lane) {
        shelves.loading.offer(memtable, ordinal, record.seq(), record.attemptAtMs(), lane, record.length());
    }

    private void tellLoaded(
            Shelf shelf, int ordinal, long seq, long attemptAtMs, StoreLane lane, LoadRoom.Age age, int length) {
        long lsn = shelf instanceof Memtable ? log.recordedLsn() : 0;
        LoadedTimer timer = new LoadedTimer(shelf, ordinal, seq, attemptAtMs, lane, age, length, lsn);
        shelves.loaded.add(timer);
        listener.room().take(lane.share, age, places());
        listener.loaded(timer);
    }

    private int places() {
        return listener.room().placesFor(LoadedTimer.BYTES);
    }

    private void freePlace(LoadedTimer timer) {
        listener.room().giveBack(timer.storeLane.share, timer.age, places());
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        decide();
        guarded(() -> grantWhenDurable((LoadedTimer) pending, granted));
    }

    private void grantWhenDurable(LoadedTimer timer, Consumer<ClaimedTimer> granted) {
        if (timer.gone || timer.claimed() || !isOwner()) {
            return;
        }
        if (timer.lsn > log.acceptedLsn()) {
            answers.add(timer.lsn, () -> guarded(() -> grantWhenDurable(timer, granted)));
            return;
        }
        TimerRecord record = timer.shelf.record(timer.ordinal, true);
        timer.claim(record);
        freePlace(timer);
        shelves.queues.countClaimed(timer.queue(), 1);
        TimerView view = view(timer.key(), record, TimerState.CLAIMED, timer.attempts());
        granted.accept(new ClaimedTimer(timer, view, record.content()));
    }

    @Override
    public boolean release(PendingTimer claimed) {
        decide();
        LoadedTimer timer = (LoadedTimer) claimed;
        if (timer.gone) {
            return false;
        }
        timer.release();
        listener.room().take(timer.storeLane.share, timer.age, places());
        shelves.queues.countClaimed(timer.queue(), -1);
        return true;
    }

    @Override
    public void reroute(PendingTimer claimed, long route) {
        decide();
        LoadedTimer timer = (LoadedTimer) claimed;
        if (!timer.gone && failure == null) {
            Lane lane = new Lane(timer.lane().queue(), route);
            putAgain(timer, timer.record().rerouted(nextSeq++, route), shelves.queues.get(lane));
        }
    }

    @Override
    public boolean retry(PendingTimer claimed, long attemptAtMs) {
        decide();
        LoadedTimer timer = (LoadedTimer) claimed;
        if (timer.gone || failure != null) {
            return false;
        }
        TimerRecord again = timer.record().again(nextSeq++, attemptAtMs, timer.attempts(), false);
        putAgain(timer, again, timer.storeLane);
        return true;
    }

    /** Whether nobody has taken over, as far as was looked lately; fails the store when somebody has. */
    private boolean isOwner() {
        if (failure == null) {
            try {
                store.owner().checkUnlessFresh();
            } catch (IOException e) {
                fail(e);
            }
        }
        return failure == null;
    }

    /** Puts a claimed timer, to be tried again or dead, in its own place. */
    private void putAgain(LoadedTimer timer, TimerRecord again, StoreLane lane) {
        forget(timer);
        Memtable active = shelves.active();
        long hash = shelves.hash(again.queue(), again.key());
        int ordinal = active.add(again, hash, lane);
        QueueTable.Queue queue = lane.queue;
        if (!shelves.index.move(hash, timer.shelf.number(), timer.ordinal, active.number(), ordinal)) {
            // The index is being filled, and has not come to the old entry, which it will pass over.
            shelves.index.add(hash, active.number(), ordinal);
            shelves.queues.count(queue, false, 1);
        }
        if (again.dead()) {
            shelves.queues.count(queue, true, 1);
            shelves.queues.count(queue, false, -1);
        }
        shelves.queues.countClaimed(queue, -1);
        timer.shelf.end(timer.ordinal);
        log.append(again);
        if (!again.dead()) {
            offer(active, ordinal, again, lane);
        }
    }

    @Override
    public boolean finish(PendingTimer claimed, TimerState outcome) {
        decide();
        LoadedTimer timer = (LoadedTimer) claimed;
        if (timer.gone || failure != null) {
            return false;
        }
        TimerRecord record = timer.record();
        if (outcome == TimerState.DEAD) {
            putAgain(timer, record.again(nextSeq++, record.attemptAtMs(), timer.attempts(), true), timer.storeLane);
            return true;
        }
        forget(timer);
        end(timer.shelf, timer.ordinal, timer.queue(), record, outcome, timer.attempts());
        shelves.queues.countClaimed(timer.queue(), -1);
        return true;
    }

    /** Ends a timer for good. */
    private void end(
            Shelf shelf, int ordinal, QueueTable.Queue queue, TimerRecord record, TimerState outcome, int attempts) {
        log.append(new EndRecord(record.seq(), outcome, attempts));
        trimming.countEnd();
        shelf.end(ordinal);
        long hash = shelves.hash(record.queue(), record.key());
        FinishedRecord finished = FinishedRecord.of(record, outcome, attempts);
        if (indexBuild != null) {
            indexBuild.remember(finished);
        } else {
            shelves.finished.add(hash, queue, finished);
        }
        boolean indexed = shelves.index.remove(hash, shelf.number(), ordinal);
        if (indexed) {
            shelves.queues.count(queue, false, -1);
        }
    }

    /** Takes a loaded timer back that was cancelled or replaced. */
    private void withdraw(LoadedTimer timer) {
        forget(timer);
        if (timer.claimed()) {
            shelves.queues.countClaimed(timer.queue(), -1);
        } else {
            freePlace(timer);
            listener.unloaded(timer);
        }
    }

    private void forget(LoadedTimer timer) {
        timer.gone = true;
        shelves.loaded.remove(timer);
    }

    /** The checkpoint that is under way: tests look at how far it is. */
    @Nullable
    Checkpoint checkpoint() {
        return trimming.checkpoint();
    }

    /** Of this owner: tests look at that. */
    int epoch() {
        return store.owner().epoch();
    }

    /** Why it takes nothing any more; null while it does. Tests look at that. */
    @Nullable
    StoreFailedException failure() {
        return failure;
    }

    /** Whether commands wait for the index: tests look at that. */
    boolean isIndexing() {
        return indexBuild != null;
    }

    // ---- the work beside

    @Override
    public int work(int limit) {
        decide();
        int done = 0;
        if (failure == null) {
            try {
                done += fillIndex(limit);
                done += sweeps.work(answers, log.recordedLsn());
                log.work();
                room.work(log.nextFrameLsn());
                done += trimming.work(nextSeq, indexBuild == null);
                if (!answers.isEmpty()) {
                    store.owner().checkUnlessFresh();
                }
            } catch (IOException | UncheckedIOException | StoreCorruptedException e) {
                fail(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return done + answers.give(log.acceptedLsn(), limit);
    }

    private int fillIndex(int limit) throws IOException {
        if (indexBuild != null) {
            if (!indexBuild.work(options.turnTimers())) {
                return 1;
            }
            indexBuild = null;
        }
        int done = 0;
        while (done < limit && log.hasRoom()) {
            Runnable command = deferred.poll();
            if (command == null) {
                break;
            }
            command.run();
            done++;
        }
        return done;
    }

    @Override
    public void fail(Throwable cause) {
        decide();
        if (failure == null) {
            failNow(cause);
        }
    }

    /** Fails the store; returns the reason for those whose command was under way. */
    private StoreFailedException failNow(Throwable failed) {
        Throwable cause = store.owner().reasonFor(failed);
        String message =
                "the store in " + options.directory() + " failed and takes nothing any more: " + cause.getMessage();
        failure = new StoreFailedException(message, false, cause);
        StoreFailedException unknown = new StoreFailedException(message, true, cause);
        answers.failAll(unknown);
        sweeps.failAll(unknown);
        for (Runnable command = deferred.poll(); command != null; command = deferred.poll()) {
            command.run();
        }
        return unknown;
    }

    @Override
    public boolean hasRoom() {
        return log.hasRoom() && deferred.size() < DEFERRED && trimming.hasRoom();
    }

    @Override
    public boolean isQuiet() {
        boolean written = failure == null
                ? answers.isEmpty() && batch.isEmpty() && deferred.isEmpty() && sweeps.isEmpty() && log.isQuiet()
                : log.isIdle();
        return written && trimming.isIdle() && room.isIdle() && store.spares().isIdle();
    }

    @Override
    public Durability durability() {
        return store.options().syncPolicy().durability();
    }

    @Override
    public long liveCount() {
        decide();
        IndexBuild build = indexBuild;
        return build != null ? build.liveAtStart() : shelves.queues.live();
    }

    @Override
    public void close() {
        Closeable runs = shelves::close;
        Closeable build = this::closeIndexBuild;
        OwnerMark owner = store.owner();
        try (directory;
                owner;
                runs;
                build) {
            if (failure == null) {
                closeInOrder();
            } else {
                abandon();
            }
        } catch (IOException e) {
            throw new StoreFailedException("closing the store in " + options.directory() + " failed: " + e, false, e);
        }
    }

    private void closeIndexBuild() throws IOException {
        if (indexBuild != null) {
            indexBuild.close();
        }
    }

    private void closeInOrder() throws IOException {
        OwnerMark owner = store.owner();
        try {
            log.syncAll();
            owner.check();
        } catch (IOException | RuntimeException | Error e) {
            abandon();
            throw e;
        }
        log.close();
        trimming.close(nextSeq, indexBuild == null);
        owner.endInOrder();
    }

    private void abandon() throws IOException {
        try {
            log.close();
        } finally {
            trimming.abandon();
        }
    }

    private TimerView view(TimerKey key, TimerRecord record, TimerState state, int attempts) {
        return new TimerView(
                key, publicId(record.id()), record.version(), record.dueAtMs(), record.attemptAtMs(), state, attempts);
    }

    private TimerView view(TimerKey key, FinishedRecord finished) {
        return new TimerView(
                key,
                publicId(finished.id()),
                finished.version(),
                finished.dueAtMs(),
                finished.attemptAtMs(),
                finished.state(),
                finished.attempts());
    }

    private String publicId(long id) {
        return idPrefix + TimerIds.text(id);
    }
}
