package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Run;

/**
 * A position in a run, on its way through the waiting timers of one lane in the order of their attempts. Where the entries are
 * linked it goes from one entry of the lane to the next, else it looks at those of others too. Owned by the loop.
 */
final class LaneRun {

    /** What a read of a block costs, in looks at an entry. */
    private static final int READ = 32;

    /** So many entries of a lane are sooner gone through from the first one than found by bisection. */
    private static final int FEW = 64;

    final Run run;
    private final int lane;
    private final RunEntry entry;
    private int ordinal;

    /** Whether the entry is known to be one of the lane, from which the next one can be found. */
    private boolean linked;

    /** Whether the entry is one of the lane, and was waiting when it was looked at; else the time is one before it. */
    private boolean exact;

    private long nextMs;
    private long seq;
    private int length;

    /**
     * Begins before the first timer of the lane with an attempt at {@code fromMs} or later.
     *
     * @param lane where it stands in the names
     */
    LaneRun(Run run, int lane, long fromMs) {
        this.run = run;
        this.lane = lane;
        this.entry = run.laneEntry();
        RunFormat.LaneName name = run.names().get(lane);
        linked = run.entries().areLinked() && (fromMs <= run.firstDueMs() || name.timers() <= FEW);
        ordinal = linked ? name.first() : run.lowerBound(fromMs);
        nextMs = Math.max(fromMs, run.firstDueMs());
        endIfAtEnd();
    }

    /** The time of the next waiting timer of the lane, or one before it; {@link Long#MAX_VALUE} at the end. */
    long nextMs() {
        return nextMs;
    }

    boolean isAtEnd() {
        return ordinal >= run.count();
    }

    /** Whether a waiting timer of the lane stands here, at {@link #nextMs}. */
    boolean isFront() {
        return exact && run.isWaiting(ordinal);
    }

    /**
     * Goes on to the next waiting timer, unless it stands at one; by a step at least, however small the budget is.
     *
     * @return about how many entries it looked at, at least 1
     */
    int seek(int budget) {
        int used = 0;
        if (exact && !run.isWaiting(ordinal)) {
            pass();
        }
        do {
            if (exact || isAtEnd()) {
                break;
            }
            used += linked ? seekLinked() : seekAmongAll();
        } while (used < budget);
        return Math.max(1, used);
    }

    private int seekLinked() {
        int cost = cost();
        if (run.isWaiting(ordinal)) {
            stop();
        } else {
            follow();
        }
        return cost;
    }

    private void follow() {
        int next = entry.moveTo(ordinal).next();
        ordinal = next == 0 ? run.count() : next;
        endIfAtEnd();
    }

    private int seekAmongAll() {
        ordinal = run.nextWaiting(ordinal);
        if (isAtEnd()) {
            endIfAtEnd();
            return 1;
        }
        int cost = cost();
        nextMs = entry.moveTo(ordinal).attemptAtMs();
        if (entry.lanePosition() == lane) {
            linked = run.entries().areLinked();
            stop();
        } else {
            ordinal++;
            endIfAtEnd();
        }
        return cost;
    }

    private int cost() {
        return entry.isNear(ordinal) ? 1 : READ;
    }

    private void stop() {
        entry.moveTo(ordinal);
        nextMs = entry.attemptAtMs();
        seq = entry.seq();
        length = entry.length();
        exact = true;
    }

    private void endIfAtEnd() {
        if (isAtEnd()) {
            nextMs = Long.MAX_VALUE;
        }
    }

    /** Goes on behind the present timer. */
    void pass() {
        assert exact;
        exact = false;
        if (linked) {
            follow();
        } else {
            ordinal++;
            endIfAtEnd();
        }
    }

    int ordinal() {
        return ordinal;
    }

    long seq() {
        return seq;
    }

    /** How long the record is. */
    int length() {
        return length;
    }
}
