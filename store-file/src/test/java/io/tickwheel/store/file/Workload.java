package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.Spawned;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.HeldClaims.Claim;
import io.tickwheel.store.file.Ledger.Entry;
import io.tickwheel.store.testkit.RoomyListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Gives commands to a store, knows what each must be answered, and enters in a {@link Ledger} what was. */
final class Workload extends RoomyListener {

    static final int KEYS = 14;

    /** The keys from this one on are those of runs: each has a plan that many before it, of the same queue. */
    static final int FIRST_RUN = 10;

    /** How many routes the timers of a queue go. */
    static final int ROUTES = 3;

    private static final List<String> QUEUES = List.of("even", "odd", "z", "q\u00fc", "a-queue-of-a-longer-name");

    private final SimulatedStore store;
    private final Ledger ledger;
    private final FirstLook firstLook;
    private final HeldClaims claims;
    private final Map<String, PendingTimer> loaded = new LinkedHashMap<>();
    /** Lanes that cannot start, until they are resumed. */
    private final Set<Lane> suspended = new LinkedHashSet<>();

    /** Timers for which a claim was asked, and not given yet. */
    private final Set<PendingTimer> asked = new HashSet<>();

    private int unanswered;
    private int answered;
    private long loadedToMs = Long.MIN_VALUE;
    private int lastNumber;
    private int refused;

    /** The id that the next command expects; null when it does not. */
    private @Nullable String meant;

    /** The names of all keys, each behind that of its queue. */
    private List<String> names = IntStream.range(0, KEYS)
            .mapToObj(key -> key < FIRST_RUN ? plainName(key) : plainName(key - FIRST_RUN) + SpawnCommand.SEPARATOR)
            .toList();

    Workload(SimulatedStore store) {
        this(store, new Ledger());
    }

    Workload(SimulatedStore store, Ledger ledger) {
        this(store, ledger, 0);
    }

    /** @param lastNumber the contents of what it schedules have higher numbers */
    Workload(SimulatedStore store, Ledger ledger, int lastNumber) {
        this.store = store;
        this.ledger = ledger;
        firstLook = new FirstLook(store, ledger);
        claims = new HeldClaims(store, ledger, loaded);
        this.lastNumber = lastNumber;
    }

    /** Names of keys none of which is that of a run. */
    static List<String> plainNames() {
        return IntStream.range(0, KEYS).mapToObj(Workload::plainName).toList();
    }

    private static String plainName(int key) {
        return queue(key) + "/k" + key;
    }

    /** Names the keys, before there are timers; each name is behind that of its queue. */
    void useNames(List<String> otherNames) {
        names = otherNames;
    }

    Ledger ledger() {
        return ledger;
    }

    int unanswered() {
        return unanswered;
    }

    int answered() {
        return answered;
    }

    /** Schedules for which there was no room. */
    int refused() {
        return refused;
    }

    /** Timers that are loaded and not claimed. */
    int loaded() {
        return loaded.size();
    }

    /** Opens the store and compares what is there with what must be. */
    void open() {
        loaded.clear();
        claims.forgetAll();
        meant = null;
        asked.clear();
        suspended.clear();
        unanswered = 0;
        loadedToMs = Long.MIN_VALUE;
        store.open(this);
    }

    void openAndCheck() {
        open();
        check();
    }

    /** Opens the store, and schedules until there is so much that a checkpoint begins, of which no operation is made. */
    void openAndBeginACheckpoint() {
        openAndCheck();
        store.settle();
        for (int key = 0; !store.isCheckpointing(); key = (key + 1) % KEYS) {
            schedule(key, 1_000, 300, OnConflict.REPLACE);
            do {
                store.stepLog();
                store.work();
            } while (unanswered > 0);
        }
    }

    @Override
    public boolean mayStart(Lane lane) {
        return !suspended.contains(lane);
    }

    @Override
    public void loaded(PendingTimer timer) {
        assertThat(suspended).as("lanes that cannot start").doesNotContain(timer.lane());
        assertThat(timer.attemptAtMs()).as("in the loaded range").isLessThan(loadedToMs);
        assertThat(loaded.put(text(timer.key()), timer)).as("loaded once").isNull();
    }

    @Override
    public void unloaded(PendingTimer timer) {
        assertThat(loaded.remove(text(timer.key())))
                .as("unloaded only what was loaded")
                .isSameAs(timer);
        asked.remove(timer);
    }

