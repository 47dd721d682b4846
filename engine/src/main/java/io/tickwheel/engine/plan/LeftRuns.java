package io.tickwheel.engine.plan;

import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A search for the last run of a key that is live, whatever became of those before it: a plan that was cancelled may have left one, and those with lower numbers may be
 * purged or forgotten. It goes through what is claimed of the queue, and what is due soon, in bounded steps. Owned by the loop.
 */
final class LeftRuns implements Answer<TimerPage> {

    /** How far ahead a run may wait for its next attempt and be found. */
    private static final long AHEAD_MS = 3_600_000;

    /** So many steps at most: a backlog may have no end. */
    private static final int MOST_STEPS = 100;

    private final Calendar calendar;
    private final Inbox inbox;
    private final Consumer<@Nullable TimerView> found;
    private final Runnable failed;
    private final TimerQuery waiting;
    private TimerQuery query;
    private @Nullable TimerView last;
    private int steps;

    /**
     * @param found takes the last one, or null when there is none
     * @param failed called instead when the calendar cannot answer
     */
    LeftRuns(
            Calendar calendar,
            Inbox inbox,
            TimerKey plan,
            long nowMs,
            Consumer<@Nullable TimerView> found,
            Runnable failed) {
        this.calendar = calendar;
        this.inbox = inbox;
        this.found = found;
        this.failed = failed;
        TimerQuery runs = TimerQuery.of(plan.queue())
                .withKeyPrefix(plan.key() + SpawnCommand.SEPARATOR)
                .withLimit(TimerQuery.MAX_LIMIT);
        this.query = runs.withState(TimerState.CLAIMED);
        this.waiting = runs.withState(TimerState.PENDING).withDue(Long.MIN_VALUE, nowMs + AHEAD_MS);
    }

    void look() {
        steps++;
        calendar.list(query, this);
    }

    @Override
    public void accept(TimerPage page) {
        page.timers().forEach(this::see);
        // An answer must not call the calendar.
        inbox.note(() -> goOn(page));
    }

    private void goOn(TimerPage page) {
        if (page.next() != null && steps < MOST_STEPS) {
            query = query.withAfter(page.next());
            look();
        } else if (query.state() == TimerState.CLAIMED) {
            query = waiting;
            look();
        } else {
            found.accept(last);
        }
    }

    private void see(TimerView run) {
        OptionalLong number = RunKeys.number(run.key().key());
        if (number.isPresent() && (last == null || number.getAsLong() > numberOf(last))) {
            last = run;
        }
    }

    /** The number of a run that has one. */
    static long numberOf(TimerView run) {
        return RunKeys.number(run.key().key()).orElseThrow();
    }

    @Override
    public void fail(StoreException reason) {
        inbox.note(failed);
    }
}
