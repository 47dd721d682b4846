package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.jspecify.annotations.Nullable;

/**
 * What may stand under a key between two requests: nothing, a timer that is not cancelled (it may be finished), one that was
 * cancelled while an attempt ran (it may be completed, or cancelled now), or a cancelled one. Each method says what speaks against an answer, given all arrivals of the run, or null.
 *
 * <p>A version whose attempt was cut off by a kill is pending again in the next process, with its arrivals behind it; hence
 * "in this lifetime or later" where one would expect "at all".
 */
record LedgerStanding(@Nullable LedgerTimer timer, Cancel cancel) {

    /** Whether a cancel was taken. */
    enum Cancel {
        NONE,
        DURING_AN_ATTEMPT,
        DONE
    }

    static final LedgerStanding NOTHING = new LedgerStanding(null, Cancel.NONE);

    static LedgerStanding of(LedgerTimer timer) {
        return new LedgerStanding(timer, Cancel.NONE);
    }

    LedgerStanding asCancelled() {
        return new LedgerStanding(timer, Cancel.DONE);
    }

    LedgerStanding withLastAttempt() {
        return cancel == Cancel.DONE ? this : new LedgerStanding(timer, Cancel.DURING_AN_ATTEMPT);
    }

    /** A replace of unknown outcome was applied: whatever it replaced must not come from a later process. */
    @Nullable
    Objection toBeingReplacedUnseen(LedgerRequest by) {
        return toReplace(by, Previous.CLAIMED, true);
    }

    @Nullable
    Objection toBeingReplaced(LedgerRequest by, LedgerAnswer.Made answer) {
        LedgerAnswer.Made old = timer == null ? null : timer.made();
        if (answer.previous() != Previous.NONE && old != null && answer.version() <= old.version()) {
            return new Objection(
                    Kind.CONTRADICTION, "answered version " + answer.version() + " after " + old.version());
        }
        return toReplace(by, answer.previous(), false);
    }

    private @Nullable Objection toReplace(LedgerRequest by, Previous previous, boolean unseen) {
        LedgerTimer old = timer;
        if (old == null || cancel != Cancel.NONE) {
            boolean attemptMayRun = previous == Previous.CLAIMED && cancel == Cancel.DURING_AN_ATTEMPT;
            return unseen || previous == Previous.NONE || attemptMayRun
                    ? null
                    : new Objection(Kind.CONTRADICTION, "answered previous " + previous + " where " + this + " stood");
        }
        if (previous == Previous.NONE) {
            return toFinished(old, by);
        }
        if (old.arrived(a -> a.lifetime() > by.lifetime())) {
            return new Objection(Kind.STALE, old + " came from a later process than the one that replaced it");
        }
        if (previous == Previous.PENDING && old.arrived(a -> isSameAndAfter(a, by))) {
            return new Objection(Kind.STALE, old + " came after it was replaced while PENDING");
        }
        if (previous == Previous.PENDING && old.arrived(a -> a.lifetime() == by.lifetime())) {
            return new Objection(Kind.CONTRADICTION, old + " had come when it was said to be PENDING");
        }
        return null;
    }

    @Nullable
    Objection toBeingCancelled(LedgerRequest by, @Nullable String id) {
        LedgerTimer old = timer;
        if (old == null) {
            return new Objection(Kind.CONTRADICTION, "answered CANCELLED where nothing stood");
        }
        if (id != null && !old.mayBe(id)) {
            return new Objection(Kind.CONTRADICTION, "answered that " + id + " is cancelled where " + this + " stood");
        }
        if (cancel == Cancel.NONE && old.arrived(a -> a.lifetime() >= by.lifetime())) {
            return new Objection(Kind.CANCELLED_AND_FIRED, old + " was answered CANCELLED and came");
        }
        return null;
    }

