package io.tickwheel.store.file.timers;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.LongTable;
import io.tickwheel.store.file.memory.OffHeapLongs;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.History;
import org.jspecify.annotations.Nullable;

/**
 * How timers ended of which the commit log says so, by seq, until the runs are looked through at the end of a recovery. There
 * can be millions: they stand outside the heap. Owned by the loop; O(1), 32 to 64 bytes each, and about 40 for an attempt that is
 * remembered.
 */
public final class PendingEnds {

    private static final int ORDER_AT = 35;
    private static final int STATE_MASK = 7;
    private static final int STATE_AT = 32;

    /** The state of what was replaced or retried; no state in the log has this number, nor 0, so that no value is 0. */
    private static final int REPLACED = 7;

    /** The order of an end that is not remembered. */
    private static final int NO_ORDER = 0;

    /** The order (29 bits); how it ended (3 bits); the attempts (32 bits). */
    private final LongTable bySeq = new LongTable();

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
        return bySeq.size();
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
        assert order >>> (Long.SIZE - ORDER_AT) == 0 : "the table is full long before";
        long value = ((long) order << ORDER_AT) | ((long) state << STATE_AT) | Integer.toUnsignedLong(attempts);
        if (bySeq.find(seq)) {
            bySeq.setValue(value);
        } else {
            bySeq.add(seq, value);
        }
    }

    public boolean contains(long seq) {
        return bySeq.find(seq);
    }

    public @Nullable End get(long seq) {
        if (!bySeq.find(seq)) {
            return null;
        }
        long value = bySeq.value();
        int state = (int) (value >>> STATE_AT) & STATE_MASK;
        int order = (int) (value >>> ORDER_AT);
        return new End(order, state == REPLACED ? null : EndRecord.state((byte) state), (int) value, ended(order));
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
