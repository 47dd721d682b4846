package io.tickwheel.store.file.record;

import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;

/**
 * The end of a timer in the commit log: it was completed, cancelled or is expired, or was dead and is forgotten. (A timer that was
 * replaced, changed, retried or given up is ended by the {@link TimerRecord} that takes its place.)
 *
 * <pre>
 *   0 type u8 = 2 | 1 state u8: 1 completed, 2 cancelled, 3 expired, 4 forgotten | 2 seq u64 | 10 attempts u32
 *   14 [ the {@code PastAttempt} that ended it: the rest ]                                        little endian
 *   14 [ 0 u16 | {@link History} of the attempt that ended it and has an excerpt: the rest ]
 * </pre>
 *
 * @param seq of the record that is ended
 * @param state {@code DEAD} for a dead timer that is forgotten
 * @param ended the attempt that ended it; none when it is not to be remembered
 */
public record EndRecord(long seq, TimerState state, int attempts, History ended) {

    public static final byte TYPE = 2;

    /** Without an attempt. */
    public static final int FIXED_BYTES = 14;

    public int length() {
        return FIXED_BYTES + ended.oneLength();
    }

    public void write(ByteBuffer out) {
        out.put(TYPE).put(number(state)).putLong(seq).putInt(attempts);
        ended.writeOne(out);
    }

    /**
     * Reads the record of {@code length} bytes at {@code offset}.
     *
     * @throws IllegalArgumentException when these bytes are no such record
     */
    public static EndRecord read(ByteBuffer bytes, int offset, int length) {
        if (length < FIXED_BYTES || bytes.get(offset) != TYPE) {
            throw new IllegalArgumentException("no end of a timer in " + length + " bytes");
        }
        long seq = bytes.getLong(offset + 2);
        if (seq < 1) {
            throw new IllegalArgumentException("seq " + seq + " is not positive");
        }
        return new EndRecord(
                seq,
                state(bytes.get(offset + 1)),
                bytes.getInt(offset + 10),
                History.readOne(bytes, offset + FIXED_BYTES, length - FIXED_BYTES));
    }

    /** The states by their number in the files, which never changes. */
    public static byte number(TimerState state) {
        return switch (state) {
            case COMPLETED -> 1;
            case CANCELLED -> 2;
            case EXPIRED -> 3;
            case DEAD -> 4;
            case PENDING, CLAIMED -> throw new IllegalArgumentException("no end: " + state);
        };
    }

    public static TimerState state(byte number) {
        return switch (number) {
            case 1 -> TimerState.COMPLETED;
            case 2 -> TimerState.CANCELLED;
            case 3 -> TimerState.EXPIRED;
            case 4 -> TimerState.DEAD;
            default -> throw new IllegalArgumentException("unknown state " + number);
        };
    }
}
