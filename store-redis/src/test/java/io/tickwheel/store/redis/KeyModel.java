package io.tickwheel.store.redis;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands under a key, as a store has it that does one thing at a time. Its steps return null where such a store would have
 * answered otherwise.
 *
 * @param version 0 as long as nothing was scheduled
 * @param token content of the timer, which no other has
 * @param id empty as long as nobody was told
 * @param claim names the claim that holds it; 0 without one
 * @param ending whether it was cancelled while it is claimed: that attempt is its last one
 */
record KeyModel(
        TimerState state,
        long version,
        String token,
        String id,
        long dueAtMs,
        long attemptAtMs,
        int attempts,
        int claim,
        boolean ending) {

    static final KeyModel NOTHING = new KeyModel(TimerState.CANCELLED, 0, "", "", 0, 0, 0, 0, false);

    private boolean isLive() {
        return state == TimerState.PENDING || (state == TimerState.CLAIMED && !ending);
    }

    private Scheduled.Previous previous() {
        return switch (state) {
            case PENDING -> Scheduled.Previous.PENDING;
            case CLAIMED -> Scheduled.Previous.CLAIMED;
            case COMPLETED, CANCELLED, DEAD, EXPIRED -> Scheduled.Previous.NONE;
        };
    }

    private boolean isKept(OnConflict rule, long otherDueAtMs) {
        return switch (rule) {
            case REPLACE -> false;
            case KEEP, FAIL -> isLive();
            case EARLIEST -> isLive() && dueAtMs <= otherDueAtMs;
            case LATEST -> isLive() && dueAtMs >= otherDueAtMs;
            case ONCE -> version > 0;
        };
    }

    /** @param answer null when it is not known */
    @Nullable
    KeyModel schedule(ScheduleCommand command, @Nullable Scheduled answer) {
        if (isKept(command.onConflict(), command.dueAtMs())) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            return answer == null ? this : said(answer, outcome, previous());
        }
        String content = new String(command.content(), StandardCharsets.UTF_8);
        KeyModel made = new KeyModel(
                TimerState.PENDING, version + 1, content, "", command.dueAtMs(), command.dueAtMs(), 0, 0, false);
        Scheduled.Outcome outcome = isLive() ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED;
        return answer == null ? made : made.said(answer, outcome, previous());
    }

    private @Nullable KeyModel said(Scheduled answer, Scheduled.Outcome outcome, Scheduled.Previous previous) {
        boolean isSo =
                answer.outcome() == outcome && answer.previous() == previous && answer.requestHash() == hash(token);
        return isSo ? shown(answer.timer()) : null;
    }

    /** Of the request that brings that content. */
    static long hash(String token) {
        return 1L + token.hashCode() * 31L;
    }

    /** @param answer null when it is not known */
    @Nullable
    KeyModel cancel(@Nullable Cancelled answer) {
        KeyModel after = cancelled();
        if (answer == null) {
            return after;
        }
        if (version == 0) {
            return answer.outcome() == Cancelled.Outcome.NOT_FOUND ? this : null;
        }
        Cancelled.Outcome outcome = switch (after.state) {
            case CANCELLED -> Cancelled.Outcome.CANCELLED;
            case CLAIMED -> Cancelled.Outcome.LAST_ATTEMPT_RUNNING;
            case PENDING, COMPLETED, DEAD, EXPIRED -> Cancelled.Outcome.TOO_LATE;
        };
        TimerView timer = answer.timer();
        return answer.outcome() == outcome && timer != null ? after.shown(timer) : null;
    }

    private KeyModel cancelled() {
        return switch (state) {
            case PENDING -> with(TimerState.CANCELLED, 0, attempts);
            case CLAIMED -> new KeyModel(state, version, token, id, dueAtMs, attemptAtMs, attempts, claim, true);
            case COMPLETED, CANCELLED, DEAD, EXPIRED -> this;
        };
    }

    @Nullable
    KeyModel find(List<TimerView> answer) {
        if (version == 0) {
            return answer.isEmpty() ? this : null;
        }
        return answer.size() == 1 ? shown(answer.get(0)) : null;
    }

    /**
     * @param wantedMs when the attempt is due that is asked for
     * @param granted null when it is not known
     */
    @Nullable
    KeyModel claim(int number, long wantedMs, @Nullable ClaimedTimer granted) {
        if (granted == null && ending && claim == number) {
            // Asked for again, and cancelled since: nobody has begun it.
            return release(number);
        }
        if (state != TimerState.PENDING || attemptAtMs != wantedMs) {
            return null;
        }
        KeyModel after = with(TimerState.CLAIMED, number, attempts + 1);
        if (granted == null) {
            return after;
        }
        boolean isContent = token.equals(new String(granted.content(), StandardCharsets.UTF_8));
        return isContent ? after.shown(granted.view()) : null;
    }

    /** A claim that nobody heard of is given back. */
    @Nullable
    KeyModel giveBack(int number) {
        return claim == number ? release(number) : null;
    }

    KeyModel release(int number) {
        TimerState after = ending ? TimerState.CANCELLED : TimerState.PENDING;
        return claim == number ? with(after, 0, attempts - 1) : this;
    }

    KeyModel finish(int number, TimerState outcome) {
        TimerState after = ending && outcome != TimerState.COMPLETED ? TimerState.CANCELLED : outcome;
        return claim == number ? with(after, 0, attempts) : this;
    }

    KeyModel postpone(int number, long atMs) {
        KeyModel unused = claim == number && !ending ? with(state, claim, attempts - 1) : release(number);
        return unused.retry(number, atMs);
    }

    KeyModel retry(int number, long atMs) {
        if (claim != number) {
            return this;
        }
        return ending
                ? with(TimerState.CANCELLED, 0, attempts)
                : new KeyModel(TimerState.PENDING, version, token, id, dueAtMs, atMs, attempts, 0, false);
    }

    private KeyModel with(TimerState newState, int newClaim, int newAttempts) {
        return new KeyModel(newState, version, token, id, dueAtMs, attemptAtMs, newAttempts, newClaim, false);
    }

    /** This, with its id known, if it looks like that. */
    private @Nullable KeyModel shown(TimerView view) {
        boolean isSo = view.version() == version
                && view.state() == state
                && view.dueAtMs() == dueAtMs
                && view.attemptAtMs() == attemptAtMs
                && view.attempts() == attempts
                && (id.isEmpty() || id.equals(view.id()));
        return isSo
                ? new KeyModel(state, version, token, view.id(), dueAtMs, attemptAtMs, attempts, claim, ending)
                : null;
    }
}
