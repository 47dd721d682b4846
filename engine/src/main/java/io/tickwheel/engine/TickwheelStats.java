package io.tickwheel.engine;

import java.util.List;

/**
 * What an engine has done since it was opened, and what it does now. Immutable and thread-safe. Of several nodes on one store each counts what it
 * did itself.
 *
 * @param live live timers, pending and claimed, as of the last turn of the loop
 * @param running attempts that run, or are about to, as of the last turn of the loop
 * @param scheduled timers made, replacing others or not
 * @param refused schedules refused because the store was full
 * @param cancelled cancels that were taken
 * @param changed timers that were rescheduled, redriven or purged; by bulk runs, too
 * @param started attempts that were started
 * @param delivered timers acknowledged by their target
 * @param failed attempts that failed and are repeated
 * @param postponed attempts whose receiver has asked for another time
 * @param dead timers given up
 * @param expired timers not delivered because they were too late
 * @param waiting the queues that have timers which are due and do not start, and why
 */
public record TickwheelStats(
        long live,
        int running,
        long scheduled,
        long refused,
        long cancelled,
        long changed,
        long started,
        long delivered,
        long failed,
        long postponed,
        long dead,
        long expired,
        List<WaitingQueue> waiting) {

    public TickwheelStats {
        waiting = List.copyOf(waiting);
    }
}
