package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import io.tickwheel.store.Scheduled.Previous;
import io.tickwheel.store.TimerState;
import org.jspecify.annotations.Nullable;

/**
 * What may stand under a key between two requests: nothing, a timer that is not cancelled (it may be finished), or a
 * cancelled one. Each method says what speaks against an answer, given all arrivals of the run, or null.
 *
 * <p>A version whose attempt was cut off by a kill is pending again in the next process, with its arrivals behind it; hence
 * "in this lifetime or later" where one would expect "at all".
 */
record LedgerStanding(@Nullable LedgerTimer timer, boolean cancelled) {

    static final LedgerStanding NOTHING = new LedgerStanding(null, false);

    static LedgerStanding of(LedgerTimer timer) {
        return new LedgerStanding(timer, false);
    }

    LedgerStanding asCancelled() {
        return new LedgerStanding(timer, true);
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
        if (old == null || cancelled) {
            return unseen || previous == Previous.NONE
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
        if (!cancelled && old.arrived(a -> a.lifetime() >= by.lifetime())) {
            return new Objection(Kind.CANCELLED_AND_FIRED, old + " was answered CANCELLED and came");
        }
        return null;
    }

    @Nullable
    Objection toTooLate(LedgerRequest by, @Nullable TimerState state) {
        LedgerTimer old = timer;
        if (old == null || cancelled) {
            return new Objection(Kind.CONTRADICTION, "answered TOO_LATE where " + this + " stood");
        }
        return toState(old, by, state == null ? TimerState.CLAIMED : state);
    }

    @Nullable
    Objection toNotFound(LedgerRequest by) {
        LedgerTimer old = timer;
        return old == null || cancelled ? null : toFinished(old, by);
    }

    @Nullable
    Objection toSeen(LedgerRequest by, String id, TimerState state) {
        LedgerTimer old = timer;
        if (old == null || !old.mayBe(id) || cancelled != (state == TimerState.CANCELLED)) {
            return new Objection(Kind.CONTRADICTION, "answered " + id + " is " + state + " where " + this + " stood");
        }
        return cancelled ? null : toState(old, by, state);
    }

    /** After the end of the run: whatever was accepted and is overdue has come. */
    @Nullable
    Objection toEnd(long endMs) {
        LedgerTimer old = timer;
        if (old == null || cancelled || old.arrived() || old.dueAtMs() >= endMs) {
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
        return timer == null ? "nothing" : cancelled ? timer + ", cancelled," : timer.toString();
    }

    /** What speaks against an answer. */
    record Objection(Kind kind, String what) {}
}