    @Nullable
    Objection toLastAttempt(LedgerRequest by, @Nullable String id) {
        LedgerTimer old = timer;
        if (old == null || cancel == Cancel.DONE) {
            return new Objection(Kind.CONTRADICTION, "answered LAST_ATTEMPT_RUNNING where " + this + " stood");
        }
        if (id != null && !old.mayBe(id)) {
            return new Objection(
                    Kind.CONTRADICTION, "answered that " + id + " has a last attempt where " + this + " stood");
        }
        if (old.arrived(a -> a.lifetime() > by.lifetime())) {
            return new Objection(Kind.CANCELLED_AND_FIRED, old + " came from a later process than its last attempt");
        }
        return null;
    }

    @Nullable
    Objection toTooLate(LedgerRequest by, @Nullable TimerState state) {
        LedgerTimer old = timer;
        if (old == null || cancel == Cancel.DONE || (state != null && !state.isFinished())) {
            return new Objection(Kind.CONTRADICTION, "answered TOO_LATE, " + state + ", where " + this + " stood");
        }
        return toState(old, by, state == null ? TimerState.CLAIMED : state);
    }

    @Nullable
    Objection toNotFound(LedgerRequest by) {
        LedgerTimer old = timer;
        return old == null || cancel != Cancel.NONE ? null : toFinished(old, by);
    }

    @Nullable
    Objection toSeen(LedgerRequest by, String id, TimerState state) {
        LedgerTimer old = timer;
        boolean fits = switch (cancel) {
            case NONE -> state != TimerState.CANCELLED;
            case DURING_AN_ATTEMPT -> state != TimerState.PENDING;
            case DONE -> state == TimerState.CANCELLED;
        };
        if (old == null || !old.mayBe(id) || !fits) {
            return new Objection(Kind.CONTRADICTION, "answered " + id + " is " + state + " where " + this + " stood");
        }
        return state == TimerState.CANCELLED ? null : toState(old, by, state);
    }

    /** After the end of the run: whatever was accepted and is overdue has come. */
    @Nullable
    Objection toEnd(long endMs) {
        LedgerTimer old = timer;
        if (old == null || cancel != Cancel.NONE || old.arrived() || old.dueAtMs() >= endMs) {
            return null;
        }
        return new Objection(Kind.LOST, old + " never came");
    }

    private static @Nullable Objection toState(LedgerTimer timer, LedgerRequest by, TimerState state) {
        return switch (state) {
            case PENDING ->
                timer.arrived(a -> a.lifetime() == by.lifetime() && !a.at().isAfter(by.start()))
                        ? new Objection(Kind.CONTRADICTION, timer + " had come when it was said to be PENDING")
                        : null;
            case CLAIMED -> null;
            case COMPLETED -> toFinished(timer, by);
            case CANCELLED, DEAD, EXPIRED -> new Objection(Kind.LOST, timer + " was given up as " + state);
        };
    }

    /** The answer shows that the timer was finished, durably, when it was given. */
    private static @Nullable Objection toFinished(LedgerTimer timer, LedgerRequest by) {
        if (!timer.arrived()) {
            return new Objection(Kind.LOST, timer + " was said to be gone and had never come");
        }
        if (timer.arrived(a -> a.at().isAfter(by.end()))) {
            return new Objection(Kind.RESURRECTED, timer + " was said to be gone and came afterwards");
        }
        return null;
    }

    private static boolean isSameAndAfter(LedgerArrival arrival, LedgerRequest request) {
        return arrival.lifetime() == request.lifetime() && arrival.at().isAfter(request.start());
    }

    @Override
    public String toString() {
        if (timer == null) {
            return "nothing";
        }
        return switch (cancel) {
            case NONE -> timer.toString();
            case DURING_AN_ATTEMPT -> timer + ", cancelled while an attempt ran,";
            case DONE -> timer + ", cancelled,";
        };
    }

    /** What speaks against an answer. */
    record Objection(Kind kind, String what) {}
}
