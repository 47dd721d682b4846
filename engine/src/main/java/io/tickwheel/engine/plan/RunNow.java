package io.tickwheel.engine.plan;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.CommandOptions;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.inbox.LookedAt;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Has a pending timer become due now; of a plan, makes a run beside it, which changes nothing of the plan. */
public final class RunNow implements LookedAt.Plan<Changed> {

    private final Calendar calendar;
    private final Clock clock;
    private final Destinations destinations;
    private final TimerKey key;
    private final CommandOptions options;

    public RunNow(Calendar calendar, Clock clock, Destinations destinations, TimerKey key, CommandOptions options) {
        this.calendar = calendar;
        this.clock = clock;
        this.destinations = destinations;
        this.key = key;
        this.options = options;
    }

    @Override
    public @Nullable String expectedId() {
        return options.expectedId();
    }

    @Override
    public Consumer<Answer<Changed>> of(@Nullable StoredTimer standing) {
        TimerView timer = standing == null ? null : standing.view();
        TimerContent content =
                standing == null ? null : TimerDetails.of(standing).content();
        boolean isLive = timer != null && !timer.state().isFinished();
        if (content != null && content.plan() != null && isLive) {
            ScheduleCommand run = run(content);
            return answer -> calendar.schedule(run, new RunAnswer(answer));
        }
        ChangeCommand command = ChangeCommand.reschedule(key, clock.wallMs())
                .withExpectedId(options.expectedId())
                .withDurability(options.durability());
        return answer -> calendar.change(command, answer);
    }

    private ScheduleCommand run(TimerContent content) {
        long nowMs = clock.wallMs();
        return new ScheduleCommand(
                RunKeys.now(key, nowMs),
                nowMs,
                content.asRun().encode(),
                destinations.route(content.destination()),
                OnConflict.KEEP,
                0,
                null,
                options.durability());
    }

    /** Whoever asked twice in a millisecond has one run. */
    private record RunAnswer(Answer<Changed> asker) implements Answer<Scheduled> {

        @Override
        public void accept(Scheduled made) {
            asker.accept(new Changed(Changed.Outcome.CHANGED, made.timer()));
        }

        @Override
        public void fail(StoreException reason) {
            asker.fail(reason);
        }
    }
}
