package io.tickwheel.store.file.loading;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;

/** A position in a run, on its way through the waiting timers in the order of their attempts. Owned by the loop. */
final class RunCursor {

    final Run run;
    private int position;
    private long nextDueMs;

    /** Whether {@code position} is a waiting entry and {@code nextDueMs} its due time, rather than a time before it. */
    private boolean exact;

    private final RunEntry entry;

    RunCursor(Run run, long fromMs) {
        this.run = run;
        this.entry = new RunEntry(run.file());
        this.position = run.lowerBound(fromMs);
        this.nextDueMs = Math.max(fromMs, run.firstDueMs());
    }

    /** The due time of the next waiting timer, or one before it; {@link Long#MAX_VALUE} at the end. */
    long nextDueMs() {
        return nextDueMs;
    }

    boolean isAtEnd() {
        return position >= run.count();
    }

    /** Makes {@link #nextDueMs} exact. */
    void seek() {
        if (!exact) {
            position = run.nextWaiting(position);
            if (isAtEnd()) {
                end();
            } else {
                nextDueMs = entry.moveTo(position).attemptAtMs();
                exact = true;
            }
        }
    }

    private void end() {
        nextDueMs = Long.MAX_VALUE;
        entry.drop();
    }

    boolean isExact() {
        return exact;
    }

    int ordinal() {
        return position;
    }

    long seq() {
        return entry.moveTo(position).seq();
    }

    StoreLane lane() {
        return run.laneAt(entry.moveTo(position).lanePosition());
    }

    /** How long the record is. */
    int length() {
        return entry.moveTo(position).length();
    }

    /** Goes on behind the present entry. */
    void pass() {
        position++;
        exact = false;
        if (isAtEnd()) {
            end();
        }
    }
}
