package io.tickwheel.store.redis;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A record as it lies in Redis. Immutable.
 *
 * @param previous 0 when no live timer stood under the key before, 1 for a pending one, 2 for a claimed one
 * @param far whether it lies, or lay, in a far slice
 * @param token of the claim; 0 unless claimed
 * @param content empty when it was not asked for, or is not kept
 */
record TimerRecord(
        TimerState state,
        int previous,
        boolean far,
        long version,
        long dueAtMs,
        long seq,
        int attempts,
        long requestHash,
        long token,
        byte[] content) {

    private static final TimerState[] STATES = {
        TimerState.PENDING,
        TimerState.CLAIMED,
        TimerState.COMPLETED,
        TimerState.CANCELLED,
        TimerState.DEAD,
        TimerState.EXPIRED
    };
    private static final int HAS_HASH = 1 << 5;
    private static final int FAR = 1 << 6;

    /**
     * Reads a record, or as much of it as a script gave.
     *
     * @throws IllegalArgumentException when it is none
     */
    static TimerRecord read(ByteBuffer in) {
        try {
            int flags = in.get();
            TimerState state = STATES[flags & 7];
            long version = in.getInt() & 0xffff_ffffL;
            long dueAtMs = in.getLong();
            // Seven bytes of it.
            long seq = ((in.getInt() & 0xffff_ffffL) << 24) | ((in.getShort() & 0xffff) << 8) | (in.get() & 0xff);
            in.getLong();
            int attempts = in.getShort() & 0xffff;
            long requestHash = (flags & HAS_HASH) != 0 ? in.getLong() : 0;
            long token = state == TimerState.CLAIMED ? in.getLong() : 0;
            byte[] content = new byte[in.remaining()];
            in.get(content);
            return new TimerRecord(
                    state,
                    flags >> 3 & 3,
                    (flags & FAR) != 0,
                    version,
                    dueAtMs,
                    seq,
                    attempts,
                    requestHash,
                    token,
                    content);
        } catch (BufferUnderflowException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a record is cut short or of an unknown state", e);
        }
    }

    /** The slice it lies in, or lay in. */
    String slice() {
        return Layout.slice(far, dueAtMs);
    }

    TimerView view(TimerKey key, int partition) {
        return new TimerView(key, id(partition), version, dueAtMs, state, attempts);
    }

    private String id(int partition) {
        return Long.toHexString(Layout.number(seq, partition));
    }
}
