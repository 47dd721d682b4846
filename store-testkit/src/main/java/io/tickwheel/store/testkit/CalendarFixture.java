package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A calendar under test, with an index that notes what it is told. An implementation says how its calendar is opened and how its
 * background work is run.
 */
public abstract class CalendarFixture {

    /** Everything due before this is loaded by {@link #loadAll}. */
    protected static final long HORIZON_MS = 1_000_000;

    final Index index = new Index();
    private int places = 100_000;
    Calendar calendar;

    /** Opens the store of this test, which keeps what was put in from one opening to the next. */
    protected abstract Calendar open(CalendarListener listener);

    /** Runs what the calendar gave to its executors, until nothing is left. */
    protected abstract void runBackground();

    /** Throws all memory of the process away, as kill -9 does, so that the store can be opened again. */
    protected abstract void kill(Calendar calendar);

    /** Whether a command is decided within its call, so that what it does to the index is seen at once. */
    protected boolean decidesAtOnce() {
        return true;
    }

    /** Whether what was claimed when the process died is pending again; until then the calendar is given more turns. */
    protected boolean isRecovered() {
        return true;
    }

    /** What the next attempt of a timer is, the first attempt of which ended by the death of the process. */
    protected int attemptAfterACrash() {
        return 1;
    }

    /** Checks, after the last closing, that the store let go of everything; does nothing unless overridden. */
    protected void checkClosed() {}

    /** What is loaded and not taken back. */
    static final class Index implements CalendarListener {

        final Set<PendingTimer> timers = new LinkedHashSet<>();

        /** Lanes that cannot start. */
        final Set<Lane> blocked = new HashSet<>();

        LoadRoom room = new LoadRoom(1, 1, 0);

        @Override
        public boolean mayStart(Lane lane) {
            return !blocked.contains(lane);
        }

        @Override
        public LoadRoom room() {
            return room;
        }

        @Override
        public void loaded(PendingTimer timer) {
            assertThat(timers.add(timer)).as("loaded once").isTrue();
        }

        @Override
        public void unloaded(PendingTimer timer) {
            assertThat(timers.remove(timer)).as("unloaded only what was loaded").isTrue();
        }

        PendingTimer only(String key) {
            List<PendingTimer> found = timers.stream()
                    .filter(timer -> timer.key().key().equals(key))
                    .toList();
            assertThat(found).as("loaded timers of key %s", key).hasSize(1);
            return found.get(0);
        }
    }

    /** Takes one answer. */
    protected static final class Reply<T> implements Answer<T> {

        private @Nullable T result;
        private @Nullable StoreException failure;
        private int calls;

        @Override
        public void accept(T answered) {
            result = answered;
            calls++;
        }

        @Override
        public void fail(StoreException reason) {
            failure = reason;
            calls++;
        }

        public boolean isGiven() {
            return calls > 0;
        }

        public @Nullable StoreException failure() {
            return failure;
        }

        public T get() {
            assertThat(calls).as("answers").isEqualTo(1);
            assertThat(failure).isNull();
            return Objects.requireNonNull(result);
        }
    }

    @BeforeEach
    void openFirst() {
        reopen();
    }

    @AfterEach
    void closeLast() {
        settle();
        assertThat(index.room.taken() == 0)
                .as("places are taken: %s, loaded: %s", index.room.taken(), index.timers)
                .isEqualTo(index.timers.isEmpty());
        calendar.close();
        checkClosed();
    }

    final void reopen() {
        index.timers.clear();
        index.room = new LoadRoom(places, places * 1_000L, 0);
        calendar = open(index);
    }

    final void settle() {
        StepLimit limit = new StepLimit();
        do {
            count(limit);
            runBackground();
        } while (calendar.work(1_000) > 0 || !calendar.isQuiet());
    }

    /** One behind a network is waited for, however many turns that takes. */
    private void count(StepLimit limit) {
        if (decidesAtOnce()) {
            limit.step();
        }
    }

    /** Closes the store and opens it again with room for so many loaded timers. */
    final void restartWithRoomFor(int timers) {
        places = timers;
        restart();
    }

    final void restart() {
        settle();
        calendar.close();
        reopen();
    }

    final void crash() {
        kill(calendar);
        reopen();
        StepLimit limit = new StepLimit();
        while (!isRecovered()) {
            count(limit);
            settle();
        }
    }

    final void loadAll() {
        loadTo(HORIZON_MS);
    }

    final void loadTo(long toMs) {
        StepLimit limit = new StepLimit();
        while (!calendar.load(0, toMs, 10)) {
            count(limit);
            settleUndecided();
        }
        settleUndecided();
    }

    /** Lets a calendar do what it would have done at once if it were one that decides so. */
    final void settleUndecided() {
        if (!decidesAtOnce()) {
            settle();
        }
    }

    final PendingTimer loaded(String key) {
        settleUndecided();
        return index.only(key);
    }

    static TimerKey key(String key) {
        return new TimerKey("q", key);
    }

    static ScheduleCommand timer(String key, long dueAtMs) {
        return timer(key, dueAtMs, OnConflict.REPLACE);
    }

    static ScheduleCommand timer(String key, long dueAtMs, OnConflict onConflict) {
        return new ScheduleCommand(
                key(key), dueAtMs, (key + "@" + dueAtMs).getBytes(StandardCharsets.UTF_8), onConflict, dueAtMs);
    }

    final Reply<Scheduled> begin(ScheduleCommand command) {
        Reply<Scheduled> reply = new Reply<>();
        calendar.schedule(command, reply);
        return reply;
    }

    final Scheduled schedule(ScheduleCommand command) {
        Reply<Scheduled> reply = begin(command);
        settle();
        return reply.get();
    }

    final Cancelled cancel(String key) {
        Reply<Cancelled> reply = new Reply<>();
        calendar.cancel(key(key), reply);
        settle();
        return reply.get();
    }

    final List<TimerView> find(String key) {
        return find(key(key));
    }

    final List<TimerView> find(TimerKey key) {
        Reply<List<TimerView>> reply = new Reply<>();
        calendar.find(key, reply);
        settle();
        return reply.get();
    }

    final ClaimedTimer claim(String key) {
        List<ClaimedTimer> granted = beginClaim(key);
        settle();
        assertThat(granted).hasSize(1);
        return granted.get(0);
    }

    /** The index lets go of a timer when its claim is granted. */
    final List<ClaimedTimer> beginClaim(String key) {
        // What was scheduled before is told by now.
        calendar.loadedTo();
        settleUndecided();
        List<ClaimedTimer> granted = new ArrayList<>();
        calendar.claim(loaded(key), claimed -> {
            index.timers.remove(claimed.handle());
            granted.add(claimed);
        });
        return granted;
    }
}
