package io.tickwheel.store.redis;

import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.SimulatedWish.Kind;
import io.tickwheel.store.redis.SimulatedWish.Outcome;
import io.tickwheel.store.redis.layout.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node of a simulation: a calendar, and in the place of the engine some attempts that end in one way or another. */
final class SimulatedNode implements CalendarListener {

    private static final long AHEAD_MS = 1_000;
    private static final int ROOM = 12;
    private static final TimerState[] ENDS = {
        TimerState.COMPLETED, TimerState.COMPLETED, TimerState.DEAD, TimerState.EXPIRED
    };

    final SimulatedLink link;

    /** It gets no turns before that time. */
    long stalledNanos;

    /** Whether no attempt of it ends. */
    boolean holdsAttempts;

    private final RedisWorld world;
    private final SplittableRandom random;
    private final LoadRoom room = new LoadRoom(ROOM, ROOM * 1_024L, 0);
    private final Map<String, PendingTimer> loaded = new LinkedHashMap<>();
    private final List<ClaimedTimer> running = new ArrayList<>();
    private final RedisCalendar calendar;
    private boolean leaves;

    SimulatedNode(RedisWorld world, String name, RedisOptions options) {
        this.world = world;
        this.random = world.random.split();
        this.link = new SimulatedLink(world, name, options.timeout().toNanos());
        world.links.add(link);
        StoreContext context = new StoreContext(
                Runnable::run, Runnable::run, () -> {}, random.split()::nextLong, world::nowNanos, nanos -> {});
        try {
            calendar = CalendarOpening.open(options.withNode(name), context, this, link, Duration.ZERO);
        } catch (StoreException e) {
            world.links.remove(link);
            throw e;
        }
    }

    // ---- what is loaded

    @Override
    public boolean mayStart(Lane lane) {
        return true;
    }

    @Override
    public LoadRoom room() {
        return room;
    }

    @Override
    public void loaded(PendingTimer timer) {
        PendingTimer before = loaded.put(timer.key().key(), timer);
        RedisLedger.check(before == null, "loaded twice: " + timer.key());
    }

    @Override
    public void unloaded(PendingTimer timer) {
        RedisLedger.check(loaded.remove(timer.key().key(), timer), "unloaded and not loaded: " + timer.key());
    }

    // ---- turns

    boolean isStalled() {
        return world.nowNanos() < stalledNanos;
    }

    void turn() {
        long nowMs = calendar.clock().at(world.nowNanos()).toEpochMilli();
        if (!leaves) {
            calendar.load(nowMs, nowMs + AHEAD_MS, ROOM);
            for (PendingTimer timer : List.copyOf(loaded.values())) {
                if (timer.attemptAtMs() <= nowMs && timer.attachment() == null && loaded.containsValue(timer)) {
                    timer.attach(this);
                    calendar.claim(timer, this::granted);
                }
            }
        }
        for (ClaimedTimer each : List.copyOf(running)) {
            if (!holdsAttempts && (world.isHealed || leaves || random.nextInt(6) == 0)) {
                running.remove(each);
                end(each, nowMs);
            }
        }
        calendar.work(1_000);
    }

    private void granted(ClaimedTimer claimed) {
        String key = claimed.view().key().key();
        RedisLedger.check(loaded.remove(key, claimed.handle()), "granted and not loaded: " + key);
        world.ledger.granted(link, claimed);
        running.add(claimed);
    }