    /** Has the next command mean one timer: most often the one that stands there, if its id was shown. */
    void mean(int key) {
        String id = ledger.id(name(key));
        meant = switch (store.random.nextInt(4)) {
            case 0 -> "no-id";
            case 1 -> id == null ? "no-id-either" : id + "0";
            default -> id;
        };
    }

    /** The id that a command expects, which is given but once. */
    private @Nullable String takeMeant() {
        String id = meant;
        meant = null;
        return id;
    }

    /** Whether nothing must come of a command that expects that id. */
    private boolean isOther(String name, @Nullable String expectedId) {
        return expectedId != null && !expectedId.equals(ledger.id(name));
    }

    private static ScheduleCommand withId(ScheduleCommand command, @Nullable String expectedId) {
        return expectedId == null ? command : command.withExpectedId(expectedId);
    }

    void schedule(int key, long dueAtMs, int contentBytes, OnConflict onConflict) {
        store.awaitIndex();
        String name = name(key);
        String expectedId = takeMeant();
        if (isOther(name, expectedId)) {
            ScheduleCommand command = new ScheduleCommand(
                    key(name), dueAtMs, TimerContent.of(1, contentBytes), key % ROUTES, onConflict, 1, null);
            store.calendar().schedule(withId(command, expectedId), mismatch(name));
            settle();
            return;
        }
        Entry old = ledger.get(name);
        Claim claim = claims.of(name);
        boolean live = old != null && old.isLive();
        boolean kept = old != null
                && switch (onConflict) {
                    case REPLACE -> false;
                    case KEEP, FAIL -> live;
                    case EARLIEST -> live && old.dueAtMs() <= dueAtMs;
                    case LATEST -> live && old.dueAtMs() >= dueAtMs;
                    case ONCE -> true;
                };
        int number = ++lastNumber;
        Scheduled.Previous previous = previous(name, old, claim);
        Claim last = kept ? null : claims.removeLastAttempt(name);
        if (!kept) {
            long version = old == null ? 1 : old.version() + 1;
            ledger.put(name, Entry.scheduled(number, version, dueAtMs));
        }
        Scheduled.Outcome outcome = !kept
                ? live ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED
                : onConflict == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
        Entry expected = claims.shown(name);
        byte[] content = TimerContent.of(number, contentBytes);
        Answer<Scheduled> reply = reply(name, answer -> {
            assertThat(answer.outcome()).isEqualTo(outcome);
            assertThat(answer.previous()).isEqualTo(previous);
            checkView(expected, answer.timer());
        });
        ScheduleCommand command =
                new ScheduleCommand(key(name), dueAtMs, content, key % ROUTES, onConflict, number, null);
        store.calendar().schedule(withId(command, expectedId), kept ? reply : orRefused(reply, name, last));
        // A refusal must be known before the next command.
        settle();
    }

    private Scheduled.Previous previous(String name, @Nullable Entry old, @Nullable Claim claim) {
        if (claims.isLastAttempt(name)) {
            return Scheduled.Previous.CLAIMED;
        }
        if (old == null || !old.isLive()) {
            return old != null && old.state() == TimerState.DEAD ? Scheduled.Previous.DEAD : Scheduled.Previous.NONE;
        }
        return claim == null ? Scheduled.Previous.PENDING : Scheduled.Previous.CLAIMED;
    }

    /** Of a command that means another timer than the one that stands there. */
    private <T> Answer<T> mismatch(String name) {
        Entry expected = claims.shown(name);
        Answer<Object> reply = reply(name, nothing -> {});
        return new Answer<>() {
            @Override
            public void accept(T result) {
                throw new AssertionError("done to another timer: " + result);
            }

            @Override
            public void fail(StoreException failure) {
                if (failure instanceof IdMismatchException mismatch) {
                    checkView(expected, mismatch.timer());
                    reply.accept(mismatch);
                } else {
                    reply.fail(failure);
                }
            }
        };
    }

