package io.tickwheel.store.redis;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand.Change;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import org.jspecify.annotations.Nullable;

/** A command of a client in a simulation, and how it was answered. */
final class SimulatedWish {

    enum Kind {
        SCHEDULE,
        CANCEL,
        FIND,
        RESCHEDULE,
        REDRIVE,
        PURGE,
        /** Of a node, which ends a claim so. */
        SPAWN;

        /** The kind of a command that changes a timer. */
        static Kind of(Change change) {
            return switch (change) {
                case RESCHEDULE -> RESCHEDULE;
                case REDRIVE -> REDRIVE;
                case PURGE -> PURGE;
            };
        }
    }

    enum Outcome {
        /** There is no answer, and perhaps never will be. */
        OPEN,
        MADE,
        KEPT,
        CONFLICT,
        CANCELLED,
        LAST_ATTEMPT,
        TOO_LATE,
        NOT_FOUND,
        FOUND,
        CHANGED,
        WRONG_STATE,
        /** It was for another timer than the one that stood there, or none did. */
        OTHER,
        /** It may have been carried out, or may be still. */
        UNKNOWN,
        NOT_APPLIED
    }

    final Kind kind;
    final SimulatedLink link;
    final TimerKey key;

    /** The content of the timer that it makes. */
    final String token;

    final long dueAtMs;
    final OnConflict rule;
    final boolean isDurable;

    /** The timer that it is for; null for any. */
    final @Nullable String expectedId;

    final int invokedSeq;

    /** How often its master had failed over by then. */
    final int generation;

    Outcome outcome = Outcome.OPEN;

    /** When it was answered, in the order of what was carried out. */
    int answeredSeq = Integer.MAX_VALUE;

    /** The timer that it was told about. */
    @Nullable
    TimerView view;

    Scheduled.Previous previous = Scheduled.Previous.NONE;

    /** The schedule that is one step with this spawn; null for none. */
    @Nullable
    SimulatedWish run;

    /** What it was answered may have been lost. */
    boolean isVoid;

    /** What it made stood at no moment, as another command of the same call ended it. */
    boolean isHidden;

    SimulatedWish(
            Kind kind,
            SimulatedLink link,
            TimerKey key,
            String token,
            long dueAtMs,
            OnConflict rule,
            boolean isDurable,
            @Nullable String expectedId,
            int invokedSeq,
            int generation) {
        this.kind = kind;
        this.link = link;
        this.key = key;
        this.token = token;
        this.dueAtMs = dueAtMs;
        this.rule = rule;
        this.isDurable = isDurable;
        this.expectedId = expectedId;
        this.invokedSeq = invokedSeq;
        this.generation = generation;
    }

    static Outcome outcome(Scheduled scheduled) {
        return switch (scheduled.outcome()) {
            case CREATED, REPLACED -> Outcome.MADE;
            case KEPT -> Outcome.KEPT;
            case CONFLICT -> Outcome.CONFLICT;
        };
    }

    static Outcome outcome(Cancelled cancelled) {
        return switch (cancelled.outcome()) {
            case CANCELLED -> Outcome.CANCELLED;
            case LAST_ATTEMPT_RUNNING -> Outcome.LAST_ATTEMPT;
            case TOO_LATE -> Outcome.TOO_LATE;
            case NOT_FOUND -> Outcome.NOT_FOUND;
        };
    }

    static Outcome outcome(Changed changed) {
        return switch (changed.outcome()) {
            case CHANGED -> Outcome.CHANGED;
            case WRONG_STATE -> Outcome.WRONG_STATE;
            case NOT_FOUND -> Outcome.NOT_FOUND;
        };
    }

    boolean isAnswered() {
        return outcome != Outcome.OPEN;
    }

    /** Whether nobody can say what became of it. */
    boolean isUncertain() {
        return outcome == Outcome.OPEN || outcome == Outcome.UNKNOWN || isVoid;
    }

    /** Whether it may be carried out, or carried out again, as far as its node knows. */
    boolean isUnderWay() {
        return outcome == Outcome.OPEN || outcome == Outcome.UNKNOWN;
    }

    /** The state that a timer must be in that it changes. */
    boolean isFor(TimerState state) {
        return switch (kind) {
            case RESCHEDULE -> state == TimerState.PENDING;
            case SPAWN -> state == TimerState.CLAIMED;
            case REDRIVE, PURGE -> state == TimerState.DEAD;
            case SCHEDULE, CANCEL, FIND -> true;
        };
    }

    /** Whether it is a cancel that was taken. */
    boolean isTaken() {
        return outcome == Outcome.CANCELLED || outcome == Outcome.LAST_ATTEMPT;
    }

    String id() {
        return view == null ? "" : view.id();
    }

    @Override
    public String toString() {
        return kind + (kind == Kind.SCHEDULE ? " " + rule + " " + token : "")
                + (dueAtMs == 0 ? "" : " due " + dueAtMs % 1_000_000) + " "
                + key.key() + (expectedId == null ? "" : " for " + expectedId) + (isDurable ? " durable" : "") + " of "
                + link.node + " from " + invokedSeq + ": "
                + outcome
                + (view == null ? "" : " " + view.id() + " v" + view.version() + " " + view.state());
    }
}
