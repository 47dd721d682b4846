package io.tickwheel.store.file;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calendar on files. Every command is decided at once in memory, written to the commit log, and answered when the log is
 * synced: so decisions are made in the order of the calls, and nothing that was shown is ever taken back. Owned by the loop.
 *
 * <pre>
 *   command -> TimerTable (decide) -> CommitLog (append) -> Answers (wait for the sync) -> answer
 *                   |  pending: SliceTable, or the listener when its slice is loaded
 *                   '- now and then: Checkpoint, which trims the log
 * </pre>
 */
final class FileCalendar implements Calendar {

    private static final byte[] NOTHING = new byte[0];

    /** What the parts of one open calendar share. */
    record Surroundings(
            StoreContext context, long storeId, int epoch, long segmentBytes, SpareSegments spares, SyncPolicy syncs) {}

    private final FileTimerStore options;
    private final Surroundings surroundings;
    private final CalendarListener listener;
    private final DataDirectory directory;
    private final TimerTable table;
    private final SliceTable slices;
    private final CommitLog log;
    private final Answers answers = new Answers();
    private final String idPrefix;
    private Manifest manifest;
    private long nextId;
    private @Nullable Checkpoint checkpoint;
    private @Nullable StoreFailedException failure;

    private FileCalendar(
            FileTimerStore options,
            Surroundings surroundings,
            CalendarListener listener,
            DataDirectory directory,
            TimerTable table,
            CommitLog log,
            Manifest manifest) {
        this.options = options;
        this.surroundings = surroundings;
        this.listener = listener;
        this.directory = directory;
        this.table = table;
        this.slices = new SliceTable();
        this.log = log;
        this.manifest = manifest;
        this.nextId = manifest.nextId();
        this.idPrefix = "tmr_" + TimerIds.text(manifest.storeId()) + "_";
    }

    static FileCalendar open(FileTimerStore options, StoreContext context, CalendarListener listener)
            throws IOException {
        DataDirectory directory = DataDirectory.open(options.directory());
        try {
            Manifest found = Manifest.read(directory);
            Manifest before =
                    found != null ? found : Manifest.first(context.random().getAsLong());
            if (found == null) {
                directory.syncName();
            }
            TimerTable table = new TimerTable(options.finishedRemembered());
            Replay replay = new Replay(table, before.nextId());
            SpareSegments spares =
                    SpareSegments.open(directory, context.background(), context.waker(), options.segmentBytes());
            Recovery.Opened opened = new Recovery(directory, before, replay).run();
            Manifest manifest = opened.manifest();
            Recovery.End end = opened.log();
            Surroundings surroundings = new Surroundings(
                    context,
                    manifest.storeId(),
                    manifest.epoch(),
                    options.segmentBytes(),
                    spares,
                    options.syncPolicy());
            CommitLog log = new CommitLog(surroundings, end.segment(), end.lsn());
            FileCalendar calendar = new FileCalendar(options, surroundings, listener, directory, table, log, manifest);
            calendar.placeRecovered();
            return calendar;
        } catch (IOException | RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    private void placeRecovered() {
        table.startWalk();
        for (StoredTimer timer = table.next(); timer != null; timer = table.next()) {
            if (timer.state == TimerState.PENDING) {
                slices.add(timer);
            }
        }
        slices.startAtOldest();
    }

    @Override
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        if (refused(answer)) {
            return;
        }
        StoredTimer old = table.get(command.key());
        boolean live = old != null && !old.state.isFinished();
        Scheduled.Previous previous = previous(old);
        if (old != null && keeps(old, live, command)) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            answers.add(old.lsn, answer, new Scheduled(outcome, view(old), previous, old.requestHash));
            return;
        }
        StoredTimer timer = replace(old, command);
        Scheduled.Outcome outcome = live ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED;
        answers.add(timer.lsn, answer, new Scheduled(outcome, view(timer), previous, timer.requestHash));
    }

    private static Scheduled.Previous previous(@Nullable StoredTimer old) {
        if (old == null || old.state.isFinished()) {
            return Scheduled.Previous.NONE;
        }
        return old.state == TimerState.PENDING ? Scheduled.Previous.PENDING : Scheduled.Previous.CLAIMED;
    }

