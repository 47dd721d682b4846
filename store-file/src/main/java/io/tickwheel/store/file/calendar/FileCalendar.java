package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import io.tickwheel.store.file.checkpoint.CheckpointPolicy;
import io.tickwheel.store.file.checkpoint.DiskRoom;
import io.tickwheel.store.file.disk.DirectoryCall;
import io.tickwheel.store.file.disk.FileStoreOptions;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.log.OpenStore;
import io.tickwheel.store.file.query.Queries;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.recovery.IndexBuild;
import io.tickwheel.store.file.recovery.Recovery;
import io.tickwheel.store.file.timers.LoadedTimer;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.file.timers.Transitions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calendar on files. Every command is decided in memory, at once unless it needs what must be read from the disk, written to the commit log, and answered when the log is
 * synced: so decisions about one key are made in the order of the calls, and nothing that was shown is ever taken back. Owned by the loop.
 *
 * <pre>
 *   command -> TimerTables (find, decide) -> CommitLog (append) -> Answers (wait for the sync) -> answer
 *                  |  '-> Loading -> the listener
 *                  '- now and then: Checkpoint, which moves what is pending to runs and trims the log
 * </pre>
 *
 * After an opening, timers are loaded and delivered at once; commands wait until {@link IndexBuild} has found all of their keys, see {@link Indexing}.
 * What is decided about a key is in {@link KeyCommands}, what happens to loaded timers in {@link Claims}; here is what waits, and
 * what happens when the store fails.
 */
final class FileCalendar implements Calendar, Claims.Failing {

    /** How soon it looks again while time alone may give it something to do. */
    private static final long LOOK_NANOS = 500_000_000;

    private final FileStoreOptions options;
    final OpenStore store;
    private final TimerTables tables;
    private final CommitLog log;
    private final Answers answers = new Answers();
    private final DiskRoom room;
    final CheckpointPolicy checkpoints;
    private final CommandBatch batch;
    private final Queries queries;
    private final KeyCommands commands;
    private final Claims claims;

    final Indexing indexing;

    /** Why it takes nothing any more; null while it does. */
    @Nullable
    StoreFailedException failure;

    /** The calendar of a store that was read back, of which nothing is indexed yet. */
    FileCalendar(OpenStore store, CalendarListener listener, Recovery.Opened opened) {
        this.store = store;
        this.options = store.options();
        this.tables = opened.tables();
        this.indexing = new Indexing(tables, opened.indexBuild());
        this.log = new CommitLog(store, opened.log().segment(), opened.log().lsn());
        Transitions transitions = new Transitions(tables, log, opened.manifest().nextSeq(), indexing::remember);
        this.room = new DiskRoom(store, tables, log.nextFrameLsn());
        this.checkpoints = new CheckpointPolicy(store, transitions, log, room, opened.manifest());
        Places places = new Places(listener);
        TimerViews views = new TimerViews(opened.manifest().storeId());
        this.commands = new KeyCommands(transitions, log, answers, room, places, views);
        this.claims = new Claims(transitions, log, store.owner(), answers, places, views, this);
        this.batch = new CommandBatch(tables, store.context(), this::schedule, this::run);
        this.queries = new Queries(tables, options.queryBounds(), views::publicId);
    }

    Loading.Target loads() {
        return claims;
    }

    /** Fills the index when that takes no time, so that no command has to wait. */
    void beginToIndex() throws IOException {
        indexing.begin();
    }

    @Override
    public boolean hasFailed() {
        return failure != null;
    }

