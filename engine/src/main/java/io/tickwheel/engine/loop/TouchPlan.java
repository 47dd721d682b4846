package io.tickwheel.engine.loop;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.NotTouchableException;
import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.inbox.LookedAt;
import io.tickwheel.engine.plan.PlanPause;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Pushes a pending timer back by the delay that it was scheduled with. */
final class TouchPlan implements LookedAt.Plan<Changed> {

    private final Calendar calendar;
    private final Clock clock;
    private final TimerKey key;
    private final CommandOptions options;

    TouchPlan(Calendar calendar, Clock clock, TimerKey key, CommandOptions options) {
        this.calendar = calendar;
        this.clock = clock;
        this.key = key;
        this.options = options;
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
        TimerDetails details = TimerDetails.of(standing);
        long dueAtMs = pushedBack(details);
        if (isPausedPlan(details)) {
            return answer -> answer.accept(new Changed(Changed.Outcome.CHANGED, seen));
        }
        ChangeCommand command =
                ChangeCommand.reschedule(key, dueAtMs).withExpected(seen).withDurability(options.durability());
        return answer -> calendar.change(command, answer);
    }

    /** It stays paused: it can be put off no more. */
    private static boolean isPausedPlan(TimerDetails details) {
        TimerContent content = details.content();
        return content != null && content.plan() != null && PlanPause.isPaused(details.timer());
    }

    /** What waits for a retry when it can be put off no more keeps the time of that: earlier, it would be none. */
    private long pushedBack(TimerDetails details) {
        TimerView timer = details.timer();
        TimerContent content = details.content();
        if (content == null) {
            throw new NotTouchableException(
                    timer, "has a content that cannot be read, must have one of this version or an earlier one");
        }
        PushBack pushBack = content.pushBack();
        if (pushBack == null) {
            throw new NotTouchableException(
                    timer, "does not know its delay, must be scheduled with touchable or maxWait to be touched");
        }
        long dueAtMs = DueTimes.ceilMs(DueTimes.after(clock.now(), pushBack.delay()));
        return Math.min(dueAtMs, Math.max(pushBack.latestMs(), timer.attemptAtMs()));
    }
}
