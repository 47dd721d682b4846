package io.tickwheel.store.redis.layout;

import io.tickwheel.store.Lane;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A record as it lies in Redis, of layout 1 to 3. Immutable.
 *
 * @param ending whether it was cancelled while an attempt runs, which is its last one: its state is {@code CLAIMED}, and it is not live
 * @param previous 0 when neither a live nor a dead timer stood under the key before, 1 for a pending one, 2 for a claimed one, 3 for an ending
 *     one, 4 for a dead one
 * @param far whether it lies, or lay, in a far slice
 * @param dueAtMs when it was to be delivered
 * @param attemptAtMs when its next attempt is due, or the last one was
 * @param token of the claim; 0 unless claimed
 * @param route where it goes; {@link Lane#UNKNOWN_ROUTE} when it was written by layout 1
 * @param history the attempts that have ended, as far as they are remembered, the first one first
 * @param content empty when it was not asked for, or is not kept
 */
public record TimerRecord(
        TimerState state,
        boolean ending,
        int previous,
        boolean far,
        long version,
        long dueAtMs,
        long attemptAtMs,
        long seq,
        int attempts,
        long requestHash,
        long token,
        long route,
        List<PastAttempt> history,
        byte[] content) {

    private static final TimerState[] STATES = {
        TimerState.PENDING,
        TimerState.CLAIMED,
        TimerState.COMPLETED,
        TimerState.CANCELLED,
        TimerState.DEAD,
        TimerState.EXPIRED,
        TimerState.CLAIMED
    };

    /** The number of the state of a timer whose last attempt runs. */
    private static final int ENDING = 6;

    private static final int HAS_HASH = 1 << 5;
    private static final int FAR = 1 << 6;

    /** Has optional fields. */
    private static final int EXTENDED = 1 << 7;

    /** The optional field of the first due time. */
    private static final int FIRST_DUE = 1;

    /** The optional field of the route; empty when that is not known. */
    private static final int ROUTE = 2;

    /** The optional field of an attempt that has ended, and the one right behind it of its excerpt. */
    public static final byte PAST = 3;

    /** The optional field of what stood under the key before, when that was dead. */
    private static final int OVER_DEAD = 4;

    /** What a record says in its optional fields; those of later versions are passed over. */
    private record Fields(long firstDueAtMs, long route, int previous, List<PastAttempt> history) {

        static Fields read(int flags, long attemptAtMs, ByteBuffer in) {
            int previous = flags >> 3 & 3;
            if ((flags & EXTENDED) == 0) {
                return new Fields(attemptAtMs, Lane.UNKNOWN_ROUTE, previous, List.of());
            }
            long firstDueAtMs = attemptAtMs;
            long route = Lane.QUEUE_ROUTE;
            List<byte[]> pieces = new ArrayList<>();
            int length = in.getShort() & 0xffff;
            int end = in.position() + length;
            while (in.position() < end) {
                int tag = in.get() & 0xff;
                int size = in.get() & 0xff;
                int next = in.position() + size;
                if (tag == FIRST_DUE) {
                    firstDueAtMs = in.getLong();
                } else if (tag == ROUTE) {
                    route = size == 0 ? Lane.UNKNOWN_ROUTE : in.getInt() & 0xffff_ffffL;
                } else if (tag == PAST) {
                    byte[] past = new byte[size];
                    in.get(past);
                    pieces.add(past);
                } else if (tag == OVER_DEAD) {
                    previous = in.get();
                } else {
                    in.position(next);
                }
                if (in.position() != next || next > end) {
                    throw new IllegalArgumentException(
                            "a record has an optional field " + tag + " of " + size + " bytes");
                }
            }
            List<PastAttempt> history = pieces.isEmpty() ? List.of() : PastAttempt.decodePieces(pieces);
            return new Fields(firstDueAtMs, route, previous, history);
        }
    }

    /**
     * Reads a record, or as much of it as a script gave.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static TimerRecord read(ByteBuffer in) {
        try {
            int flags = in.get() & 0xff;
            TimerState state = STATES[flags & 7];
            long version = in.getInt() & 0xffff_ffffL;
            long attemptAtMs = in.getLong();
            // Seven bytes of it.
            long seq = ((in.getInt() & 0xffff_ffffL) << 24) | ((in.getShort() & 0xffff) << 8) | (in.get() & 0xff);
            in.getLong();
            int attempts = in.getShort() & 0xffff;
            long requestHash = (flags & HAS_HASH) != 0 ? in.getLong() : 0;
            long token = state == TimerState.CLAIMED ? in.getLong() : 0;
            Fields fields = Fields.read(flags, attemptAtMs, in);
            byte[] content = new byte[in.remaining()];
            in.get(content);
            return new TimerRecord(
                    state,
                    (flags & 7) == ENDING,
                    fields.previous,
                    (flags & FAR) != 0,
                    version,
                    fields.firstDueAtMs,
                    attemptAtMs,
                    seq,
                    attempts,
                    requestHash,
                    token,
                    fields.route,
                    fields.history,
                    content);
        } catch (BufferUnderflowException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a record is cut short or of an unknown state", e);
        }
    }

    /** Whether it is to be delivered: pending, or claimed and not cancelled. */
    public boolean isLive() {
        return !state.isFinished() && !ending;
    }

    /** The slice it lies in, or lay in. */
    public String slice() {
        return Layout.slice(far, attemptAtMs);
    }

    public TimerView view(TimerKey key, int partition) {
        return new TimerView(key, id(partition), version, dueAtMs, attemptAtMs, state, attempts, history);
    }

    private String id(int partition) {
        return Layout.id(Layout.number(seq, partition));
    }
}
