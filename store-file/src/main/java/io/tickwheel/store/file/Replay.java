package io.tickwheel.store.file;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Builds the memtable from the records of the commit log, in the order in which they were written. What it cannot place, the
 * ends of timers that stand in runs, it notes for {@link IndexBuild}. Owned by the thread that opens the store.
 */
final class Replay implements LogReader.Sink {

    private final Shelves shelves;
    private final ArrayDeque<FinishedLater> finished = new ArrayDeque<>();
    private final int finishedRemembered;
    private @Nullable StoreLane lastLane;
    private long nextSeq;

    /** A timer to be remembered as finished, in its turn. */
    record FinishedLater(int order, TimerKey key, TimerRecord record, TimerState state, int attempts) {}

    Replay(Shelves shelves, long nextSeq, int finishedRemembered) {
        this.shelves = shelves;
        this.nextSeq = nextSeq;
        this.finishedRemembered = finishedRemembered;
    }

    /** Higher than every seq that was met. */
    long nextSeq() {
        return nextSeq;
    }

    /** The last ends of timers of the memtable, in their order. */
    ArrayDeque<FinishedLater> finished() {
        return finished;
    }

    @Override
    public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {
        if (record.seq() < nextSeq
                && shelves.active().size() > 0
                && record.seq() <= shelves.active().seq(shelves.active().size() - 1)) {
            throw new IllegalArgumentException("seq " + record.seq() + " does not rise");
        }
        nextSeq = Math.max(nextSeq, record.seq() + 1);
        if (record.replaces() != 0) {
            Memtable active = shelves.active();
            int replaced = active.find(record.replaces());
            if (replaced >= 0) {
                active.end(replaced);
            } else {
                shelves.endedElsewhere.addReplaced(record.replaces());
            }
        } else if (record.version() != 1) {
            shelves.finished.remove(record.timerKey());
        }
        long hash = shelves.hash(record.queue(), record.key());
        shelves.active().add(record, bytes, offset, length, hash, lane(record));
    }

    /** Most often that of the record before. */
    private StoreLane lane(TimerRecord record) {
        StoreLane known = lastLane;
        if (known == null || known.lane.route() != record.route() || !Arrays.equals(known.queue.utf8, record.queue())) {
            known = shelves.queues.get(record.lane());
            lastLane = known;
        }
        return known;
    }

    @Override
    public void accept(EndRecord end) {
        // Also noted for a timer of the memtable: the note has the order.
        shelves.endedElsewhere.add(end);
        Memtable active = shelves.active();
        int ordinal = active.find(end.seq());
        if (ordinal < 0) {
            return;
        }
        TimerRecord record = active.record(ordinal, false);
        EndedElsewhere.End noted = shelves.endedElsewhere.get(end.seq());
        assert noted != null;
        active.end(ordinal);
        finished.add(new FinishedLater(noted.order(), record.timerKey(), record, end.state(), end.attempts()));
        if (finished.size() > finishedRemembered) {
            finished.poll();
        }
    }
}
