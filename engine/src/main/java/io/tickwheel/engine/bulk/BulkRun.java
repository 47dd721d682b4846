package io.tickwheel.engine.bulk;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One bulk run: a page of the list, then a command for each timer on it that is meant, each for that timer and no other, then the next page.
 * Owned by the loop, but for what {@link Bulk} offers. What it has come to is a {@link #document}, of which it can {@link #resume}: from the beginning of the page
 * that it was at. That is harmless, as what was changed is not listed again, and is counted once; what was passed over on that page may be counted twice.
 * In the same way it goes on when the store was away: a second later, for as long as it takes.
 *
 * <p>A timer that is redriven and dies again must not be redriven again: so a run that changes dead timers looks only at those whose last attempt was due
 * when it was asked for, and what it redrives is due later than that.
 */
public final class BulkRun implements Bulk {

    /** So many commands at most are given in a turn of the loop, and wait for their answers at once. */
    static final int STEP = 64;

    /** Of a run that changes timers, a page has no more than it changes in a second: what is on it is no older than that. */
    static final int MOST_PAGE = 500;

    private static final long NANOS_A_SECOND = 1_000_000_000L;
    private static final long MOST_CAUGHT_UP_NANOS = NANOS_A_SECOND / 10;
    private static final long AGAIN_NANOS = NANOS_A_SECOND;

    private final String id;
    private final BulkRequest request;
    private final long startedMs;
    private final Clock clock;
    private final Predicate<TimerView> wanted;
    private final long most;
    private final TimerQuery query;
    private final CompletableFuture<BulkProgress> done = new CompletableFuture<>();
    private final CompletableFuture<Void> accepted = new CompletableFuture<>();
    private final ArrayDeque<TimerView> found = new ArrayDeque<>();
    private final Map<String, Long> reasons = new LinkedHashMap<>();
    private @Nullable TimerCursor cursor;

    /** Where the page begins that it is at, and how far it had come then. */
    private @Nullable TimerCursor pageStart;

    private BulkProgress atPageStart;
    private boolean isLastPage;
    private boolean listing;
    private int unanswered;
    private long matched;
    private long changed;
    private long passed;

    /** Whether it is to come to rest: after the page that it is at, or after the timer. */
    private boolean pausing;

    private boolean suspending;

    /** When the next timer may be changed. */
    private long nextNanos;

    /** Whether the store was away, and when it is asked for the page again. */
    private boolean wasAway;

    private long againNanos;

    private volatile BulkProgress progress;
    private volatile boolean stopWanted;

    /**
     * @param wanted which of the timers of the request are meant
     * @param most so many are changed at most
     */
    BulkRun(String id, BulkRequest request, Clock clock, Predicate<TimerView> wanted, long most) {
        this.id = id;
        this.request = request;
        this.clock = clock;
        this.wanted = wanted;
        this.most = most;
        this.startedMs = clock.wallMs();
        this.nextNanos = clock.monoNanos();
        this.query = query(request, startedMs);
        this.progress = shown(BulkProgress.State.RUNNING, null);
        this.atPageStart = progress;
    }

    /** Goes on with what was stored. */
    BulkRun(BulkDocument document, Clock clock) {
        this.id = document.id();
        this.request = document.request();
        this.clock = clock;
        this.wanted = timer -> true;
        this.most = Long.MAX_VALUE;
        this.startedMs = document.progress().startedAt().toEpochMilli();
        this.nextNanos = clock.monoNanos();
        this.query = query(request, startedMs);
        this.progress = document.progress();
        this.atPageStart = progress;
        accepted.complete(null);
        resume(document);
    }

    private static TimerQuery query(BulkRequest request, long startedMs) {
        TimerQuery asked = request.timers();
        int page = request.dryRun() ? MOST_PAGE : Math.min(request.perSecond(), MOST_PAGE);
        if (request.action() == BulkRequest.Action.CANCEL) {
            return new TimerQuery(
                    asked.queue(), asked.state(), asked.keyPrefix(), asked.dueFromMs(), asked.dueToMs(), page, null);
        }
        long toMs = Math.min(asked.dueToMs(), startedMs + 1);
        return new TimerQuery(
                asked.queue(), TimerState.DEAD, asked.keyPrefix(), Math.min(asked.dueFromMs(), toMs), toMs, page, null);
    }

    // ---- any thread may call this

    @Override
    public String id() {
        return id;
    }

    @Override
    public BulkRequest request() {
        return request;
    }

    @Override
    public BulkProgress progress() {
        return progress;
    }

    @Override
    public CompletableFuture<BulkProgress> done() {
        return done.copy();
    }

    @Override
    public CompletableFuture<Void> accepted() {
        return accepted.copy();
    }

    @Override
    public void stop() {
        stopWanted = true;
    }

    boolean isStopWanted() {
        return stopWanted;
    }

    boolean isRunning() {
        return progress.state() == BulkProgress.State.RUNNING;
    }

    // ---- only the loop calls this

    /** How far it has come, so that it can go on from there. */
    BulkDocument document() {
        boolean isBetweenPages = found.isEmpty() && !listing;
        // Only counted timers are found on the page again, all of them.
        boolean isCountedAgain = request.dryRun() && !isBetweenPages;
        BulkProgress now = isRunning() ? shown(BulkProgress.State.RUNNING, null) : progress;
        BulkProgress come = isCountedAgain && isRunning() ? atPageStart : now;
        return new BulkDocument(id, request, come, isBetweenPages ? cursor : pageStart, stopWanted);
    }

    /** Goes on from where a document says that it is; forgets where it was. */
    void resume(BulkDocument document) {
        BulkProgress come = document.progress();
        matched = come.matched();
        changed = come.changed();
        passed = come.passed();
        reasons.clear();
        reasons.putAll(come.reasons());
        cursor = document.after();
        pageStart = cursor;
        atPageStart = come;
        progress = come;
        found.clear();
        isLastPage = false;
        goOn();
        if (document.stopWanted()) {
            stopWanted = true;
        }
    }

    /** Shows what another node has come to, and whether it has ended. */
    void show(BulkProgress come) {
        if (isRunning()) {
            progress = come;
        }
    }

    /** Has it come to rest after the page that it is at. */
    void pause() {
        pausing = true;
    }

    /** Has it come to rest after the timers that it is at. */
    void suspend() {
        suspending = true;
    }

    void goOn() {
        pausing = false;
        suspending = false;
    }

    /** Whether it has come to rest, as it was told to. */
    boolean isAtRest() {
        boolean isQuiet = !listing && unanswered == 0;
        return isQuiet && (suspending || (pausing && found.isEmpty() && !isLastPage));
    }

    /**
     * Does a step.
     *
     * @return how many timers were looked at
     */
    int work(Calendar calendar, EngineListener listener, long nowNanos) {
        if (suspending) {
            return 0;
        }
        if (stopWanted || changed + unanswered >= most) {
            found.clear();
            isLastPage = true;
        }
        // After a pause it catches up with a tenth of a second, and not with all of it.
        nextNanos = Math.max(nextNanos, nowNanos - MOST_CAUGHT_UP_NANOS);
        int looked = 0;
        while (looked < STEP && hasNext(calendar, nowNanos) && mayChange(nowNanos)) {
            step(calendar, listener, found.remove());
            looked++;
        }
        if (isRunning() && isLastPage && found.isEmpty() && !listing && unanswered == 0) {
            end(stopWanted ? BulkProgress.State.STOPPED : BulkProgress.State.DONE, null);
        } else if (looked > 0 && isRunning()) {
            progress = shown(BulkProgress.State.RUNNING, null);
        }
        return looked;
    }

    /** Whether a timer is there; asks for the next page when there is none, and the one before is done: it goes back to no other page. */
    private boolean hasNext(Calendar calendar, long nowNanos) {
        boolean mustWait = unanswered > 0 || (wasAway && againNanos - nowNanos > 0);
        if (found.isEmpty() && isRunning() && !isLastPage && !listing && !pausing && !mustWait) {
            wasAway = false;
            listing = true;
            pageStart = cursor;
            atPageStart = shown(BulkProgress.State.RUNNING, null);
            calendar.list(cursor == null ? query : query.withAfter(cursor), new Page());
        }
        return !found.isEmpty();
    }

    private boolean mayChange(long nowNanos) {
        return request.dryRun() || (unanswered < STEP && changed + unanswered < most && nextNanos - nowNanos <= 0);
    }

    /** In how many nanoseconds it wants to go on, when nothing that it waits for comes before. */
    long idleNanos(long nowNanos) {
        if (wasAway && !pausing && !suspending) {
            return Math.max(0, againNanos - nowNanos);
        }
        return suspending || found.isEmpty() || unanswered >= STEP ? Long.MAX_VALUE : Math.max(0, nextNanos - nowNanos);
    }

    /** Goes on from the beginning of the page when the store was away; ends when it is no more than that. */
    private void failed(StoreException reason) {
        if (!(reason instanceof StoreUnavailableException)) {
            end(BulkProgress.State.FAILED, reason.getMessage());
        } else if (isRunning()) {
            found.clear();
            cursor = pageStart;
            isLastPage = false;
            wasAway = true;
            againNanos = clock.monoNanos() + AGAIN_NANOS;
        }
    }

    private void step(Calendar calendar, EngineListener listener, TimerView timer) {
        count(timer, 1);
        if (request.dryRun()) {
            return;
        }
        nextNanos += NANOS_A_SECOND / request.perSecond();
        unanswered++;
        if (request.action() == BulkRequest.Action.CANCEL) {
            calendar.cancel(timer.key(), timer.id(), null, new Step<>(timer, BulkRun::isTaken, listener::cancelled));
            return;
        }
        ChangeCommand command = request.action() == BulkRequest.Action.PURGE
                ? ChangeCommand.purge(timer.key())
                : ChangeCommand.redrive(timer.key(), Math.max(clock.wallMs(), startedMs + 1));
        calendar.change(command.withExpected(timer), new Step<>(timer, BulkRun::isChanged, listener::changed));
    }

    private static boolean isChanged(Changed answer) {
        return answer.outcome() == Changed.Outcome.CHANGED;
    }

    private static boolean isTaken(Cancelled answer) {
        return answer.outcome() == Cancelled.Outcome.CANCELLED
                || answer.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
    }

    /** Counts a timer as matched, or with {@code change} -1 no more. */
    private void count(TimerView timer, int change) {
        matched += change;
        String why = reason(timer);
        if (!why.isEmpty()) {
            boolean isNamed = reasons.containsKey(why) || reasons.size() < BulkProgress.MOST_REASONS;
            reasons.merge(isNamed ? why : BulkProgress.OTHER_REASONS, (long) change, BulkRun::sumUnlessZero);
        }
    }

    private static @Nullable Long sumUnlessZero(Long count, Long change) {
        long sum = count + change;
        return sum == 0 ? null : sum;
    }

    /** Why the last attempt failed that is remembered; empty when none is. */
    private static String reason(TimerView timer) {
        List<PastAttempt> history = timer.history();
        return history.isEmpty() ? "" : history.get(history.size() - 1).reason();
    }

    /** Ends it, when it has not ended. */
    void end(BulkProgress.State state, @Nullable String failure) {
        if (isRunning()) {
            found.clear();
            progress = shown(state, failure);
        }
    }

    /** Tells whoever waits that it has ended; away from the loop. */
    void complete() {
        accepted.complete(null);
        done.complete(progress);
    }

    /** Tells whoever waits that it goes on, whatever happens if it is stored; away from the loop. */
    void completeAccepted() {
        accepted.complete(null);
    }

    private BulkProgress shown(BulkProgress.State state, @Nullable String failure) {
        Instant endedAt = state == BulkProgress.State.RUNNING ? null : clock.now();
        return new BulkProgress(
                state, matched, changed, passed, reasons, Instant.ofEpochMilli(startedMs), endedAt, failure);
    }

    /** Takes a page of the list. */
    private final class Page implements Answer<TimerPage> {

        @Override
        public void accept(TimerPage page) {
            listing = false;
            if (isRunning() && !isLastPage) {
                for (TimerView timer : page.timers()) {
                    boolean isAsked = !timer.state().isFinished() || request.action() != BulkRequest.Action.CANCEL;
                    if (isAsked && reason(timer).startsWith(request.reason()) && wanted.test(timer)) {
                        found.add(timer);
                    }
                }
                cursor = page.next();
                isLastPage = cursor == null;
            }
        }

        @Override
        public void fail(StoreException reason) {
            listing = false;
            failed(reason);
        }
    }

    /** Takes the answer to the command on a timer. */
    private final class Step<T> implements Answer<T> {

        private final TimerView timer;
        private final Predicate<T> isChanged;
        private final Consumer<T> told;

        Step(TimerView timer, Predicate<T> isChanged, Consumer<T> told) {
            this.timer = timer;
            this.isChanged = isChanged;
            this.told = told;
        }

        @Override
        public void accept(T answer) {
            told.accept(answer);
            answered(isChanged.test(answer));
        }

        @Override
        public void fail(StoreException reason) {
            if (reason instanceof IdMismatchException) {
                answered(false);
            } else {
                unanswered--;
                count(timer, -1);
                failed(reason);
            }
        }

        private void answered(boolean wasChanged) {
            unanswered--;
            changed += wasChanged ? 1 : 0;
            passed += wasChanged ? 0 : 1;
        }
    }
}
