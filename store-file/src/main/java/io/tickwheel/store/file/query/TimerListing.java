package io.tickwheel.store.file.query;

import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.QueryBounds;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.LoadedTimer;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Makes one page of a list. */
final class TimerListing implements QueryTask<TimerPage> {

    /** What reading a record costs, in entries. */
    private static final int RECORD = 8;

    private final TimerTables tables;
    private final TimerQuery query;
    private final byte[] keyPrefix;
    private final LongFunction<String> publicId;
    private final OrderedScan scan;
    private final List<TimerView> timers = new ArrayList<>();
    private int left;
    private @Nullable TimerPage page;

    /** @param publicId gives the id that callers see for that of a record */
    TimerListing(TimerTables tables, QueryBounds bounds, TimerQuery query, LongFunction<String> publicId) {
        this.tables = tables;
        this.query = query;
        this.keyPrefix = query.keyPrefix().getBytes(StandardCharsets.UTF_8);
        this.publicId = publicId;
        this.left = bounds.entriesACall();
        long fromMs = query.dueFromMs();
        long fromSeq = Long.MIN_VALUE;
        TimerCursor after = query.after();
        if (after != null && after.dueAtMs() >= fromMs) {
            fromMs = after.dueAtMs();
            fromSeq = after.seq() == Long.MAX_VALUE ? after.seq() : after.seq() + 1;
        }
        ScanRange range = new ScanRange(query.queue(), kind(query.state()), query.dueToMs());
        this.scan = new OrderedScan(tables, range, fromMs, fromSeq, bounds.slotsKept());
    }

    private static ScanRange.Kind kind(@Nullable TimerState state) {
        if (state == null) {
            return ScanRange.Kind.STANDING;
        }
        return switch (state) {
            case PENDING -> ScanRange.Kind.LIVE;
            case CLAIMED -> ScanRange.Kind.CLAIMED;
            case DEAD -> ScanRange.Kind.DEAD;
            case COMPLETED, CANCELLED, EXPIRED -> throw new IllegalArgumentException(state + " is not listed");
        };
    }

    @Override
    public int work(int budget) {
        int used = 1 + scan.prepare(budget);
        // However small the budget is, there is a step.
        for (boolean first = true; page == null && scan.isPrepared() && (first || used < budget); first = false) {
            int cost = step();
            used += cost;
            left -= cost;
            if (page == null && (left <= 0 || timers.size() == query.limit())) {
                page = new TimerPage(timers, new TimerCursor(scan.dueAtMs(), scan.seq() - 1));
            }
        }
        return used;
    }

    private int step() {
        switch (scan.step()) {
            case FOUND -> {
                return look(scan.table(), scan.ordinal());
            }
            case END -> page = new TimerPage(timers, null);
            case PASSED, UNPREPARED -> {}
        }
        return 1;
    }

    private int look(TimerTable table, int ordinal) {
        boolean dead = table instanceof Memtable memtable
                ? memtable.isDead(ordinal)
                : table instanceof Run run && run.isDead();
        LoadedTimer loaded = dead ? null : tables.loaded.get(table.seq(ordinal));
        TimerState state = TimerState.PENDING;
        if (dead) {
            state = TimerState.DEAD;
        } else if (loaded != null && loaded.claimed()) {
            state = TimerState.CLAIMED;
        }
        if (query.state() != null && query.state() != state) {
            return 1;
        }
        TimerRecord record = table.record(ordinal, false);
        if (startsWithPrefix(record.key())) {
            int attempts = state == TimerState.CLAIMED && loaded != null ? loaded.attempts() : record.attempts();
            timers.add(new TimerView(
                    record.timerKey(),
                    publicId.apply(record.id()),
                    record.version(),
                    record.dueAtMs(),
                    record.attemptAtMs(),
                    state,
                    attempts,
                    record.history().attempts()));
        }
        return 1 + RECORD;
    }

    private boolean startsWithPrefix(byte[] key) {
        return key.length >= keyPrefix.length
                && Arrays.equals(key, 0, keyPrefix.length, keyPrefix, 0, keyPrefix.length);
    }

    @Override
    public @Nullable TimerPage result() {
        return page;
    }
}
