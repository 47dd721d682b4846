package io.tickwheel.store.file.calendar;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.OwnerMark;
import io.tickwheel.store.file.loading.Loading;
import io.tickwheel.store.file.log.CommitLog;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.LoadedTimer;
import io.tickwheel.store.file.timers.TimerTables;
import io.tickwheel.store.file.timers.Transitions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what happens to timers from loading to their end: load, unload, claim, release, and how an attempt ended. A claim
 * is granted when everything that is true of the timer is durable. Owned by the loop.
 */
final class Claims implements Loading.Target {

    private final TimerTables tables;
    private final Transitions transitions;
    private final CommitLog log;
    private final OwnerMark owner;
    private final Answers answers;
    private final Places places;
    private final TimerViews views;
    private final Failing failing;

    /** Whether the store has failed, and what makes it do so. */
    interface Failing {

        boolean hasFailed();

        void fail(Throwable cause);
    }

    Claims(
            Transitions transitions,
            CommitLog log,
            OwnerMark owner,
            Answers answers,
            Places places,
            TimerViews views,
            Failing failing) {
        this.tables = transitions.tables();
        this.transitions = transitions;
        this.log = log;
        this.owner = owner;
        this.answers = answers;
        this.places = places;
        this.views = views;
        this.failing = failing;
    }

    @Override
    public boolean mayStart(Lane lane) {
        return places.listener().mayStart(lane);
    }

    @Override
    public LoadRoom room() {
        return places.listener().room();
    }

    @Override
    public void load(
            TimerTable table, int ordinal, long seq, long attemptAtMs, StoreLane lane, LoadRoom.Age age, int length) {
        long lsn = table instanceof Memtable ? log.recordedLsn() : 0;
        LoadedTimer timer = transitions.load(table, ordinal, seq, attemptAtMs, lane, age, length, lsn);
        places.take(timer);
        places.listener().loaded(timer);
    }

    void unload(LoadedTimer timer) {
        if (timer.isGone() || timer.claimed()) {
            throw new IllegalStateException(timer.key() + " is not loaded");
        }
        transitions.unload(timer);
        places.giveBack(timer);
        tables.loading.unloaded(timer.table(), timer.ordinal(), timer.attemptAtMs(), timer.storeLane);
    }

    void claim(LoadedTimer timer, Consumer<ClaimedTimer> granted) {
        if (!failing.hasFailed()) {
            try {
                grantWhenDurable(timer, granted);
            } catch (UncheckedIOException | StoreCorruptedException e) {
                failing.fail(e);
            }
        }
    }

    private void grantWhenDurable(LoadedTimer timer, Consumer<ClaimedTimer> granted) {
        if (timer.isGone() || timer.claimed() || !isOwner()) {
            return;
        }
        if (timer.lsn > log.acceptedLsn()) {
            answers.add(timer.lsn, () -> claim(timer, granted));
            return;
        }
        TimerRecord record = timer.table().record(timer.ordinal(), true);
        transitions.claim(timer, record);
        places.giveBack(timer);
        TimerView view = views.of(timer.key(), record, TimerState.CLAIMED, timer.attempts());
        granted.accept(new ClaimedTimer(timer, view, record.content()));
    }

    /** Whether nobody has taken over, as far as was looked lately; the store fails when somebody has. */
    private boolean isOwner() {
        try {
            owner.checkUnlessFresh();
        } catch (IOException e) {
            failing.fail(e);
        }
        return !failing.hasFailed();
    }

    boolean release(LoadedTimer timer) {
        if (timer.isGone()) {
            endLast(timer, false, false, History.NONE);
            return false;
        }
        transitions.release(timer);
        places.take(timer);
        return true;
    }

    void reroute(LoadedTimer timer, long route) {
        if (counts(timer)) {
            TimerRecord record = withContent(timer);
            if (record == null) {
                return;
            }
            TimerRecord again = record.rerouted(transitions.newSeq(), route);
            StoreLane lane = tables.queues.get(new Lane(timer.lane().queue(), route));
            tables.offer(transitions.reroute(timer, again, lane), again, lane);
        } else {
            endLast(timer, false, false, History.NONE);
        }
    }

    /**
     * @param counted whether the attempt that ends counts
     * @param ended the attempt; none when it is not to be remembered
     */
    boolean retry(LoadedTimer timer, long attemptAtMs, boolean counted, History ended) {
        if (!counts(timer)) {
            endLast(timer, false, counted, ended);
            return false;
        }
        TimerRecord record = withContent(timer);
        if (record == null) {
            return false;
        }
        int attempts = counted ? timer.attempts() : timer.attempts() - 1;
        TimerRecord again = record.remembering(ended).again(transitions.newSeq(), attemptAtMs, attempts, false);
        tables.offer(transitions.retry(timer, again), again, timer.storeLane);
        return true;
    }

    /** @param ended the attempt that ends; none when it is not to be remembered */
    boolean finish(LoadedTimer timer, TimerState outcome, History ended) {
        if (!counts(timer)) {
            return endLast(timer, outcome == TimerState.COMPLETED, true, ended);
        }
        if (outcome == TimerState.DEAD) {
            TimerRecord record = withContent(timer);
            if (record == null) {
                return false;
            }
            transitions.bury(
                    timer,
                    record.remembering(ended)
                            .again(transitions.newSeq(), record.attemptAtMs(), timer.attempts(), true));
        } else {
            transitions.finish(timer, outcome, ended);
        }
        return true;
    }

    /** What goes on after its claim; null when it cannot be read, with which the store has failed. */
    private @Nullable TimerRecord withContent(LoadedTimer timer) {
        try {
            return timer.recordWithContent();
        } catch (UncheckedIOException | StoreCorruptedException e) {
            failing.fail(e);
            return null;
        }
    }

    boolean holds(LoadedTimer timer) {
        return counts(timer) || (!failing.hasFailed() && transitions.isLast(timer));
    }

    /** Of a timer that was cancelled meanwhile; does nothing when it was replaced. */
    private boolean endLast(LoadedTimer timer, boolean completed, boolean counted, History ended) {
        return !failing.hasFailed() && transitions.endLast(timer, completed, counted, ended);
    }

    /** Whether the outcome of an attempt still counts. */
    private boolean counts(LoadedTimer timer) {
        return !timer.isGone() && !failing.hasFailed();
    }
}
