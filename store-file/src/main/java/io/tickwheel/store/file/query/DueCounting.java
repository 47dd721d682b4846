package io.tickwheel.store.file.query;

import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.file.disk.QueryBounds;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what comes due in each bucket, one bucket after the other. */
final class DueCounting implements QueryTask<DueCounts> {

    private final DueCountQuery query;
    private final OrderedScan scan;
    private final List<Long> counts = new ArrayList<>();
    private long inBucket;

    DueCounting(TimerTables tables, QueryBounds bounds, DueCountQuery query) {
        this.query = query;
        ScanRange range = new ScanRange(query.queue(), ScanRange.Kind.LIVE, query.toMs());
        this.scan = new OrderedScan(tables, range, query.fromMs(), Long.MIN_VALUE, bounds.slotsKept());
    }

    @Override
    public int work(int budget) {
        int used = 1 + scan.prepare(budget);
        // However small the budget is, there is a step.
        for (boolean first = true; result() == null && scan.isPrepared() && (first || used < budget); first = false) {
            long endMs = query.fromMs() + (counts.size() + 1) * query.bucketMs();
            OrderedScan.Counted counted = scan.countTo(endMs, Math.max(1, budget - used));
            inBucket += counted.timers();
            used += 1 + counted.used();
            if (scan.dueAtMs() == endMs) {
                counts.add(inBucket);
                inBucket = 0;
            }
        }
        return used;
    }

    @Override
    public @Nullable DueCounts result() {
        return counts.size() < query.buckets() ? null : new DueCounts(query.fromMs(), query.bucketMs(), counts);
    }
}
