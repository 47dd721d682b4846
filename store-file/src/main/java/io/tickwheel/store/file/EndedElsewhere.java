package io.tickwheel.store.file;

import io.tickwheel.store.TimerState;
import org.jspecify.annotations.Nullable;

/**
 * Timers of runs of which the commit log says that they have ended, until the runs are looked through at the end of a
 * recovery: by seq, in two arrays. Owned by the loop; O(1), 24 to 64 bytes each.
 */
final class EndedElsewhere {

    private static final int FIRST_SIZE = 1_024;

    /** The value for what was replaced or retried: nothing is remembered of it. */
    private static final int REPLACED = 0;

    private long[] seqs = new long[FIRST_SIZE];
    private long[] values = new long[FIRST_SIZE];
    private int size;
    private int order;

    /**
     * How a timer ended.
     *
     * @param order rises with the order of the ends
     * @param state null when another record took its place
     */
    record End(int order, @Nullable TimerState state, int attempts) {}

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(EndRecord end) {
        put(end.seq(), EndRecord.number(end.state()), end.attempts());
    }

    void addReplaced(long seq) {
        put(seq, REPLACED, 0);
    }

    private void put(long seq, int state, int attempts) {
        if (2 * size >= seqs.length) {
            grow();
        }
        int at = find(seq);
        if (seqs[at] == 0) {
            size++;
        }
        seqs[at] = seq;
        values[at] = ((long) order++ << 34) | ((long) state << 32) | Integer.toUnsignedLong(attempts);
    }

    boolean contains(long seq) {
        return size > 0 && seqs[find(seq)] != 0;
    }

    @Nullable
    End get(long seq) {
        int at = find(seq);
        if (seqs[at] == 0) {
            return null;
        }
        int state = (int) (values[at] >>> 32) & 3;
        return new End(
                (int) (values[at] >>> 34), state == REPLACED ? null : EndRecord.state((byte) state), (int) values[at]);
    }

    void clear() {
        seqs = new long[FIRST_SIZE];
        values = new long[FIRST_SIZE];
        size = 0;
    }

    private int find(long seq) {
        int at = (int) ((seq * 0x9e3779b97f4a7c15L) >>> 33) & (seqs.length - 1);
        while (seqs[at] != 0 && seqs[at] != seq) {
            at = (at + 1) & (seqs.length - 1);
        }
        return at;
    }

    private void grow() {
        long[] oldSeqs = seqs;
        long[] oldValues = values;
        seqs = new long[2 * oldSeqs.length];
        values = new long[2 * oldSeqs.length];
        for (int i = 0; i < oldSeqs.length; i++) {
            if (oldSeqs[i] != 0) {
                int at = find(oldSeqs[i]);
                seqs[at] = oldSeqs[i];
                values[at] = oldValues[i];
            }
        }
    }
}