    private void end(ClaimedTimer claimed, long nowMs) {
        String id = claimed.view().id();
        PendingTimer timer = claimed.handle();
        int what = world.isHealed ? 9 : random.nextInt(10);
        if (what < 2) {
            long laterMs = Math.max(nowMs, timer.attemptAtMs()) + 1 + random.nextInt(2_000);
            world.ledger.steps().retried(id, laterMs);
            if (what == 0) {
                calendar.retry(timer, laterMs, anyPast(claimed));
            } else {
                calendar.postpone(timer, laterMs);
            }
        } else if (what == 2) {
            timer.attach(null);
            if (calendar.release(timer)) {
                loaded.put(timer.key().key(), timer);
            }
        } else if (what == 3) {
            calendar.reroute(timer, random.nextInt(3));
        } else if (what == 4 && timer.key().key().indexOf(SpawnCommand.SEPARATOR) < 0) {
            spawn(claimed, nowMs);
        } else {
            TimerState outcome = ENDS[random.nextInt(ENDS.length)];
            world.ledger.steps().ended(id, outcome);
            calendar.finish(timer, outcome, anyPast(claimed));
        }
    }

    /** It comes again, and makes one of a few runs, or none. */
    private void spawn(ClaimedTimer claimed, long nowMs) {
        PendingTimer plan = claimed.handle();
        long laterMs = Math.max(nowMs, plan.attemptAtMs()) + 1 + random.nextInt(2_000);
        Durability level = calendar.durability();
        SimulatedWish next = world.ledger.wish(Kind.SPAWN, link, plan.key(), laterMs, OnConflict.REPLACE, level, null);
        ScheduleCommand command = null;
        if (random.nextInt(4) > 0) {
            TimerKey key = RedisCourse.runOf(plan.key(), random);
            SimulatedWish run = world.ledger.wish(
                    Kind.SCHEDULE, link, key, nowMs + random.nextInt(1_000), OnConflict.KEEP, level, null);
            next.run = run;
            command = new ScheduleCommand(
                    key,
                    run.dueAtMs,
                    Layout.bytes(run.token),
                    random.nextInt(2) * 7L,
                    OnConflict.KEEP,
                    random.nextBoolean() ? run.invokedSeq : 0,
                    null);
        }
        calendar.spawn(
                new SpawnCommand(plan, laterMs, Layout.bytes(next.token), command), new SpawnAnswer(claimed, next));
    }

    private final class SpawnAnswer implements Answer<Spawned> {

        private final ClaimedTimer claimed;
        private final SimulatedWish next;

        SpawnAnswer(ClaimedTimer claimed, SimulatedWish next) {
            this.claimed = claimed;
            this.next = next;
        }

        @Override
        public void accept(Spawned spawned) {
            world.ledger.answered(next, Outcome.CHANGED, spawned.plan(), Previous.NONE);
            Scheduled made = spawned.run();
            RedisLedger.check((made == null) == (next.run == null), "another answer than was asked for: " + next);
            if (made != null && next.run != null) {
                world.ledger.answered(next.run, SimulatedWish.outcome(made), made.timer(), made.previous());
            }
        }

        @Override
        public void fail(StoreException failure) {
            if (failure instanceof StoreFailedException) {
                throw failure;
            }
            if (failure instanceof IdMismatchException mismatch) {
                world.ledger.answered(next, Outcome.OTHER, mismatch.timer(), Previous.NONE);
                if (next.run != null) {
                    world.ledger.notMade(next.run);
                }
                return;
            }
            boolean isUnknown = failure instanceof StoreUnavailableException it && it.outcomeUnknown();
            world.ledger.failed(next, isUnknown);
            if (next.run != null) {
                world.ledger.failed(next.run, isUnknown);
            }
            if (failure instanceof StoreFullException) {
                RedisLedger.check(next.run != null, "refused though it makes nothing: " + next);
                running.add(claimed);
            }
        }
    }

    private @Nullable PastAttempt anyPast(ClaimedTimer claimed) {
        return random.nextInt(3) == 0
                ? null
                : new PastAttempt(
                        claimed.view().attempts(),
                        random.nextLong(),
                        2,
                        3,
                        503,
                        "failed",
                        random.nextBoolean() ? "" : "said " + random.nextInt(1_000));
    }

    // ---- commands