    private static boolean keeps(StoredTimer old, boolean live, ScheduleCommand command) {
        return switch (command.onConflict()) {
            case REPLACE -> false;
            case KEEP, FAIL -> live;
            case EARLIEST -> live && old.dueAtMs <= command.dueAtMs();
            case LATEST -> live && old.dueAtMs >= command.dueAtMs();
            case ONCE -> true;
        };
    }

    private StoredTimer replace(@Nullable StoredTimer old, ScheduleCommand command) {
        long version = old == null ? 1 : old.version + 1;
        LogRecord.Schedule record = new LogRecord.Schedule(
                nextId++,
                command.key(),
                version,
                command.dueAtMs(),
                0,
                TimerState.PENDING,
                command.requestHash(),
                command.content());
        StoredTimer timer = new StoredTimer(record, table.shared(record.key()));
        timer.lsn = log.append(record);
        if (old != null) {
            old.replaced = true;
            withdraw(old);
        }
        table.put(timer);
        place(timer);
        return timer;
    }

    @Override
    public void cancel(TimerKey key, Answer<Cancelled> answer) {
        if (refused(answer)) {
            return;
        }
        StoredTimer timer = table.get(key);
        if (timer == null) {
            // It may be unknown because it was forgotten for one that just finished.
            answers.add(log.recordedLsn(), answer, new Cancelled(Cancelled.Outcome.NOT_FOUND, null));
            return;
        }
        if (timer.state == TimerState.PENDING) {
            timer.lsn = log.append(new LogRecord.Cancel(timer.id));
            withdraw(timer);
            timer.content = NOTHING;
            table.setState(timer, TimerState.CANCELLED);
        }
        Cancelled.Outcome outcome =
                timer.state == TimerState.CANCELLED ? Cancelled.Outcome.CANCELLED : Cancelled.Outcome.TOO_LATE;
        answers.add(timer.lsn, answer, new Cancelled(outcome, view(timer)));
    }

    @Override
    public void find(TimerKey key, Answer<List<TimerView>> answer) {
        if (refused(answer)) {
            return;
        }
        StoredTimer timer = table.get(key);
        if (timer == null) {
            answers.add(log.recordedLsn(), answer, List.of());
        } else {
            answers.add(timer.lsn, answer, List.of(view(timer)));
        }
    }

    @Override
    public boolean load(long nowMs, long toMs, int room) {
        return slices.load(toMs, room, this::tellLoaded);
    }

    @Override
    public long loadedTo() {
        return slices.loadedTo();
    }

    @Override
    public void claim(PendingTimer pending, Consumer<ClaimedTimer> granted) {
        if (failure == null) {
            grantWhenDurable((StoredTimer) pending, granted);
        }
    }

    private void grantWhenDurable(StoredTimer timer, Consumer<ClaimedTimer> granted) {
        if (timer.place != StoredTimer.Place.LOADED) {
            return;
        }
        if (timer.lsn > log.acceptedLsn()) {
            // Asked again then: a claim that was granted first may have ended in a retry, which is not durable yet.
            answers.add(timer.lsn, () -> grantWhenDurable(timer, granted));
            return;
        }
        timer.place = StoredTimer.Place.NONE;
        timer.attempts++;
        table.setState(timer, TimerState.CLAIMED);
        granted.accept(new ClaimedTimer(timer, view(timer), timer.content));
    }

    @Override
    public boolean release(PendingTimer claimed) {
        StoredTimer timer = claimed(claimed);
        if (timer.replaced) {
            return false;
        }
        timer.attempts--;
        table.setState(timer, TimerState.PENDING);
        timer.place = StoredTimer.Place.LOADED;
        return true;
    }

    @Override
    public boolean retry(PendingTimer claimed, long dueAtMs) {
        StoredTimer timer = claimed(claimed);
        if (timer.replaced || failure != null) {
            return false;
        }
        timer.dueAtMs = dueAtMs;
        timer.lsn = log.append(new LogRecord.Retry(timer.id, dueAtMs, timer.attempts));
        table.setState(timer, TimerState.PENDING);
        place(timer);
        return true;
    }

