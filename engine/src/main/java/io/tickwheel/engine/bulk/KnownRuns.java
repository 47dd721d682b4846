package io.tickwheel.engine.bulk;

import io.tickwheel.engine.Bulk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bulk runs that were asked for in this program or have come to it, and the counts for which somebody waits. Any thread may call this. Once it is closed nothing
 * is added, so that whoever asks beside the end of the engine is refused, or is among those that the end finds.
 */
final class KnownRuns {

    /** Guarded by this: the youngest first. */
    private final ArrayDeque<BulkRun> runs = new ArrayDeque<>();

    /** Guarded by this: those that only count, and are not listed. */
    private final List<BulkRun> counts = new ArrayList<>();

    /** Guarded by this. */
    private boolean isClosed;

    /**
     * Adds a run that somebody has asked for.
     *
     * @throws IllegalStateException when too many go on, or the engine is closed
     */
    synchronized void add(BulkRun run) {
        checkOpen();
        checkFew(runs.stream().filter(BulkRun::isRunning).count(), "bulk runs");
        put(run);
    }

    /**
     * Adds a count.
     *
     * @throws IllegalStateException when too many go on, or the engine is closed
     */
    synchronized void addCount(BulkRun count) {
        checkOpen();
        counts.removeIf(each -> !each.isRunning());
        checkFew(counts.size(), "counts");
        counts.add(count);
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("the engine is closed");
        }
    }

    private static void checkFew(long goOn, String ofWhat) {
        if (goOn >= Bulk.MOST_RUNNING) {
            throw new IllegalStateException(
                    goOn + " " + ofWhat + " go on, must be fewer than " + Bulk.MOST_RUNNING + " for another one");
        }
    }

    /** Adds a run that has come here, in the place of the one of its id. */
    synchronized void replace(BulkRun run) {
        runs.removeIf(each -> each.id().equals(run.id()));
        put(run);
    }

    private void put(BulkRun run) {
        runs.addFirst(run);
        int ended = 0;
        for (Iterator<BulkRun> each = runs.iterator(); each.hasNext(); ) {
            if (!each.next().isRunning()) {
                ended++;
                if (ended > Bulk.MOST_REMEMBERED) {
                    each.remove();
                }
            }
        }
    }

    synchronized List<Bulk> all() {
        return List.copyOf(runs);
    }

    synchronized @Nullable BulkRun find(String id) {
        return runs.stream().filter(run -> run.id().equals(id)).findFirst().orElse(null);
    }

    /** Refuses all that would be added from now on; returns those that have not ended. */
    synchronized List<BulkRun> close() {
        isClosed = true;
        List<BulkRun> left = new ArrayList<>(counts);
        left.addAll(runs);
        left.removeIf(each -> !each.isRunning());
        return left;
    }
}
