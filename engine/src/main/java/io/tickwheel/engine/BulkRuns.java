package io.tickwheel.engine;

import io.tickwheel.store.Calendar;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** The bulk runs of an engine. Any thread may ask for one or look at them; the loop does their work. */
final class BulkRuns {

    private final Calendar calendar;
    private final Clock clock;
    private final Replies replies;
    private final EngineListener listener;
    private final Consumer<String> log;

    /** Guarded by itself: those that were asked for, the youngest first. */
    private final ArrayDeque<BulkRun> known = new ArrayDeque<>();

    /** Guarded by {@code known}: those that only count for somebody who waits. */
    private final List<BulkRun> counts = new ArrayList<>();

    /** Owned by the loop. */
    private final List<BulkRun> running = new ArrayList<>();

    /** @param log takes a line for each run that has ended */
    BulkRuns(Calendar calendar, Clock clock, Replies replies, EngineListener listener, Consumer<String> log) {
        this.calendar = calendar;
        this.clock = clock;
        this.replies = replies;
        this.listener = listener;
        this.log = log;
    }

    // ---- any thread may call this

    /**
     * Notes a run that somebody has asked for; to be given to {@link #begin}.
     *
     * @throws IllegalStateException when too many go on
     */
    BulkRun register(BulkRequest request, String id) {
        BulkRun run = new BulkRun(id, request, clock, timer -> true, Long.MAX_VALUE);
        synchronized (known) {
            long goOn = known.stream().filter(BulkRun::isRunning).count();
            if (goOn >= Bulk.MOST_RUNNING) {
                throw new IllegalStateException(
                        goOn + " bulk runs go on, must be fewer than " + Bulk.MOST_RUNNING + " for another one");
            }
            known.addFirst(run);
            forgetOldest();
        }
        return run;
    }

    /**
     * Makes a run that only counts and is not listed; to be given to {@link #begin}.
     *
     * @throws IllegalStateException when too many go on
     */
    BulkRun registerCount(BulkRequest request) {
        BulkRun run = new BulkRun("count", request, clock, timer -> true, Long.MAX_VALUE);
        synchronized (known) {
            counts.removeIf(each -> !each.isRunning());
            if (counts.size() >= Bulk.MOST_RUNNING) {
                throw new IllegalStateException(
                        counts.size() + " counts go on, must be fewer than " + Bulk.MOST_RUNNING + " for another one");
            }
            counts.add(run);
        }
        return run;
    }

    private void forgetOldest() {
        int ended = 0;
        for (Iterator<BulkRun> each = known.iterator(); each.hasNext(); ) {
            if (!each.next().isRunning()) {
                ended++;
                if (ended > Bulk.MOST_REMEMBERED) {
                    each.remove();
                }
            }
        }
    }

    List<Bulk> all() {
        synchronized (known) {
            return List.copyOf(known);
        }
    }

    // ---- only the loop calls this

    void begin(BulkRun run) {
        running.add(run);
    }

    /** Gives each run its step; returns how many timers were looked at. */
    int work() {
        if (running.isEmpty()) {
            return 0;
        }
        long nowNanos = clock.monoNanos();
        int looked = 0;
        for (BulkRun run : running) {
            if (calendar.hasRoom()) {
                looked += run.work(calendar, listener, nowNanos);
            }
        }
        forgetEnded();
        return looked;
    }

    private void forgetEnded() {
        for (Iterator<BulkRun> each = running.iterator(); each.hasNext(); ) {
            BulkRun run = each.next();
            if (!run.isRunning()) {
                each.remove();
                BulkProgress end = run.progress();
                boolean isWorthALine = end.matched() > 0 && !run.request().dryRun();
                if (isWorthALine || end.failure() != null) {
                    log.accept(line(run, end));
                }
                replies.add(run::complete);
            }
        }
    }

    private static String line(BulkRun run, BulkProgress end) {
        BulkRequest request = run.request();
        return request.action() + " in queue "
                + request.timers().queue() + ", bulk run " + run.id() + ", is " + end.state() + ": " + end.matched()
                + " timers found, " + end.changed() + " changed"
                + (end.failure() == null ? "" : ", " + end.failure());
    }

    /** In how many nanoseconds to be called again, when nothing comes before. */
    long idleNanos() {
        long idle = Long.MAX_VALUE;
        for (BulkRun run : running) {
            idle = Math.min(idle, run.idleNanos(clock.monoNanos()));
        }
        return idle;
    }

    /** Has all of them end, as soon as what they have asked for is answered. */
    void stop() {
        running.forEach(BulkRun::stop);
    }

    boolean areDone() {
        return running.isEmpty();
    }

    /** Ends all of them: nothing is answered any more. */
    void fail(String reason) {
        running.forEach(run -> run.end(BulkProgress.State.FAILED, reason));
        forgetEnded();
    }
}