    @Override
    public boolean finish(PendingTimer claimed, TimerState outcome) {
        StoredTimer timer = claimed(claimed);
        if (timer.replaced || failure != null) {
            return false;
        }
        timer.lsn = log.append(new LogRecord.Finish(timer.id, outcome, timer.attempts));
        if (outcome != TimerState.DEAD) {
            timer.content = NOTHING;
        }
        table.setState(timer, outcome);
        return true;
    }

    @Override
    public int work(int limit) {
        if (failure == null) {
            try {
                log.work();
                workOnCheckpoint();
            } catch (IOException e) {
                fail(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return answers.give(log.acceptedLsn(), limit);
    }

    private void workOnCheckpoint() throws IOException {
        Checkpoint current = checkpoint;
        if (current != null) {
            Manifest done = current.work(log.syncedLsn(), log.recordedLsn());
            log.syncUpTo(current.awaitedLsn());
            if (done != null) {
                manifest = done;
                checkpoint = null;
            }
        } else if (log.nextFrameLsn() - manifest.checkpointLsn()
                > Math.max(options.checkpointBytes(), manifest.snapshotBytes())) {
            checkpoint = new Checkpoint(surroundings, directory, table, manifest, log.nextFrameLsn(), nextId - 1);
        }
    }

    @Override
    public void fail(Throwable cause) {
        if (failure != null) {
            return;
        }
        String message =
                "the store in " + options.directory() + " failed and takes nothing any more: " + cause.getMessage();
        failure = new StoreFailedException(message, false, cause);
        answers.failAll(new StoreFailedException(message, true, cause));
    }

    private boolean refused(Answer<?> answer) {
        if (failure == null) {
            return false;
        }
        answer.fail(failure);
        return true;
    }

    @Override
    public boolean hasRoom() {
        return log.hasRoom();
    }

    @Override
    public boolean isQuiet() {
        boolean written = failure == null ? answers.isEmpty() && log.isQuiet() : log.isIdle();
        return written
                && (checkpoint == null || checkpoint.isIdle())
                && surroundings.spares().isIdle();
    }

    @Override
    public void queues(Answer<List<QueueCounts>> answer) {
        answer.accept(table.queues());
    }

    @Override
    public Durability durability() {
        return surroundings.syncs().durability();
    }

    @Override
    public long liveCount() {
        return table.liveCount();
    }

    @Override
    public void close() {
        try (directory) {
            if (failure == null) {
                closeInOrder();
            } else {
                abandon();
            }
        } catch (IOException e) {
            throw new StoreFailedException("closing the store in " + options.directory() + " failed: " + e, false, e);
        }
    }

    private void closeInOrder() throws IOException {
        try {
            log.syncAll();
        } catch (IOException | RuntimeException | Error e) {
            abandon();
            throw e;
        }
        log.close();
        writeLastManifest();
    }

    private void abandon() throws IOException {
        log.close();
        if (checkpoint != null) {
            checkpoint.abandon();
        }
    }

    private void writeLastManifest() throws IOException {
        Manifest checkpointed = checkpoint == null ? null : checkpoint.close();
        Manifest last = checkpointed == null ? manifest : checkpointed;
        last.opened(last.epoch(), log.syncedLsn(), nextId).write(directory);
    }

    private void place(StoredTimer timer) {
        if (timer.dueAtMs < slices.loadedTo()) {
            tellLoaded(timer);
        } else {
            slices.add(timer);
        }
    }

    private void tellLoaded(StoredTimer timer) {
        timer.place = StoredTimer.Place.LOADED;
        listener.loaded(timer);
    }

    private void withdraw(StoredTimer timer) {
        StoredTimer.Place place = timer.place;
        if (place == StoredTimer.Place.SLICE) {
            slices.remove(timer);
        }
        timer.place = StoredTimer.Place.NONE;
        if (place == StoredTimer.Place.LOADED) {
            listener.unloaded(timer);
        }
    }

    private static StoredTimer claimed(PendingTimer pending) {
        StoredTimer timer = (StoredTimer) pending;
        assert timer.state == TimerState.CLAIMED : timer.state;
        return timer;
    }

    private TimerView view(StoredTimer timer) {
        return new TimerView(
                timer.key,
                idPrefix + TimerIds.text(timer.id),
                timer.version,
                timer.dueAtMs,
                timer.state,
                timer.attempts);
    }
}