    // ---- commands

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        if (failure != null) {
            answer.fail(failure);
        } else if (mustWait()) {
            indexing.add(List.of(command.key()), () -> {
                batch.add(command, answer);
                decide();
            });
        } else if (batch.add(command, answer)) {
            decide();
        }
    }

    private void schedule(ScheduleCommand command, byte[] key, long hash, Answer<Scheduled> answer) {
        run(answer, () -> commands.schedule(command, key, hash, answer));
    }

    /** Has a command about one key decided, with others or when the key is known. */
    private void add(TimerKey name, Answer<?> answer, CommandBatch.Decision decision) {
        if (failure != null) {
            answer.fail(failure);
        } else if (mustWait()) {
            indexing.add(List.of(name), () -> {
                batch.add(name, decision, answer);
                decide();
            });
        } else if (batch.add(name, decision, answer)) {
            decide();
        }
    }

    /** Decides what has gathered: before anything else looks or acts. */
    private void decide() {
        batch.decide();
    }

    @Override
    public void cancel(
            TimerKey name, @Nullable String expectedId, @Nullable Durability level, Answer<Cancelled> answer) {
        add(name, answer, (key, hash) -> commands.cancel(name, key, hash, expectedId, answer));
    }

    @Override
    public void change(ChangeCommand command, Answer<Changed> answer) {
        add(command.key(), answer, (key, hash) -> commands.change(command, key, hash, answer));
    }

    @Override
    public void complete(CompleteCommand command, Answer<Changed> answer) {
        add(command.key(), answer, (key, hash) -> commands.complete(command, key, hash, answer));
    }

    @Override
    public void find(TimerKey name, Answer<List<TimerView>> answer) {
        add(name, answer, (key, hash) -> commands.find(name, key, hash, answer));
    }

    @Override
    public void read(TimerKey name, Answer<List<StoredTimer>> answer) {
        add(name, answer, (key, hash) -> commands.read(name, key, hash, answer));
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        whenKnown(answer, List.of(), () -> answers.add(log.recordedLsn(), answer, tables.queues.counts()));
    }

    @Override
    public void list(TimerQuery query, Answer<TimerPage> answer) {
        decide();
        Runnable list = () -> run(answer, () -> queries.list(query, answer));
        if (mustWait()) {
            indexing.addList(query.queue(), list);
        } else {
            list.run();
        }
    }

    @Override
    public void countDue(DueCountQuery query, Answer<DueCounts> answer) {
        whenKnown(answer, List.of(), () -> queries.countDue(query, answer));
    }

    private void whenKnown(Answer<?> answer, List<TimerKey> keys, Runnable command) {
        decide();
        Runnable decision = () -> run(answer, command);
        if (mustWait()) {
            indexing.add(keys, () -> batch.decideBehind(keys, decision));
        } else {
            batch.decideBehind(keys, decision);
        }
    }

    private boolean mustWait() {
        return failure == null && indexing.mustWait();
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

    // ---- from loading to the end

    @Override
    public boolean load(long nowMs, long toMs, int limit) {
        decide();
        if (failure != null) {
            return true;
        }
        checkpoints.setTime(nowMs);
        try {
            boolean all = tables.loading.load(nowMs, toMs, limit);
            if (tables.loading.isCutShort()) {
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
        return tables.loading.loadedTo();
    }

    @Override
    public long firstToLoad() {
        decide();
        return tables.loading.firstToLoad();
    }

    @Override
    public void suspend(Lane lane) {
        decide();
        tables.loading.suspend(tables.queues.find(lane));
    }

    @Override
    public void resume(Lane lane) {
        decide();
        tables.loading.resume(tables.queues.find(lane));
    }

    @Override
    public void unload(PendingTimer pending) {
        decide();
        claims.unload((LoadedTimer) pending);
    }

    @Override
    public List<WaitingLane> waiting() {
        decide();
        if (failure != null) {
            return List.of();
        }
        try {
            return tables.loading.waiting();
        } catch (UncheckedIOException | StoreCorruptedException e) {
            fail(e);
            return List.of();
        }
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        decide();
        claims.claim((LoadedTimer) pending, granted);
    }

    @Override
    public boolean release(PendingTimer claimed) {
        decide();
        return claims.release((LoadedTimer) claimed);
    }

    @Override
    public void reroute(PendingTimer claimed, long route) {
        decide();
        claims.reroute((LoadedTimer) claimed, route);
    }

    @Override
    public boolean retry(PendingTimer claimed, long attemptAtMs, @Nullable PastAttempt ended) {
        decide();
        return claims.retry((LoadedTimer) claimed, attemptAtMs, true, History.of(ended));
    }

    @Override
    public boolean postpone(PendingTimer claimed, long attemptAtMs) {
        decide();
        return claims.retry((LoadedTimer) claimed, attemptAtMs, false, History.NONE);
    }

    @Override
    public void spawn(SpawnCommand command, Answer<Spawned> answer) {
        LoadedTimer plan = (LoadedTimer) command.timer();
        ScheduleCommand run = command.spawned();
        List<TimerKey> keys = run == null ? List.of(plan.key()) : List.of(plan.key(), run.key());
        whenKnown(answer, keys, () -> commands.spawn(command, plan, answer));
    }

    @Override
    public boolean finish(PendingTimer claimed, TimerState outcome, @Nullable PastAttempt ended) {
        decide();
        return claims.finish((LoadedTimer) claimed, outcome, History.of(ended));
    }

    @Override
    public boolean holds(PendingTimer claimed) {
        decide();
        return claims.holds((LoadedTimer) claimed);
    }

    @Override
    public int work(int limit) {
        return work(limit, 0);
    }

    @Override
    public int work(int limit, long spareNanos) {
        decide();
        int done = 0;
        if (failure == null) {
            try {
                done += indexing.work(options.turnTimers(), limit, log::hasRoom);
                done += batch.work(limit, log::hasRoom);
                done += queries.work(answers, log.recordedLsn());
                log.work(!answers.isEmpty(), spareNanos);
                room.work(log.nextFrameLsn());
                done += checkpoints.work(!indexing.isUnderWay());
                if (!answers.isEmpty()) {
                    store.owner().checkUnlessFresh();
                }
            } catch (IOException | UncheckedIOException | StoreCorruptedException e) {
                fail(e);
            }
        }
        if (failure != null) {
            // Some may have been overtaken by the command that has failed it.
            failWaiting();
            throw failure;
        }
        return done + answers.give(log.acceptedLsn(), limit);
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
        String message = DirectoryCall.failure(options.directory(), cause);
        failure = new StoreFailedException(message, false, cause);
        StoreFailedException unknown = new StoreFailedException(message, true, cause);
        answers.failAll(unknown);
        queries.failAll(unknown);
        failWaiting();
        return unknown;
    }

    private void failWaiting() {
        batch.fail();
        indexing.fail();
    }

    @Override
    public boolean hasRoom() {
        return log.hasRoom() && answers.hasRoom() && indexing.hasRoom() && batch.hasRoom() && checkpoints.hasRoom();
    }

    @Override
    public void handOver() {
        log.handOver();
    }

    /** What rests needs no turn; else there may be something to be synced or marked, or tried again. */
    @Override
    public long idleNanos() {
        boolean rests = failure == null && !indexing.isUnderWay() && isQuiet() && log.isAtRest() && !room.isFull();
        return rests ? Long.MAX_VALUE : Math.min(LOOK_NANOS, log.idleNanos());
    }

    @Override
    public boolean isQuiet() {
        boolean written = failure == null
                ? answers.isEmpty() && batch.isEmpty() && indexing.isEmpty() && queries.isEmpty() && log.isQuiet()
                : log.isIdle();
        return written
                && checkpoints.isIdle()
                && room.isIdle()
                && store.spares().isIdle();
    }

    @Override
    public Durability durability() {
        return options.syncPolicy().durability();
    }

    @Override
    public long liveCount() {
        decide();
        IndexBuild build = indexing.build();
        return build != null ? build.liveAtStart() : tables.queues.live();
    }

    @Override
    public void close() {
        new Closing(store, tables, log, checkpoints).close(failure == null, indexing.build());
    }
}
