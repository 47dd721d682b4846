package io.tickwheel.engine.plan;

import io.tickwheel.engine.Plan;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.inbox.LookedAt;
import io.tickwheel.store.Answer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoredTimer;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Schedules a plan. When another one stands under the key, the numbers of its runs go on where those of the other one end. A run that the other one makes meanwhile is seen
 * when the number is used.
 */
public final class PlanSchedule implements LookedAt.Plan<Scheduled> {

    private final BiConsumer<ScheduleCommand, Answer<Scheduled>> scheduling;
    private final ScheduleCommand wish;
    private final TimerContent content;

    /**
     * @param scheduling takes what comes of it
     * @param wish as it was asked for
     * @param content that of the wish
     */
    public PlanSchedule(
            BiConsumer<ScheduleCommand, Answer<Scheduled>> scheduling, ScheduleCommand wish, TimerContent content) {
        this.scheduling = scheduling;
        this.wish = wish;
        this.content = content;
    }

    @Override
    public @Nullable String expectedId() {
        return wish.expectedId();
    }

    @Override
    public Consumer<Answer<Scheduled>> of(@Nullable StoredTimer standing) {
        TimerContent stored =
                standing == null ? null : TimerDetails.of(standing).content();
        Plan other = stored == null ? null : stored.plan();
        if (other == null) {
            return answer -> scheduling.accept(wish, answer);
        }
        Plan plan = Objects.requireNonNull(content.plan()).inPlaceOf(other);
        ScheduleCommand command = new ScheduleCommand(
                wish.key(),
                wish.dueAtMs(),
                content.withPlan(plan).encode(),
                wish.route(),
                wish.onConflict(),
                wish.requestHash(),
                wish.expectedId(),
                wish.durability());
        return answer -> scheduling.accept(command, answer);
    }

    /** It may have a quota. */
    @Override
    public boolean needsSettings() {
        return true;
    }
}
