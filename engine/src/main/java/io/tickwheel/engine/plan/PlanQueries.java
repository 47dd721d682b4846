package io.tickwheel.engine.plan;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What can be asked about a plan. Owned by the loop. */
public final class PlanQueries {

    /** No timer is due later, and RFC 3339 has no way to write it. */
    private static final long LAST_MS = TimerRequest.LAST_DUE.toEpochMilli();

    /** So many runs are shown, the last ones. */
    public static final int MOST_RUNS = 8;

    private final Calendar calendar;
    private final Clock clock;
    private final Inbox inbox;

    public PlanQueries(Calendar calendar, Clock clock, Inbox inbox) {
        this.calendar = calendar;
        this.clock = clock;
        this.inbox = inbox;
    }

    /** @throws IllegalArgumentException when the timer has no plan */
    static Plan planOf(StoredTimer standing) {
        TimerContent content = TimerDetails.of(standing).content();
        Plan plan = content == null ? null : content.plan();
        if (plan == null) {
            throw new IllegalArgumentException("timer " + standing.view().key() + " has no plan, must be recurring");
        }
        return plan;
    }

    /** The next nominal times; none of one that is paused, or not known. */
    public void preview(TimerKey key, int most, Answer<List<Instant>> answer) {
        read(key, answer, (view, plan) -> answer.accept(times(view, plan, most)));
    }

    /** The last runs that are known, the latest one first. */
    public void runs(TimerKey key, Answer<List<TimerView>> answer) {
        read(key, answer, (view, plan) -> new Runs(key, plan.lastRun(), answer).next());
    }

    /** Takes a plan that is known. */
    private interface Known {

        void accept(TimerView view, Plan plan);
    }

    private <T> void read(TimerKey key, Answer<List<T>> answer, Known then) {
        calendar.read(key, new Answer<>() {

            @Override
            public void accept(List<StoredTimer> found) {
                TimerContent content =
                        found.isEmpty() ? null : TimerDetails.of(found.get(0)).content();
                Plan plan = content == null ? null : content.plan();
                if (plan == null) {
                    answer.accept(List.of());
                } else {
                    // An answer must not call the calendar.
                    inbox.note(() -> then.accept(found.get(0).view(), plan));
                }
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(reason);
            }
        });
    }

    private List<Instant> times(TimerView view, Plan plan, int most) {
        if (plan.hasEnded() || view.state().isFinished() || PlanPause.isPaused(view)) {
            return List.of();
        }
        long nowMs = clock.wallMs();
        OptionalLong next = OptionalLong.of(view.dueAtMs());
        if (plan.isWaiting()) {
            next = plan.recurrence().isFixedDelay()
                    ? plan.recurrence().after(plan.nominalMs(), nowMs)
                    : OptionalLong.of(plan.nominalMs());
        }
        OptionalLong count = plan.recurrence().count();
        long left = count.isPresent() ? Math.min(most, count.getAsLong() - plan.started()) : most;
        List<Instant> times = new ArrayList<>();
        while (next.isPresent() && next.getAsLong() <= LAST_MS && times.size() < left) {
            long at = next.getAsLong();
            times.add(Instant.ofEpochMilli(at));
            next = times.size() == 1
                    ? plan.recurrence().after(plan.nominalMs(), Math.max(plan.nominalMs(), at))
                    : plan.recurrence().after(at, at);
        }
        return times;
    }

    /** Looks at one run after the other, as many as are shown. */
    private final class Runs implements Answer<List<TimerView>> {

        private final TimerKey key;
        private final Answer<List<TimerView>> answer;
        private final List<TimerView> found = new ArrayList<>();
        private final long last;
        private long number;

        Runs(TimerKey key, long last, Answer<List<TimerView>> answer) {
            this.key = key;
            this.last = last;
            this.number = last;
            this.answer = answer;
        }

        void next() {
            if (number < 1 || number <= last - MOST_RUNS) {
                answer.accept(found);
            } else {
                calendar.find(RunKeys.of(key, number), this);
            }
        }

        @Override
        public void accept(List<TimerView> run) {
            found.addAll(run);
            number--;
            inbox.note(this::next);
        }

        @Override
        public void fail(StoreException reason) {
            answer.fail(reason);
        }
    }
}
