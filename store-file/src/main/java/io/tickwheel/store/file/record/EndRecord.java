package io.tickwheel.store.file.record;

import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;

/**
 * The end of a timer in the commit log: it was completed, cancelled or is expired. (A timer that was replaced, retried or given
 * up is ended by the {@link TimerRecord} that takes its place.)
 *
 * <pre>
 *   0 type u8 = 2 | 1 state u8: 1 completed, 2 cancelled, 3 expired | 2 seq u64 | 10 attempts u32       little endian
 * </pre>
 *
 * @param seq of the record that is ended
 */
public record EndRecord(long seq, TimerState state, int attempts) {

    public static final byte TYPE = 2;
    public static final int BYTES = 14;

    public void write(ByteBuffer out) {
        out.put(TYPE).put(number(state)).putLong(seq).putInt(attempts);
    }

    /**
     * Reads the record of {@code length} bytes at {@code offset}.
     *
     * @throws IllegalArgumentException when these bytes are no such record
     */
    public static EndRecord read(ByteBuffer bytes, int offset, int length) {
        if (length != BYTES || bytes.get(offset) != TYPE) {
            throw new IllegalArgumentException("no end of a timer in " + length + " bytes");
        }
        long seq = bytes.getLong(offset + 2);
        if (seq < 1) {
            throw new IllegalArgumentException("seq " + seq + " is not positive");
        }
        return new EndRecord(seq, state(bytes.get(offset + 1)), bytes.getInt(offset + 10));
    }

    /** The states by their number in the files, which never changes. */
    public static byte number(TimerState state) {
        return switch (state) {
            case COMPLETED -> 1;
            case CANCELLED -> 2;
            case EXPIRED -> 3;
            case PENDING, CLAIMED, DEAD -> throw new IllegalArgumentException("no end: " + state);
        };
    }

    public static TimerState state(byte number) {
        return switch (number) {
            case 1 -> TimerState.COMPLETED;
            case 2 -> TimerState.CANCELLED;
            case 3 -> TimerState.EXPIRED;
            default -> throw new IllegalArgumentException("unknown state " + number);
        };
    }
}
