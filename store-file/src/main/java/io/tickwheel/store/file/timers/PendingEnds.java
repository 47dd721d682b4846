package io.tickwheel.store.file.timers;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.memory.OffHeapLongs;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.History;
import org.jspecify.annotations.Nullable;

/**
 * How timers ended of which the commit log says so, by seq, until the runs are looked through at the end of a recovery. There
 * can be millions: they stand outside the heap. Owned by the loop; O(1), what each takes in a {@link KeyIndex}, and about 40 bytes for an attempt that is
 * remembered.
 */
public final class PendingEnds {

    /** 2^64 divided by the golden ratio: numbers that follow on each other are spread (Fibonacci hashing, Knuth, TAOCP vol. 3, 6.4), each to another one. */
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    private static final int STATE_BITS = 3;
    private static final int STATE_MASK = (1 << STATE_BITS) - 1;

    /** The state of what was replaced or retried; no state in the log has this number, nor 0, so that no place in the index is 0. */
    private static final int REPLACED = 7;

    /** The order of an end that is not remembered. */
    private static final int NO_ORDER = 0;

    /** By the seq, spread: the place is the order (29 bits) and how it ended (3 bits), the ordinal the attempts. */
    private final KeyIndex bySeq = new KeyIndex();

    /** The attempts that ended timers, as they stand in the log. */
    private final RecordQueue attempts;

    /** By the order less 1: the position of the attempt plus 1, or 0; as far as there was an attempt to remember. */
    private final OffHeapLongs attemptOfOrder;

    private int lastOrder;

    PendingEnds(ChunkPool pool) {
        this.attempts = new RecordQueue(pool);
        this.attemptOfOrder = new OffHeapLongs(pool);
    }

    /**
     * How a timer ended.
     *
     * @param order rises by one from one end that is remembered to the next, from 1 on; 0 for the others
     * @param state null when another record took its place, {@code DEAD} when it was dead and is forgotten: neither is remembered
     * @param ended the attempt that ended it; none when it is not to be remembered
     */
    public record End(int order, @Nullable TimerState state, int attempts, History ended) {}

    boolean isEmpty() {
        return bySeq.size() == 0;
    }

    int size() {
        return (int) bySeq.size();
    }

    /** The order of the last one; 0 when there is none. */
    public int lastOrder() {
        return lastOrder;
    }

    public void add(EndRecord end) {
        boolean isRemembered = end.state() != TimerState.DEAD;
        put(end.seq(), isRemembered ? ++lastOrder : NO_ORDER, EndRecord.number(end.state()), end.attempts());
        if (isRemembered && !end.ended().isEmpty()) {
            while (attemptOfOrder.size() < lastOrder) {
                attemptOfOrder.add(0);
            }
            long position = attempts.add(end.ended().length());
            end.ended().write(attempts.chunk(position), attempts.offset(position));
            attemptOfOrder.set(lastOrder - 1, position + 1);
        }
    }

    public void addReplaced(long seq) {
        put(seq, NO_ORDER, REPLACED, 0);
    }

    private void put(long seq, int order, int state, int attempts) {
        assert order >>> (Integer.SIZE - STATE_BITS) == 0 : "a checkpoint comes long before";
        int place = order << STATE_BITS | state;
        long hash = seq * SPREAD;
        if (bySeq.find(hash)) {
            bySeq.move(hash, bySeq.place(), bySeq.ordinal(), place, attempts);
        } else {
            bySeq.add(hash, place, attempts);
        }
    }

    public boolean contains(long seq) {
        return bySeq.find(seq * SPREAD);
    }

    public @Nullable End get(long seq) {
        if (!bySeq.find(seq * SPREAD)) {
            return null;
        }
        int state = bySeq.place() & STATE_MASK;
        int order = bySeq.place() >>> STATE_BITS;
        return new End(order, state == REPLACED ? null : EndRecord.state((byte) state), bySeq.ordinal(), ended(order));
    }

    private History ended(int order) {
        long place = order == NO_ORDER || order > attemptOfOrder.size() ? 0 : attemptOfOrder.get(order - 1);
        if (place == 0) {
            return History.NONE;
        }
        long position = place - 1;
        return History.read(attempts.chunk(position), attempts.offset(position), attempts.length(position));
    }

    public void clear() {
        bySeq.clear();
        attempts.free();
        attemptOfOrder.free();
        lastOrder = 0;
    }
}
