package io.tickwheel.engine.loop;

import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.inbox.LookedAt;
import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Instant;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Schedules a timer that takes the place of one due earlier, so that it is put off, but not beyond the longest wait from the moment when its key was first scheduled.
 *
 * <pre>
 *   delay 30 s, maxWait 60 s, asked for at      0    20    40    50   (fired at 60)   70
 *   first scheduled at                          0     0     0     0                   70
 *   due at                                     30    50    60    60                  100
 * </pre>
 */
final class MaxWaitPlan implements LookedAt.Plan<Scheduled> {

    private final BiConsumer<ScheduleCommand, Answer<Scheduled>> scheduling;
    private final ScheduleCommand wish;
    private final TimerContent content;
    private final PushBack pushBack;

    /**
     * @param scheduling takes what comes of it
     * @param wish as it was asked for
     * @param content that of the wish, as one has it that is first under its key
     */
    MaxWaitPlan(BiConsumer<ScheduleCommand, Answer<Scheduled>> scheduling, ScheduleCommand wish, TimerContent content) {
        this.scheduling = scheduling;
        this.wish = wish;
        this.content = content;
        this.pushBack = Objects.requireNonNull(content.pushBack());
    }

    @Override
    public @Nullable String expectedId() {
        return wish.expectedId();
    }

    @Override
    public Consumer<Answer<Scheduled>> of(@Nullable StoredTimer standing) {
        if (standing == null || standing.view().state().isFinished()) {
            return scheduled(OnConflict.FAIL, pushBack, wish.expectedId());
        }
        TimerView seen = standing.view();
        PushBack kept = pushBack.since(first(standing));
        boolean stays = wish.dueAtMs() < seen.dueAtMs() && seen.dueAtMs() <= kept.latestMs();
        // One that is kept may have finished meanwhile: then this is the first.
        return stays ? scheduled(OnConflict.KEEP, pushBack, seen.id()) : scheduled(OnConflict.REPLACE, kept, seen.id());
    }

    private Consumer<Answer<Scheduled>> scheduled(OnConflict rule, PushBack remembered, @Nullable String expectedId) {
        ScheduleCommand command = new ScheduleCommand(
                wish.key(),
                Math.min(wish.dueAtMs(), remembered.latestMs()),
                remembered.equals(pushBack)
                        ? wish.content()
                        : content.withPushBack(remembered).encode(),
                wish.route(),
                rule,
                wish.requestHash(),
                expectedId,
                wish.durability());
        return answer -> scheduling.accept(command, answer);
    }

    /** One of which an attempt has started has been due: what comes behind it begins anew. */
    private Instant first(StoredTimer standing) {
        TimerContent stored = TimerDetails.of(standing).content();
        boolean isWaiting =
                standing.view().state() == TimerState.PENDING && standing.view().attempts() == 0;
        return isWaiting && stored != null && stored.pushBack() != null
                ? stored.pushBack().firstScheduledAt()
                : pushBack.firstScheduledAt();
    }

    /** It may have a quota. */
    @Override
    public boolean needsSettings() {
        return true;
    }

    /** It is there to be found when a look has found none. */
    @Override
    public boolean isOvertaken(Scheduled answer) {
        return answer.outcome() == Scheduled.Outcome.CONFLICT;
    }
}
