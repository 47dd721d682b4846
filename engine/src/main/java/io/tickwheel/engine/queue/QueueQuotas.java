package io.tickwheel.engine.queue;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.engine.inbox.Answers;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds schedules against the quota of their queue. Knows how many timers a queue has at most: those of the last count, and what was asked for or made since; when that
 * reaches the quota it counts again, at most every {@value #COUNT_MS} ms. So this node lets none through that is too many, and may refuse one for so long after
 * others have ended; other nodes may let some through that it has not counted yet. Owned by the loop.
 */
public final class QueueQuotas {

    private static final long COUNT_MS = 100;
    private static final long COUNT_NANOS = COUNT_MS * 1_000_000;

    private final Calendar calendar;
    private final Clock clock;
    private final QueueBook book;
    private final Inbox inbox;

    private final Map<String, Count> counts = new HashMap<>();

    /** What is known of a queue with a quota. */
    private static final class Count {

        /** How many timers it has at most, unless it is being counted. */
        long most;

        long countedNanos;

        /** How many were made by something else than a schedule since the count was asked for that goes on. */
        long meanwhile;

        /** What waits for the count; null when none goes on. */
        @Nullable
        List<Waiting> waiting;
    }

    private record Waiting(ScheduleCommand command, Answer<Scheduled> answer) {}

    public QueueQuotas(Calendar calendar, Clock clock, QueueBook book, Inbox inbox) {
        this.calendar = calendar;
        this.clock = clock;
        this.book = book;
        this.inbox = inbox;
    }

    /** Whether a schedule may take several calls of the calendar. */
    public boolean apply(String queue) {
        return book.settingsOf(queue).maxPending() != null || counts.containsKey(queue);
    }

    /** Schedules what the quota of the queue allows. */
    public void schedule(ScheduleCommand command, Answer<Scheduled> answer) {
        String queue = command.key().queue();
        Long quota = book.settingsOf(queue).maxPending();
        Count count = quota == null && counts.isEmpty() ? null : counts.get(queue);
        if (count != null && count.waiting != null) {
            count.waiting.add(new Waiting(command, answer));
        } else if (quota == null) {
            if (count != null) {
                counts.remove(queue);
            }
            calendar.schedule(command, answer);
        } else if (count != null && count.most < quota) {
            count.most++;
            calendar.schedule(command, answer);
        } else if (count == null || clock.monoNanos() - count.countedNanos >= COUNT_NANOS) {
            countFor(new Waiting(command, answer));
        } else {
            replaceOrRefuse(command, count.most, quota, answer);
        }
    }

    /** Takes note of a timer that nobody has scheduled: a run of a plan, or one that was redriven. */
    public void made(String queue) {
        Count count = counts.get(queue);
        if (count == null) {
            return;
        }
        if (count.waiting == null) {
            count.most++;
        } else {
            count.meanwhile++;
        }
    }

    private void countFor(Waiting first) {
        String queue = first.command.key().queue();
        Count count = counts.computeIfAbsent(queue, unknown -> new Count());
        List<Waiting> waiting = new ArrayList<>(List.of(first));
        count.waiting = waiting;
        count.meanwhile = 0;
        calendar.queues(new Answer<>() {

            @Override
            public void accept(List<QueueCounts> all) {
                inbox.note(() -> counted(all));
            }

            private void counted(List<QueueCounts> all) {
                count.most = all.stream()
                                .filter(each -> each.queue().equals(queue))
                                .mapToLong(each -> each.pending() + each.claimed())
                                .sum()
                        + count.meanwhile;
                count.countedNanos = clock.monoNanos();
                count.waiting = null;
                waiting.forEach(each -> schedule(each.command, each.answer));
            }

            @Override
            public void fail(StoreException reason) {
                counts.remove(queue);
                waiting.forEach(each -> each.answer.fail(Answers.notApplied(reason)));
            }
        });
    }

    /** Whether the queue has no more timers afterwards: one that takes the place of another, or a request that comes again. */
    private static boolean makesNone(TimerView known, ScheduleCommand command) {
        return !known.state().isFinished() || command.onConflict() == OnConflict.ONCE;
    }

    private void replaceOrRefuse(ScheduleCommand command, long live, long quota, Answer<Scheduled> answer) {
        calendar.find(command.key(), new Answer<>() {

            @Override
            public void accept(List<TimerView> found) {
                if (!found.isEmpty() && makesNone(found.get(0), command)) {
                    inbox.note(() -> calendar.schedule(command, answer));
                } else {
                    answer.fail(new QuotaExceededException(command.key().queue(), live, quota));
                }
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(Answers.notApplied(reason));
            }
        });
    }
}