    void schedule(TimerKey key, long dueAtMs, OnConflict rule, Durability level, @Nullable String expectedId) {
        SimulatedWish wish = world.ledger.wish(Kind.SCHEDULE, link, key, dueAtMs, rule, level, expectedId);
        ScheduleCommand command = new ScheduleCommand(
                key,
                dueAtMs,
                Layout.bytes(wish.token),
                random.nextInt(4) == 0 ? 7 : Lane.QUEUE_ROUTE,
                rule,
                random.nextInt(3) == 0 ? wish.invokedSeq : 0,
                expectedId,
                level);
        calendar.schedule(
                command,
                answer(
                        wish,
                        scheduled -> world.ledger.answered(
                                wish, SimulatedWish.outcome(scheduled), scheduled.timer(), scheduled.previous())));
    }

    void cancel(TimerKey key, Durability level, @Nullable String expectedId) {
        SimulatedWish wish = world.ledger.wish(Kind.CANCEL, link, key, 0, OnConflict.REPLACE, level, expectedId);
        calendar.cancel(
                key,
                expectedId,
                level,
                answer(
                        wish,
                        cancelled -> world.ledger.answered(
                                wish, SimulatedWish.outcome(cancelled), cancelled.timer(), Previous.NONE)));
    }

    /** A redrive may bring a content with it, which nothing else has. */
    void change(ChangeCommand plain, Durability level, @Nullable String expectedId) {
        SimulatedWish wish = world.ledger.wish(
                Kind.of(plain.change()), link, plain.key(), plain.dueAtMs(), OnConflict.REPLACE, level, expectedId);
        ChangeCommand command = new ChangeCommand(
                plain.key(), expectedId, null, plain.change(), plain.dueAtMs(), plain.content(), plain.route(), level);
        boolean isAnew = plain.change() == ChangeCommand.Change.REDRIVE && random.nextBoolean();
        calendar.change(
                isAnew ? command.withContent(Layout.bytes(wish.token), random.nextInt(2) * 7L) : command,
                answer(
                        wish,
                        changed -> world.ledger.answered(
                                wish, SimulatedWish.outcome(changed), changed.timer(), Previous.NONE)));
    }

    void find(TimerKey key) {
        SimulatedWish wish =
                world.ledger.wish(Kind.FIND, link, key, 0, OnConflict.REPLACE, calendar.durability(), null);
        calendar.find(key, answer(wish, found -> {
            boolean isThere = !found.isEmpty();
            world.ledger.answered(
                    wish, isThere ? Outcome.FOUND : Outcome.NOT_FOUND, isThere ? found.get(0) : null, Previous.NONE);
        }));
    }

    private <T> Answer<T> answer(SimulatedWish wish, Consumer<T> taker) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                taker.accept(result);
            }

            @Override
            public void fail(StoreException failure) {
                if (failure instanceof StoreFailedException) {
                    throw failure;
                }
                if (failure instanceof IdMismatchException mismatch) {
                    world.ledger.answered(wish, Outcome.OTHER, mismatch.timer(), Previous.NONE);
                    return;
                }
                world.ledger.failed(wish, failure instanceof StoreUnavailableException it && it.outcomeUnknown());
            }
        };
    }

    // ---- the end

    /** It makes room for others, as one that is stopped in order. */
    void leave() {
        leaves = true;
        calendar.handOver();
    }

    boolean isLeaving() {
        return leaves;
    }

    boolean isDone() {
        return running.isEmpty() && calendar.isQuiet();
    }

    boolean isQuiet() {
        return calendar.isQuiet() && link.isQuiet();
    }

    int placesTaken() {
        return room.taken();
    }

    long idleNanos() {
        return calendar.idleNanos();
    }

    long liveCount() {
        return calendar.liveCount();
    }

    void close() {
        calendar.close();
        world.links.remove(link);
    }

    /** It is gone from one moment to the next. */
    void die() {
        link.close();
        world.links.remove(link);
    }
}
