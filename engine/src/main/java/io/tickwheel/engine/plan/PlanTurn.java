package io.tickwheel.engine.plan;

import io.tickwheel.engine.Plan;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.recurrence.Turn;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerView;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a plan that has come due does next. It is arithmetic only: the time and the run before are parameters, the store and the clock are those of
 * {@link Plans}.
 *
 * @param kind what is to be done
 * @param plan as it is from then on
 * @param dueAtMs when it is due again, in milliseconds since the epoch; 0 when it has ended
 * @param runDueAtMs the nominal time of the run that starts; 0 when none does
 */
record PlanTurn(Kind kind, Plan plan, long dueAtMs, long runDueAtMs) {

    /** The longest until a plan that waits looks again. */
    static final long LONGEST_LOOK_MS = 60_000;

    private static final long SHORTEST_LOOK_MS = 1_000;

    /** What is to be done with a plan. */
    enum Kind {
        /** A run starts. */
        RUN,
        /** None starts now: another nominal time is the next. */
        MOVE,
        /** None starts before the one before has ended. */
        WAIT,
        /** No run will follow. */
        END
    }

    /**
     * Decides.
     *
     * @param dueAtMs what the plan was due for: another time than its nominal one when it was rescheduled
     * @param before the run before, when its end matters and it is known
     */
    static PlanTurn of(Plan plan, long dueAtMs, @Nullable TimerView before, long nowMs) {
        if (plan.hasEnded()) {
            return end(plan);
        }
        boolean isRunning = before != null && !before.state().isFinished();
        if (isRunning) {
            return whileRunning(plan, dueAtMs, nowMs);
        }
        if (plan.recurrence().isFixedDelay() && plan.isWaiting()) {
            return afterRun(plan, before, nowMs);
        }
        return due(plan, plan.isWaiting() ? plan.nominalMs() : dueAtMs, nowMs);
    }

    /** Whether the run before matters. */
    static boolean looksBack(Plan plan) {
        return plan.lastRun() > 0 && !plan.hasEnded() && plan.recurrence().overlap() != Overlap.ALLOW;
    }

    /** What was missed is to start one after the other when all of it starts: there, nothing is passed over. */
    private static PlanTurn whileRunning(Plan plan, long dueAtMs, long nowMs) {
        Recurrence recurrence = plan.recurrence();
        boolean waits = recurrence.isFixedDelay()
                || recurrence.overlap() == Overlap.QUEUE
                || (recurrence.misfire() == Misfire.ALL && recurrence.isMissed(plan.nominalMs(), nowMs));
        if (waits) {
            return new PlanTurn(Kind.WAIT, plan.waiting(), lookAtMs(plan, nowMs), 0);
        }
        return moved(plan, recurrence.after(plan.nominalMs(), Math.max(dueAtMs, nowMs)));
    }

    /** A run that is forgotten has ended, nobody knows when. */
    private static PlanTurn afterRun(Plan plan, @Nullable TimerView before, long nowMs) {
        long endedMs = before == null ? nowMs : Math.min(nowMs, endedMs(before));
        OptionalLong next = plan.recurrence().afterRun(endedMs);
        return next.isPresent() && next.getAsLong() <= nowMs
                ? due(plan.withNominal(next.getAsLong()), next.getAsLong(), nowMs)
                : moved(plan, next);
    }

    private static long endedMs(TimerView run) {
        List<PastAttempt> history = run.history();
        return history.isEmpty()
                ? run.attemptAtMs()
                : history.get(history.size() - 1).endedAt().toEpochMilli();
    }

    private static PlanTurn due(Plan plan, long atMs, long nowMs) {
        Recurrence recurrence = plan.recurrence();
        Turn turn = recurrence.turn(atMs, nowMs, plan.started());
        Plan then = turn.starts() ? plan.withRun() : plan;
        if (turn.then() == Turn.Then.RUN_HAS_TO_END) {
            Plan waiting = then.withNominal(atMs).waiting();
            return new PlanTurn(Kind.RUN, waiting, lookAtMs(waiting, nowMs), atMs);
        }
        OptionalLong next = atMs == plan.nominalMs() ? turn.nextMs() : afterMoved(then, atMs, nowMs);
        if (!turn.starts()) {
            return moved(plan, next);
        }
        return next.isPresent()
                ? new PlanTurn(Kind.RUN, then.withNominal(next.getAsLong()), next.getAsLong(), atMs)
                : new PlanTurn(Kind.RUN, then.ended(), nowMs, atMs);
    }

    /** The run was moved alone: those that follow stay where they are, but for those that it was moved over. */
    private static OptionalLong afterMoved(Plan then, long atMs, long nowMs) {
        Recurrence recurrence = then.recurrence();
        OptionalLong count = recurrence.count();
        if (count.isPresent() && then.started() >= count.getAsLong()) {
            return OptionalLong.empty();
        }
        boolean leavesOut = recurrence.misfire() != Misfire.ALL && recurrence.isMissed(atMs, nowMs);
        return recurrence.after(then.nominalMs(), leavesOut ? Math.max(atMs, nowMs) : atMs);
    }

    private static PlanTurn moved(Plan plan, OptionalLong next) {
        return next.isPresent()
                ? new PlanTurn(Kind.MOVE, plan.withNominal(next.getAsLong()), next.getAsLong(), 0)
                : end(plan);
    }

    private static PlanTurn end(Plan plan) {
        return new PlanTurn(Kind.END, plan.ended(), 0, 0);
    }

    /** It looks again when it has waited twice as long: soon for what is short, seldom for what is long. */
    private static long lookAtMs(Plan plan, long nowMs) {
        long shortest = Math.min(SHORTEST_LOOK_MS, plan.recurrence().shortestPeriodMs());
        long waitedMs = nowMs - plan.nominalMs();
        return nowMs + Math.max(shortest, Math.min(LONGEST_LOOK_MS, waitedMs));
    }
}
