package io.tickwheel.store.file.timers;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.memory.LongTable;
import io.tickwheel.store.file.record.EndRecord;
import org.jspecify.annotations.Nullable;

/**
 * How timers ended of which the commit log says so, by seq, until the runs are looked through at the end of a recovery. There
 * can be millions: they stand outside the heap. Owned by the loop; O(1), 32 to 64 bytes each.
 */
public final class PendingEnds {

    private static final int ORDER_AT = 34;
    private static final int STATE_AT = 32;

    /** The state of what was replaced or retried: nothing is remembered of it. */
    private static final int REPLACED = 0;

    /** The order, from 1 on, so that none is 0 (30 bits); how it ended (2 bits); the attempts (32 bits). */
    private final LongTable bySeq = new LongTable();

    private int lastOrder;

    /**
     * How a timer ended.
     *
     * @param order rises by one from end to end, from 1 on
     * @param state null when another record took its place
     */
    public record End(int order, @Nullable TimerState state, int attempts) {}

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
        put(end.seq(), EndRecord.number(end.state()), end.attempts());
    }

    public void addReplaced(long seq) {
        put(seq, REPLACED, 0);
    }

    private void put(long seq, int state, int attempts) {
        lastOrder++;
        assert lastOrder >>> (Long.SIZE - ORDER_AT) == 0 : "the table is full long before";
        long value = ((long) lastOrder << ORDER_AT) | ((long) state << STATE_AT) | Integer.toUnsignedLong(attempts);
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
        int state = (int) (value >>> STATE_AT) & 3;
        return new End(
                (int) (value >>> ORDER_AT), state == REPLACED ? null : EndRecord.state((byte) state), (int) value);
    }

    public void clear() {
        bySeq.clear();
        lastOrder = 0;
    }
}
