package io.tickwheel.store.redis;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
 * @param hash of the request that made it
 * @param history the attempts that are remembered
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
        boolean ending,
        long hash,
        List<PastAttempt> history) {

    static final KeyModel NOTHING = new KeyModel(TimerState.CANCELLED, 0, "", "", 0, 0, 0, 0, false, 0, List.of());

    private boolean isLive() {
        return state == TimerState.PENDING || (state == TimerState.CLAIMED && !ending);
    }

    private Scheduled.Previous previous() {
        return switch (state) {
            case PENDING -> Scheduled.Previous.PENDING;
            case CLAIMED -> Scheduled.Previous.CLAIMED;
            case DEAD -> Scheduled.Previous.DEAD;
            case COMPLETED, CANCELLED, EXPIRED -> Scheduled.Previous.NONE;
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
        if (isOther(command.expectedId())) {
            return answer == null ? this : null;
        }
        if (isKept(command.onConflict(), command.dueAtMs())) {
            Scheduled.Outcome outcome =
                    command.onConflict() == OnConflict.FAIL ? Scheduled.Outcome.CONFLICT : Scheduled.Outcome.KEPT;
            return answer == null ? this : said(answer, outcome, previous());
        }
        String content = new String(command.content(), StandardCharsets.UTF_8);
        KeyModel made = new KeyModel(
                TimerState.PENDING,
                version + 1,
                content,
                "",
                command.dueAtMs(),
                command.dueAtMs(),
                0,
                0,
                false,
                hash(content),
                List.of());
        Scheduled.Outcome outcome = isLive() ? Scheduled.Outcome.REPLACED : Scheduled.Outcome.CREATED;
        return answer == null ? made : made.said(answer, outcome, previous());
    }

    private @Nullable KeyModel said(Scheduled answer, Scheduled.Outcome outcome, Scheduled.Previous previous) {
        boolean isSo = answer.outcome() == outcome && answer.previous() == previous && answer.requestHash() == hash;
        return isSo ? shown(answer.timer()) : null;
    }

    /** Of the request that brings that content. */
    static long hash(String token) {
        return 1L + token.hashCode() * 31L;
    }

    /** Whether a command is for another timer. A timer whose id nobody knows is none that anybody could have meant. */
    private boolean isOther(@Nullable String expectedId) {
        return expectedId != null && (version == 0 || !expectedId.equals(id));
    }

    /**
     * A command is refused, as it is for another timer.
     *
     * @param standing what it was told; null when none is known
     */
    @Nullable
    KeyModel mismatch(String expectedId, @Nullable TimerView standing) {
        if (!isOther(expectedId)) {
            return null;
        }
        if (standing == null) {
            return version == 0 ? this : null;
        }
        return version > 0 && !standing.id().equals(expectedId) ? shown(standing) : null;
    }

    /** @param answer null when it is not known */
    @Nullable
    KeyModel change(ChangeCommand command, @Nullable Changed answer) {
        if (isOther(command.expectedId())) {
            return answer == null ? this : null;
        }
        if (answer == null) {
            return version > 0 && state == command.change().from() ? changed(command) : this;
        }
        TimerView timer = answer.timer();
        if (version == 0) {
            return answer.outcome() == Changed.Outcome.NOT_FOUND ? this : null;
        }
        if (state != command.change().from()) {
            return answer.outcome() == Changed.Outcome.WRONG_STATE && timer != null ? shown(timer) : null;
        }
        if (answer.outcome() != Changed.Outcome.CHANGED || timer == null) {
            return null;
        }
        if (command.change() == ChangeCommand.Change.PURGE) {
            return shown(timer) == null ? null : NOTHING;
        }
        return changed(command).shown(timer);
    }

    private KeyModel changed(ChangeCommand command) {
        long newDueMs = command.dueAtMs();
        byte[] content = command.content();
        return switch (command.change()) {
            case RESCHEDULE ->
                new KeyModel(state, version, token, id, newDueMs, newDueMs, attempts, 0, false, hash, history);
            case REDRIVE ->
                new KeyModel(
                        TimerState.PENDING,
                        version,
                        content == null ? token : new String(content, StandardCharsets.UTF_8),
                        id,
                        newDueMs,
                        newDueMs,
                        0,
                        0,
                        false,
                        hash,
                        history);
            case PURGE -> NOTHING;
        };
    }

    /** @param answer null when it is not known */
    @Nullable
    KeyModel cancel(@Nullable String expectedId, @Nullable Cancelled answer) {
        if (isOther(expectedId)) {
            return answer == null ? this : null;
        }
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
            case CLAIMED ->
                new KeyModel(state, version, token, id, dueAtMs, attemptAtMs, attempts, claim, true, hash, history);
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

    KeyModel finish(int number, TimerState outcome, @Nullable PastAttempt past) {
        TimerState after = ending && outcome != TimerState.COMPLETED ? TimerState.CANCELLED : outcome;
        return claim == number ? with(after, 0, attempts).remembering(past) : this;
    }

    KeyModel postpone(int number, long atMs) {
        KeyModel unused = claim == number && !ending ? with(state, claim, attempts - 1) : release(number);
        return unused.retry(number, atMs, null);
    }

    KeyModel retry(int number, long atMs, @Nullable PastAttempt past) {
        if (claim != number) {
            return this;
        }
        KeyModel after = ending
                ? with(TimerState.CANCELLED, 0, attempts)
                : new KeyModel(
                        TimerState.PENDING, version, token, id, dueAtMs, atMs, attempts, 0, false, hash, history);
        return after.remembering(past);
    }

    /**
     * A claim ends, and its timer comes again.
     *
     * @param answer null when it is not known
     */
    @Nullable
    KeyModel spawn(int number, long newDueMs, String newToken, @Nullable TimerView answer) {
        if (claim != number || ending) {
            return answer == null ? release(number) : null;
        }
        KeyModel next =
                new KeyModel(TimerState.PENDING, version, newToken, id, newDueMs, newDueMs, 0, 0, false, hash, history);
        return answer == null ? next : next.shown(answer);
    }

    /**
     * A claim was over that was to end so.
     *
     * @param standing what it was told; null when none is known
     */
    @Nullable
    KeyModel spawnInVain(int number, @Nullable TimerView standing) {
        if (claim == number && !ending) {
            return null;
        }
        if (standing == null) {
            return version == 0 ? this : null;
        }
        return release(number).shown(standing);
    }

    private KeyModel remembering(@Nullable PastAttempt past) {
        if (past == null) {
            return this;
        }
        List<PastAttempt> all = new ArrayList<>(history);
        all.add(past);
        List<PastAttempt> last = List.copyOf(all.subList(Math.max(0, all.size() - PastAttempt.REMEMBERED), all.size()));
        return new KeyModel(state, version, token, id, dueAtMs, attemptAtMs, attempts, claim, ending, hash, last);
    }

    private KeyModel with(TimerState newState, int newClaim, int newAttempts) {
        return new KeyModel(
                newState, version, token, id, dueAtMs, attemptAtMs, newAttempts, newClaim, false, hash, history);
    }

    /** This, with its id known, if it looks like that. */
    private @Nullable KeyModel shown(TimerView view) {
        boolean isSo = view.version() == version
                && view.state() == state
                && view.dueAtMs() == dueAtMs
                && view.attemptAtMs() == attemptAtMs
                && view.attempts() == attempts
                && view.history().equals(history)
                && (id.isEmpty() || id.equals(view.id()));
        return isSo
                ? new KeyModel(
                        state, version, token, view.id(), dueAtMs, attemptAtMs, attempts, claim, ending, hash, history)
                : null;
    }
}
