package io.tickwheel.engine;

import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.Changed;
import io.tickwheel.store.TimerView;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Recurring timers: a plan makes its runs, each of which is a timer of its own. Thread-safe. */
public interface TimerPlans {

    /**
     * The key of a run of a recurring timer, which was made by {@link TimerRequest#recurring} or {@link TimerRequest#withSchedule}. Each run is a timer of its own with what the recurring one has to deliver, due at its
     * nominal time: it is found, cancelled, run now and redriven by this key, which is that of the recurring timer, U+001F and the number.
     *
     * <pre>{@code
     * timers.schedule(TimerRequest.recurring("backup", "db", Recurrence.cron("0 0 3 * * *", ZoneId.of("UTC"))));
     * timers.cancel("backup", TimerPlans.runKey("db", 17));
     * }</pre>
     *
     * <p>The recurring timer is a plan. When it comes due it makes the next run and moves on, in one step of the store: whatever crashes, there is one next run. Runs are numbered
     * from 1. When a plan takes the place of another one under its key, or the place of one that is gone, the numbers go on so that no run that is known has the same; they may leave some out.
     *
     * <ul>
     *   <li>A cancelled plan starts no run any more. Runs that are there go on.
     *   <li>A reschedule moves its next run only. A plan that has made its last run is completed.
     *   <li>While its queue is paused, or has no place left for an attempt, a plan waits as any timer; what it has missed then is for its {@link io.tickwheel.recurrence.Misfire} rule to say.
     *   <li>One that waits for the end of a run, by its {@link io.tickwheel.recurrence.Overlap} rule or its fixed delay, goes on at once when an attempt on this node has ended the run; when something else has, such as
     *       a cancel or another node, within a minute.
     *   <li>What has waited for the end of a run for so long that it counts as missed is treated so: with {@code QUEUE} and {@code ONCE} one run stands for all that came due meanwhile.
     *   <li>A run that is missed is not left out for the one before it when all that are missed are to start: they start one after the other.
     *   <li>The quota of a queue does not keep a plan from making runs.
     * </ul>
     *
     * @param number 1 or more
     */
    static String runKey(String key, long number) {
        if (number < 1) {
            throw new IllegalArgumentException("run is " + number + ", must be 1 or more");
        }
        return RunKeys.of(key, number);
    }

    /** Whether a key is that of a run, which no other timer has. */
    static boolean isRunKey(String key) {
        return RunKeys.isRun(key);
    }

    /** As {@link #pausePlan(String, String, CommandOptions)}, on no condition. */
    default CompletableFuture<Changed> pausePlan(String queue, String key) {
        return pausePlan(queue, key, CommandOptions.NONE);
    }

    /**
     * Has the recurring timer of a key start no runs until it is resumed, or rescheduled: it is due at {@link TimerRequest#LAST_DUE} meanwhile. Runs that are there go on. The future fails with an {@link IllegalArgumentException}
     * when the timer is not a recurring one.
     */
    CompletableFuture<Changed> pausePlan(String queue, String key, CommandOptions options);

    /** As {@link #resumePlan(String, String, CommandOptions)}, on no condition. */
    default CompletableFuture<Changed> resumePlan(String queue, String key) {
        return resumePlan(queue, key, CommandOptions.NONE);
    }

    /**
     * Has a recurring timer that is paused start runs again, from its next nominal time on: what was due meanwhile is left out. One that has no time left is cancelled. One that is not paused stays as it is. The future fails with an
     * {@link IllegalArgumentException} when the timer is not a recurring one.
     */
    CompletableFuture<Changed> resumePlan(String queue, String key, CommandOptions options);

    /**
     * The next nominal times of the recurring timer of a key; those of a fixed delay as if its runs took no time. Empty when no such timer is known, or it is paused or has ended.
     *
     * @param most how many at most: 1 to {@value io.tickwheel.recurrence.Recurrence#MAX_PREVIEW}
     */
    CompletableFuture<List<Instant>> preview(String queue, String key, int most);

    /** The runs that are known among the last eight of the recurring timer of a key, the last one first. Empty when no such timer is known, or it is cancelled or completed. */
    CompletableFuture<List<TimerView>> runs(String queue, String key);
}