    /** What makes a timer pending may be refused. */
    private <T> Answer<T> orRefused(Answer<T> reply, String name, @Nullable Claim last) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                reply.accept(result);
            }

            @Override
            public void fail(StoreException failure) {
                if (failure instanceof StoreFullException) {
                    refused++;
                    unanswered--;
                    ledger.takeBack();
                    if (last != null) {
                        claims.putLastAttempt(name, last);
                    }
                } else {
                    reply.fail(failure);
                }
            }
        };
    }

    /** A key whose timer is in the state that a change is for, or any when there is none. */
    private int anyKeyFor(ChangeCommand.Change change) {
        List<Integer> fitting = IntStream.range(0, KEYS)
                .filter(key -> {
                    Entry entry = ledger.get(name(key));
                    return entry != null && entry.state() == change.from();
                })
                .boxed()
                .toList();
        return fitting.isEmpty() ? store.random.nextInt(KEYS) : fitting.get(store.random.nextInt(fitting.size()));
    }

    boolean isDead(int key) {
        Entry entry = ledger.get(name(key));
        return entry != null && entry.state() == TimerState.DEAD;
    }

    /** Changes most often a timer that can be changed so. */
    void changeAny(ChangeCommand.Change change, long dueAtMs, int contentBytes) {
        int key = store.random.nextInt(5) == 0 ? store.random.nextInt(KEYS) : anyKeyFor(change);
        if (store.random.nextInt(8) == 0) {
            mean(key);
        }
        change(key, change, dueAtMs, contentBytes);
    }

    /**
     * Changes the timer of a key.
     *
     * @param contentBytes of the content that a redrive brings; 0 for none
     */
    void change(int key, ChangeCommand.Change change, long dueAtMs, int contentBytes) {
        store.awaitIndex();
        String name = name(key);
        String expectedId = takeMeant();
        boolean hasContent = change == ChangeCommand.Change.REDRIVE && contentBytes > 0;
        int number = hasContent ? ++lastNumber : 0;
        ChangeCommand command = new ChangeCommand(
                key(name),
                expectedId,
                null,
                change,
                dueAtMs,
                hasContent ? TimerContent.of(number, contentBytes) : null,
                hasContent ? number % ROUTES : Lane.QUEUE_ROUTE,
                null);
        if (isOther(name, expectedId)) {
            store.calendar().change(command, mismatch(name));
            return;
        }
        Entry old = ledger.get(name);
        Entry before = claims.shown(name);
        boolean isChanged = before != null && before.state() == change.from();
        if (isChanged && change == ChangeCommand.Change.PURGE) {
            ledger.remove(name);
            store.look(Sighting.PURGED_WHILE_MOVING);
        } else if (isChanged) {
            if (hasContent) {
                ledger.renumber(old.number(), number);
            }
            ledger.put(name, old.changed(hasContent ? number : old.number(), dueAtMs));
            store.look(
                    change == ChangeCommand.Change.REDRIVE
                            ? Sighting.REDRIVEN_WHILE_MOVING
                            : Sighting.RESCHEDULED_WHILE_MOVING);
        }
        boolean isPurged = isChanged && change == ChangeCommand.Change.PURGE;
        Entry expected = isPurged ? before : claims.shown(name);
        Changed.Outcome outcome = isChanged
                ? Changed.Outcome.CHANGED
                : old == null ? Changed.Outcome.NOT_FOUND : Changed.Outcome.WRONG_STATE;
        Answer<Changed> reply = reply(name, answer -> {
            assertThat(answer.outcome()).isEqualTo(outcome);
            checkView(expected, answer.timer());
        });
        store.calendar().change(command, isChanged && !isPurged ? orRefused(reply, name, null) : reply);
        settle();
    }

    void cancel(int key) {
        store.awaitIndex();
        String name = name(key);
        String expectedId = takeMeant();
        if (isOther(name, expectedId)) {
            store.calendar().cancel(key(name), expectedId, null, mismatch(name));
            return;
        }
        Entry old = ledger.get(name);
        Claim claim = claims.of(name);
        Cancelled.Outcome outcome;
        if (old == null) {
            outcome = Cancelled.Outcome.NOT_FOUND;
        } else if (claims.isLastAttempt(name)) {
            outcome = Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
        } else if (old.isLive() && claim != null) {
            outcome = Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
            store.look(Sighting.LAST_ATTEMPT_WHILE_MOVING);
            claims.putLastAttempt(name, claim);
            ledger.put(name, old.finished(TimerState.CANCELLED, null));
        } else if (old.isLive()) {
            outcome = Cancelled.Outcome.CANCELLED;
            store.look(Sighting.CANCEL_WHILE_MOVING);
            ledger.put(name, old.cancelled());
        } else {
            outcome = old.state() == TimerState.CANCELLED ? Cancelled.Outcome.CANCELLED : Cancelled.Outcome.TOO_LATE;
        }
        Entry expected = claims.shown(name);
        store.calendar().cancel(key(name), expectedId, null, reply(name, answer -> {
            assertThat(answer.outcome()).isEqualTo(outcome);
            checkView(expected, answer.timer());
        }));
    }

    /** Completes the timer of any claim that an earlier opening of the store has granted, when no attempt has ended since. */
    void completeAny() {
        if (!claims.hasEarlier()) {
            return;
        }
        store.awaitIndex();
        ClaimedTimer claimed = claims.anyEarlier();
        TimerView view = claimed.view();
        String name = text(view.key());
        PastAttempt ended = new PastAttempt(1 + store.random.nextInt(9), store.random.nextLong(), 7, 8, 200, "", "");
        CompleteCommand command =
                new CompleteCommand(view.key(), view.id(), view.attempts(), claimed.token(), ended, null);
        if (isOther(name, view.id())) {
            store.calendar().complete(command, mismatch(name));
            return;
        }
        Entry before = Objects.requireNonNull(claims.shown(name));
        boolean isCompleted = before.state() == TimerState.PENDING
                && before.attempts() == view.attempts() - 1
                && before.attemptAtMs() <= ended.startedAtMs()
                && before.history().stream().noneMatch(past -> past.number() >= ended.number());
        if (isCompleted) {
            store.look(Sighting.COMPLETED_WHILE_MOVING);
            ledger.put(name, ledger.get(name).finished(TimerState.COMPLETED, ended));
        }
        Entry expected = claims.shown(name);
        store.calendar().complete(command, reply(name, answer -> {
            assertThat(answer.outcome()).isEqualTo(isCompleted ? Changed.Outcome.CHANGED : Changed.Outcome.WRONG_STATE);
            checkView(expected, answer.timer());
        }));
    }

    void find(int key) {
        store.awaitIndex();
        String name = name(key);
        Entry expected = claims.shown(name);
        store.calendar()
                .find(key(name), reply(name, answer -> checkView(expected, answer.isEmpty() ? null : answer.get(0))));
    }

    void load(long toMs) {
        load(toMs, toMs);
    }

    boolean load(long nowMs, long toMs) {
        loadedToMs = Math.max(loadedToMs, toMs);
        boolean all = store.calendar().load(nowMs, toMs, 1 + store.random.nextInt(10));
        if (suspended.isEmpty() && !store.isMoving() && store.failure() == null) {
            checkFirstToLoad();
        }
        return all;
    }

    private void checkFirstToLoad() {
        long first = store.calendar().firstToLoad();
        assertThat(first)
                .as("first to load")
                .isGreaterThanOrEqualTo(store.calendar().loadedTo());
        ledger.now().forEach((name, entry) -> {
            if (entry.isLive() && !loaded.containsKey(name) && claims.of(name) == null) {
                boolean isAsked =
                        asked.stream().anyMatch(timer -> text(timer.key()).equals(name));
                assertThat(isAsked || first <= entry.attemptAtMs())
                        .as("%s is due at %d, the first to load at %d", name, entry.attemptAtMs(), first)
                        .isTrue();
            }
        });
    }

    /**
     * Delivers everything as time comes to its end. Each live timer is delivered, each just once, and nothing is left to
     * deliver.
     */
    void deliverAll() {
        open();
        long live = ledger.now().values().stream().filter(Entry::isLive).count();
        int delivered = 0;
        boolean all = false;
        for (int turn = 0; !all || delivered < live; turn++) {
            assertThat(turn).as("turns to deliver %d of %d", delivered, live).isLessThan(2_000);
            all = load(Long.MAX_VALUE, Long.MAX_VALUE);
            for (int claimed = 1 + store.random.nextInt(4); claimed > 0; claimed--) {
                claimAny();
            }
            while (!claims.isEmpty()) {
                claims.finish(claims.first(), TimerState.COMPLETED);
                delivered++;
            }
            store.step();
        }
        store.rest();
        assertThat(delivered).as("delivered").isEqualTo((int) live);
        assertThat(loaded).as("left to deliver").isEmpty();
        assertThat(store.calendar().liveCount()).as("live").isZero();
    }

    /** Asks for a claim of any loaded timer; it is granted when its schedule is durable. */
    void claimAny() {
        settle();
        if (!loaded.isEmpty()) {
            PendingTimer timer = anyLoaded();
            asked.add(timer);
            store.calendar().claim(timer, this::granted);
        }
    }

    /** Any other call decides what was commanded. */
    private void settle() {
        store.calendar().loadedTo();
    }

    private PendingTimer anyLoaded() {
        List<PendingTimer> timers = new ArrayList<>(loaded.values());
        return timers.get(store.random.nextInt(timers.size()));
    }

    /** Suspends any lane, or resumes it. */
    void suspendOrResumeAny() {
        Lane lane = new Lane(key(name(store.random.nextInt(KEYS))).queue(), store.random.nextInt(ROUTES));
        if (suspended.remove(lane)) {
            store.calendar().resume(lane);
        } else {
            suspended.add(lane);
            store.calendar().suspend(lane);
        }
    }

    /** Lets go of any loaded timer, most often of one whose lane is suspended. */
    void unloadAny() {
        settle();
        if (!loaded.isEmpty()) {
            PendingTimer timer = anyLoaded();
            boolean mostOften = suspended.contains(timer.lane()) || store.random.nextInt(4) == 0;
            if (mostOften && !asked.contains(timer)) {
                store.look(Sighting.UNLOADED_WHILE_MOVING);
                loaded.remove(text(timer.key()));
                store.calendar().unload(timer);
            }
        }
    }

    private void granted(ClaimedTimer timer) {
        store.lookAtClaim();
        asked.remove(timer.handle());
        String name = text(timer.handle().key());
        assertThat(loaded.remove(name)).as("claimed of %s", name).isSameAs(timer.handle());
        Entry entry = ledger.get(name);
        assertThat(TimerContent.number(timer.content()))
                .as("content of %s", name)
                .isEqualTo(entry.number());
        Claim claim = new Claim(timer, entry.number());
        claims.add(claim);
        checkView(claims.shown(name), timer.view());
        ledger.show(name, ledger.commands());
    }

    void endAnyClaim(long nowMs) {
        if (!claims.isEmpty()) {
            SplittableRandom random = store.random;
            Claim claim = claims.any();
            switch (random.nextInt(5)) {
                case 0 -> {
                    if (random.nextBoolean()) {
                        claims.release(claim);
                    } else {
                        claims.reroute(claim);
                    }
                }
                case 1 -> claims.retry(claim, RandomCommands.dueAfter(nowMs, random));
                case 2 -> claims.postpone(claim, RandomCommands.dueAfter(nowMs, random));
                default -> {
                    TimerState[] outcomes = {TimerState.COMPLETED, TimerState.DEAD, TimerState.EXPIRED};
                    claims.finish(claim, outcomes[random.nextInt(outcomes.length)]);
                }
            }
        }
    }

    /** Asks for a claim of the timer of a key, which is loaded. */
    void claim(int key) {
        PendingTimer timer = loaded.get(name(key));
        asked.add(timer);
        store.calendar().claim(timer, this::granted);
    }

    /** Ends the claim of the timer of a key. */
    void end(int key, TimerState outcome) {
        claims.finish(Objects.requireNonNull(claims.of(name(key))), outcome);
    }

    /** Gives up the timer of any claim. */
    void buryAny() {
        if (!claims.isEmpty()) {
            claims.finish(claims.any(), TimerState.DEAD);
        }
    }

    /** Ends any claim by a run, if its key can have one, or without: it comes again. */
    void spawnAny(long nowMs) {
        if (!claims.isEmpty()) {
            SplittableRandom random = store.random;
            Claim claim = claims.any();
            spawn(claim, RandomCommands.dueAfter(nowMs, random), random.nextInt(300), random.nextInt(4) == 0);
        }
    }

    /** Ends the claim of the plan of that key, with its run or without; returns whether there was room. */
    boolean spawn(int key, long dueAtMs, boolean skips) {
        int before = refused;
        spawn(Objects.requireNonNull(claims.of(name(key))), dueAtMs, 100, skips);
        return refused == before;
    }

    private void spawn(Claim claim, long dueAtMs, int contentBytes, boolean skips) {
        store.awaitIndex();
        claims.remove(claim);
        String name = claim.name();
        PendingTimer timer = claim.timer().handle();
        String runName = name + SpawnCommand.SEPARATOR;
        boolean hasRun = !skips && names.contains(runName);
        int number = ++lastNumber;
        int runNumber = ++lastNumber;
        long runAtMs = dueAtMs / 2;
        ScheduleCommand run = new ScheduleCommand(
                key(runName),
                runAtMs,
                TimerContent.of(runNumber, contentBytes),
                runNumber % ROUTES,
                OnConflict.KEEP,
                runNumber,
                null);
        SpawnCommand command =
                new SpawnCommand(timer, dueAtMs, TimerContent.of(number, contentBytes), hasRun ? run : null);
        Entry plan = ledger.get(name);
        if (plan == null || !plan.isLive() || plan.number() != claim.number()) {
            claims.endLast(claim, TimerState.CANCELLED, 0, null);
            store.calendar().spawn(command, mismatch(name));
            return;
        }
        store.look(Sighting.SPAWNED_WHILE_MOVING);
        ledger.renumber(plan.number(), number);
        Entry old = ledger.get(runName);
        boolean isMade = hasRun && (old == null || !old.isLive());
        Scheduled.Previous previous = previous(runName, old, claims.of(runName));
        Claim last = isMade ? claims.removeLastAttempt(runName) : null;
        if (isMade) {
            long version = old == null ? 1 : old.version() + 1;
            ledger.put(name, plan.next(number, dueAtMs), runName, Entry.scheduled(runNumber, version, runAtMs));
        } else {
            ledger.put(name, plan.next(number, dueAtMs));
        }
        Entry expected = claims.shown(name);
        Entry expectedRun = claims.shown(runName);
        Answer<Spawned> reply = reply(name, answer -> {
            checkView(expected, answer.plan());
            Scheduled made = answer.run();
            assertThat(made != null).isEqualTo(hasRun);
            if (made != null) {
                assertThat(made.outcome()).isEqualTo(isMade ? Scheduled.Outcome.CREATED : Scheduled.Outcome.KEPT);
                assertThat(made.previous()).isEqualTo(previous);
                checkView(expectedRun, made.timer());
            }
        });
        store.calendar().spawn(command, isMade ? orHeld(orRefused(reply, runName, last), claim) : reply);
    }

    /** A claim holds on when there is no room for the run. */
    private Answer<Spawned> orHeld(Answer<Spawned> reply, Claim claim) {
        return new Answer<>() {
            @Override
            public void accept(Spawned result) {
                reply.accept(result);
            }

            @Override
            public void fail(StoreException failure) {
                reply.fail(failure);
                if (failure instanceof StoreFullException) {
                    claims.add(claim);
                }
            }
        };
    }

    private void checkView(@Nullable Entry expected, @Nullable TimerView view) {
        if (expected == null) {
            assertThat(view).isNull();
            return;
        }
        assertThat(view)
                .isEqualTo(new TimerView(
                        view.key(),
                        view.id(),
                        expected.version(),
                        expected.dueAtMs(),
                        expected.attemptAtMs(),
                        expected.state(),
                        expected.attempts(),
                        expected.history()));
        ledger.showId(text(view.key()), expected, view.id());
    }

    /** Compares all that the open store shows, and would deliver, with the ledger; to be called before any command. */
    void check() {
        Map<String, Entry> found = lookFirst();
        if (store.mayHaveLost()) {
            ledger.doubtLastLife();
        }
        ledger.check(found);
        firstLook.showIds();
    }

    /** What is shown before the look fails counts too, see {@link #checkSeen}. */
    private Map<String, Entry> lookFirst() {
        loadedToMs = Long.MAX_VALUE;
        return firstLook.look(names, loaded);
    }

    /** Opens the store, takes what is there for right, and returns it. */
    Map<String, Entry> openAndBelieve() {
        open();
        Map<String, Entry> found = lookFirst();
        Map<String, Entry> believed = new HashMap<>(found);
        found.forEach((name, entry) -> {
            if (entry.state() == TimerState.DEAD) {
                believed.put(name, entry.withNumber(firstLook.numberOfDead(name)));
            }
        });
        ledger.believe(believed);
        firstLook.showIds();
        return found;
    }

    /** Compares what a check that did not come to its end was shown with how the store stands. */
    void checkSeen() {
        firstLook.checkSeen();
    }

    private <T> Answer<T> reply(String name, Consumer<T> expectation) {
        unanswered++;
        int commands = ledger.commands();
        return new Answer<>() {
            private boolean given;

            @Override
            public void accept(T result) {
                take();
                answered++;
                expectation.accept(result);
                ledger.show(name, commands);
            }

            @Override
            public void fail(StoreException failure) {
                take();
                assertThat(failure).isInstanceOf(StoreFailedException.class);
            }

            private void take() {
                assertThat(given).as("answered twice").isFalse();
                given = true;
                unanswered--;
            }
        };
    }

    static String text(TimerKey key) {
        return key.toString();
    }

    String name(int key) {
        return names.get(key);
    }

    /** The queue of a key. */
    static String queue(int key) {
        return QUEUES.get(key % QUEUES.size());
    }

    static TimerKey key(String name) {
        int slash = name.indexOf('/');
        return new TimerKey(name.substring(0, slash), name.substring(slash + 1));
    }
}
