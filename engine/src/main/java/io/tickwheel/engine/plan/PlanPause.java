package io.tickwheel.engine.plan;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.inbox.LookedAt;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pauses a plan, which is then due at the last time there is, or resumes one: it is due at its next nominal time from now on. One whose last nominal time has
 * passed meanwhile is cancelled, as a run of it would come after its end.
 */
public final class PlanPause implements LookedAt.Plan<Changed> {

    /** When a plan is due that is paused, in milliseconds since the epoch. */
    static final long PAUSED_MS = TimerRequest.LAST_DUE.toEpochMilli();

    private final Calendar calendar;
    private final Clock clock;
    private final TimerKey key;
    private final CommandOptions options;
    private final boolean pauses;

    private PlanPause(Calendar calendar, Clock clock, TimerKey key, CommandOptions options, boolean pauses) {
        this.calendar = calendar;
        this.clock = clock;
        this.key = key;
        this.options = options;
        this.pauses = pauses;
    }

    public static PlanPause pause(Calendar calendar, Clock clock, TimerKey key, CommandOptions options) {
        return new PlanPause(calendar, clock, key, options, true);
    }

    public static PlanPause resume(Calendar calendar, Clock clock, TimerKey key, CommandOptions options) {
        return new PlanPause(calendar, clock, key, options, false);
    }

    /** Whether a timer that is known to have a plan is paused. */
    public static boolean isPaused(TimerView plan) {
        return plan.dueAtMs() == PAUSED_MS;
    }

    @Override
    public @Nullable String expectedId() {
        return options.expectedId();
    }

    @Override
    public Consumer<Answer<Changed>> of(@Nullable StoredTimer standing) {
        if (standing == null) {
            return answer -> answer.accept(new Changed(Changed.Outcome.NOT_FOUND, null));
        }
        TimerView seen = standing.view();
        if (seen.state() != TimerState.PENDING) {
            return answer -> answer.accept(new Changed(Changed.Outcome.WRONG_STATE, seen));
        }
        Plan plan = PlanQueries.planOf(standing);
        if (pauses == isPaused(seen)) {
            return answer -> answer.accept(new Changed(Changed.Outcome.CHANGED, seen));
        }
        OptionalLong dueAtMs = pauses ? OptionalLong.of(PAUSED_MS) : resumedMs(plan);
        if (dueAtMs.isEmpty()) {
            return answer -> calendar.cancel(key, seen.id(), options.durability(), new EndAnswer(answer));
        }
        ChangeCommand command = ChangeCommand.reschedule(key, dueAtMs.getAsLong())
                .withExpected(seen)
                .withDurability(options.durability());
        return answer -> calendar.change(command, answer);
    }

    /** Empty when there is no next time. */
    private OptionalLong resumedMs(Plan plan) {
        long nowMs = clock.wallMs();
        if (plan.isWaiting() || plan.hasEnded()) {
            return OptionalLong.of(nowMs);
        }
        if (plan.nominalMs() > nowMs) {
            return OptionalLong.of(plan.nominalMs());
        }
        return plan.recurrence().after(plan.nominalMs(), nowMs);
    }

    /** It is claimed for a moment when it makes a run. */
    @Override
    public boolean isOvertaken(Changed answer) {
        TimerView timer = answer.timer();
        return answer.outcome() == Changed.Outcome.WRONG_STATE && timer != null && timer.state() == TimerState.CLAIMED;
    }

    /** The answer to a resume of a plan that has ended. */
    private record EndAnswer(Answer<Changed> asker) implements Answer<Cancelled> {

        @Override
        public void accept(Cancelled ended) {
            asker.accept(new Changed(
                    switch (ended.outcome()) {
                        case CANCELLED, LAST_ATTEMPT_RUNNING -> Changed.Outcome.CHANGED;
                        case TOO_LATE -> Changed.Outcome.WRONG_STATE;
                        case NOT_FOUND -> Changed.Outcome.NOT_FOUND;
                    },
                    ended.timer()));
        }

        @Override
        public void fail(StoreException reason) {
            asker.fail(reason);
        }
    }
}
