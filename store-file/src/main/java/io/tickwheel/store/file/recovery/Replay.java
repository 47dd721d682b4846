package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.log.LogReader;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Builds the memtable from the records of the commit log, in the order in which they were written. How timers ended, those in
 * runs too, it notes for {@link IndexBuild}. Owned by the thread that opens the store.
 */
public final class Replay implements LogReader.Sink {

    private final TimerTables tables;
    private @Nullable StoreLane lastLane;
    private long nextSeq;

    public Replay(TimerTables tables, long nextSeq) {
        this.tables = tables;
        this.nextSeq = nextSeq;
    }

    /** Higher than every seq that was met. */
    public long nextSeq() {
        return nextSeq;
    }

    @Override
    public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {
        if (record.seq() < nextSeq
                && tables.active().size() > 0
                && record.seq() <= tables.active().seq(tables.active().size() - 1)) {
            throw new IllegalArgumentException("seq " + record.seq() + " does not rise");
        }
        nextSeq = Math.max(nextSeq, record.seq() + 1);
        long hash = tables.hash(record.queue(), record.key());
        if (record.replaces() != 0) {
            Memtable active = tables.active();
            int replaced = active.find(record.replaces());
            if (replaced >= 0) {
                active.end(replaced);
            } else {
                tables.pendingEnds.addReplaced(record.replaces());
            }
        } else if (record.version() != 1) {
            tables.finished.remove(hash, record.queue(), record.key());
        }
        tables.active().add(record, bytes, offset, length, hash, lane(record));
    }

    /** Most often that of the record before. */
    private StoreLane lane(TimerRecord record) {
        StoreLane known = lastLane;
        if (known == null || known.lane.route() != record.route() || !Arrays.equals(known.queue.utf8, record.queue())) {
            known = tables.queues.get(record.lane());
            lastLane = known;
        }
        return known;
    }

    /** Of a timer that is remembered, or will be, when all ends are known. */
    @Override
    public void accept(OutcomeRecord outcome) {
        FinishedRecord timer = outcome.timer();
        long position = tables.outcomes.add(timer.length());
        timer.write(tables.outcomes.chunk(position), tables.outcomes.offset(position));
    }

    @Override
    public void accept(EndRecord end) {
        // Also noted for a timer of the memtable, which is to be remembered in its order.
        tables.pendingEnds.add(end);
        Memtable active = tables.active();
        int ordinal = active.find(end.seq());
        if (ordinal >= 0) {
            active.end(ordinal);
        }
    }
}
