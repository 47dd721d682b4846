package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** A calendar that a test turns, with what it has loaded. */
final class DrivenNode implements CalendarListener, AutoCloseable {

    /** All times of the tests: long ago, so that whatever is due by them can be claimed. */
    static final long NOW_MS = 1_700_000_000_000L;

    private static final AtomicLong OPENINGS = new AtomicLong();
    private static final long AHEAD_MS = 5_000;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    final Map<String, PendingTimer> loaded = new LinkedHashMap<>();
    final Set<Lane> blocked;
    final LoadRoom room;
    final RedisCalendar calendar;
    long nowMs = NOW_MS;
    int limit = 4_096;
    private final Bell bell = new Bell();
    private int owed;

    /**
     * Opens it.
     *
     * @param blocked lanes that cannot start
     * @param decorator of its link
     */
    DrivenNode(RedisOptions options, LoadRoom room, Set<Lane> blocked, UnaryOperator<Link> decorator) {
        this(options, room, blocked, decorator, System::nanoTime);
    }

    /**
     * The same.
     *
     * @param monoNanos its monotonic clock
     */
    DrivenNode(
            RedisOptions options,
            LoadRoom room,
            Set<Lane> blocked,
            UnaryOperator<Link> decorator,
            LongSupplier monoNanos) {
        this.blocked = new HashSet<>(blocked);
        this.room = room;
        // No two openings draw the same numbers: commands are told apart by them.
        SplittableRandom random = new SplittableRandom(OPENINGS.incrementAndGet());
        StoreContext context =
                new StoreContext(Runnable::run, Runnable::run, bell, random::nextLong, monoNanos, nanos -> {});
        calendar = CalendarOpening.open(
                options, context, this, decorator.apply(CalendarOpening.link(options, context)), Duration.ZERO);
    }

    /** A room of so many timers that none of them takes two places. */
    static LoadRoom roomFor(int timers) {
        return new LoadRoom(timers, timers * 1_024L, 0);
    }

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
        assertThat(loaded.put(timer.key().key(), timer)).isNull();
    }

    @Override
    public void unloaded(PendingTimer timer) {
        assertThat(loaded.remove(timer.key().key())).isSameAs(timer);
    }

    void turn() {
        calendar.load(nowMs, nowMs + AHEAD_MS, limit);
        calendar.work(1_000);
    }

    void await(BooleanSupplier condition) {
        long sinceNanos = System.nanoTime();
        turn();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - sinceNanos)
                    .as("it did not become so")
                    .isLessThan(PATIENCE_NANOS);
            bell.await();
            turn();
        }
    }

    /** Gives it turns until all that is due soon is loaded, of the lanes that may start. */
    void awaitLoaded() {
        await(() -> calendar.loadedTo() >= nowMs + AHEAD_MS && calendar.isQuiet());
    }

    /** Makes an answer that is waited for by {@link #awaitAnswers}. */
    <T> Answer<T> answer(Consumer<T> taker) {
        owed++;
        return new Answer<>() {
            @Override
            public void accept(T result) {
                owed--;
                taker.accept(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }

    void awaitAnswers() {
        await(() -> owed == 0);
    }

    /** The answer to a question. */
    <T> T ask(Consumer<Answer<T>> question) {
        List<T> given = new ArrayList<>();
        question.accept(answer(given::add));
        awaitAnswers();
        return given.get(0);
    }

    /** Begins to schedule a timer whose content is its key. */
    void schedule(Lane lane, String key, long dueAtMs) {
        calendar.schedule(
                new ScheduleCommand(
                        new TimerKey(lane.queue(), key),
                        dueAtMs,
                        Layout.bytes(key),
                        lane.route(),
                        OnConflict.REPLACE,
                        0,
                        null),
                this.<Scheduled>answer(scheduled -> {}));
    }

    ClaimedTimer claim(String key) {
        List<ClaimedTimer> granted = new ArrayList<>();
        calendar.claim(loaded.get(key), claimed -> {
            loaded.remove(key);
            granted.add(claimed);
        });
        await(() -> !granted.isEmpty());
        return granted.get(0);
    }

    /** Claims what is loaded and not claimed yet, and gives it to somebody. */
    void claimAll(Consumer<ClaimedTimer> taker) {
        for (PendingTimer timer : List.copyOf(loaded.values())) {
            if (timer.attachment() == null) {
                timer.attach(this);
                calendar.claim(timer, claimed -> {
                    loaded.remove(timer.key().key());
                    taker.accept(claimed);
                });
            }
        }
    }

    void suspend(Lane lane) {
        blocked.add(lane);
        calendar.suspend(lane);
    }

    void resume(Lane lane) {
        blocked.remove(lane);
        calendar.resume(lane);
    }

    @Override
    public void close() {
        await(calendar::isQuiet);
        calendar.close();
    }
}
