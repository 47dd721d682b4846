package io.tickwheel.engine.bulk;

import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges dead timers that are older than they are kept, and those of a queue that are too many, the first ones first; looks once an hour, one queue after the
 * other. Nodes that share a store all look, at different moments: so that they do not purge for the same surplus twice, each counts anew before it takes
 * {@value #STEP} more. Where no other node has a hand in the calendar and there is no dead timer, it does not look until one has died. Owned by the loop.
 */
public final class DeadRetention {

    static final long PERIOD_NANOS = 3_600_000_000_000L;

    /** So many are purged for being too many before they are counted again. */
    static final int STEP = 500;

    private static final Logger LOG = LoggerFactory.getLogger(DeadRetention.class);

    private final Calendar calendar;
    private final Clock clock;
    private final BulkRuns runs;
    private final QueueBook book;
    private final LongSupplier deaths;
    private final long keptMs;
    private final int perQueue;
    private final ArrayDeque<String> queues = new ArrayDeque<>();
    private @Nullable BulkRun running;
    private boolean counting;
    private boolean isSurplus;

    /** How many had died when there was no dead timer; -1 when there may be some. */
    private long deathsWhenNone = -1;

    private long nextNanos;

    public DeadRetention(
            Calendar calendar, Clock clock, BulkRuns runs, QueueBook book, LongSupplier deaths, EngineOptions options) {
        this.calendar = calendar;
        this.clock = clock;
        this.runs = runs;
        this.book = book;
        this.deaths = deaths;
        this.keptMs = options.deadFor().toMillis();
        this.perQueue = options.deadPerQueue();
        // The first look is between a sixtieth of the period and all of it away: nodes that start together look at
        // different moments.
        long spread = Math.floorMod(options.random().getAsLong(), PERIOD_NANOS);
        this.nextNanos = clock.monoNanos() + Math.max(PERIOD_NANOS / 60, spread);
    }

    /** Does what is to be done now. */
    public void work() {
        if (mustWait()) {
            return;
        }
        if (running != null) {
            ended(running);
        } else if (!queues.isEmpty()) {
            purgeOld(queues.remove());
        } else if (mayFind() && clock.monoNanos() - nextNanos >= 0) {
            nextNanos = clock.monoNanos() + PERIOD_NANOS;
            count(null);
        }
    }

    /** Whether it goes on when an answer comes, or the calendar has room again, of which the loop is told. */
    private boolean mustWait() {
        return counting || (running != null && running.isRunning()) || !calendar.hasRoom();
    }

    /** In how many nanoseconds it must be called again, unless the loop is woken before. */
    public long idleNanos(long nowNanos) {
        if (mustWait()) {
            return Long.MAX_VALUE;
        }
        if (running != null || !queues.isEmpty()) {
            return 0;
        }
        return mayFind() ? Math.max(0, nextNanos - nowNanos) : Long.MAX_VALUE;
    }

    private boolean mayFind() {
        return calendar.isShared() || deaths.getAsLong() != deathsWhenNone;
    }

    /** @param only the queue to count, whose surplus is purged then; null for all */
    private void count(@Nullable String only) {
        counting = true;
        long deathsBefore = deaths.getAsLong();
        calendar.queues(new Answer<>() {

            @Override
            public void accept(List<QueueCounts> counts) {
                counting = false;
                if (only == null) {
                    boolean isNone = counts.stream().allMatch(each -> each.dead() == 0);
                    deathsWhenNone = isNone ? deathsBefore : -1;
                }
                for (QueueCounts each : counts) {
                    if (only == null && each.dead() > 0) {
                        queues.add(each.queue());
                    } else if (each.queue().equals(only)) {
                        purgeSurplus(each);
                    }
                }
            }

            @Override
            public void fail(StoreException reason) {
                counting = false;
                queues.clear();
                LOG.warn("dead timers were not counted, to be purged: {}", reason.getMessage());
            }
        });
    }

    private void purgeOld(String queue) {
        isSurplus = false;
        Duration ofQueue = book.settingsOf(queue).deadFor();
        long beforeMs = clock.wallMs() - (ofQueue == null ? keptMs : ofQueue.toMillis());
        TimerQuery dead = TimerQuery.of(queue).withDue(Long.MIN_VALUE, beforeMs);
        begin(new BulkRun(
                "dead-age", BulkRequest.purge(dead), clock, timer -> diedAtMs(timer) < beforeMs, Long.MAX_VALUE));
    }

    private void purgeSurplus(QueueCounts queue) {
        Integer ofQueue = book.settingsOf(queue.queue()).deadPerQueue();
        long surplus = queue.dead() - (ofQueue == null ? perQueue : ofQueue);
        if (surplus > 0) {
            isSurplus = true;
            BulkRequest request = BulkRequest.purge(TimerQuery.of(queue.queue()));
            begin(new BulkRun("dead-number", request, clock, timer -> true, Math.min(surplus, STEP)));
        }
    }

    private void begin(BulkRun run) {
        running = run;
        runs.begin(run);
    }

    private void ended(BulkRun run) {
        running = null;
        BulkProgress end = run.progress();
        String queue = run.request().timers().queue();
        if (end.state() != BulkProgress.State.DONE) {
            LOG.warn("dead timers of queue {} were not purged: {}", queue, end.failure());
        } else if (!isSurplus || end.changed() == STEP) {
            count(queue);
        }
    }

    /** When a dead timer died; when its last attempt was due, if that is not remembered. */
    private static long diedAtMs(TimerView timer) {
        List<PastAttempt> history = timer.history();
        return history.isEmpty()
                ? timer.attemptAtMs()
                : history.get(history.size() - 1).endedAt().toEpochMilli();
    }
}
