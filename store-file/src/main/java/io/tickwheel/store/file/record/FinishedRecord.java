package io.tickwheel.store.file.record;

import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What is remembered of a timer that was completed, cancelled or is expired, as it stands in the {@code Progress}.
 *
 * <pre>
 *   0 state u8 | 1 id u64 | 9 version u64 | 17 due i64 | 25 attempt i64 | 33 attempts u32
 *   37 request hash u64 | 45 queue bytes u16 | 47 key bytes u16                                     little endian
 *   49 [ state + 128: history bytes u16 ] queue, key: UTF-8 [ {@link History} ]
 * </pre>
 *
 * In a progress of format 2 the attempt is missing, and all behind it stands 8 bytes further to the front; there is no history.
 *
 * @param id rises with each new timer of a key
 */
public record FinishedRecord(
        TimerState state,
        long id,
        long version,
        long dueAtMs,
        long attemptAtMs,
        int attempts,
        long requestHash,
        byte[] queue,
        byte[] key,
        History history) {

    public static final int FIXED_BYTES = 49;

    /** As long as the fixed part is without the attempt. */
    public static final int OLD_FIXED_BYTES = FIXED_BYTES - Long.BYTES;

    private static final byte HAS_HISTORY = Byte.MIN_VALUE;
    private static final int DUE_AT = 17;
    private static final int ATTEMPT_AT = 25;
    private static final int ATTEMPTS_AT = 33;
    private static final int HASH_AT = 37;
    private static final int QUEUE_BYTES_AT = 45;
    private static final int KEY_BYTES_AT = 47;

    /**
     * Of a timer that has ended.
     *
     * @param ended the attempt that ended it; none when it is not to be remembered
     */
    public static FinishedRecord of(TimerRecord timer, TimerState state, int attempts, History ended) {
        return new FinishedRecord(
                state,
                timer.id(),
                timer.version(),
                timer.dueAtMs(),
                timer.attemptAtMs(),
                attempts,
                timer.requestHash(),
                timer.queue(),
                timer.key(),
                timer.history().and(ended));
    }

    /** The same timer with another end. */
    public FinishedRecord with(TimerState otherState, int otherAttempts, History ended) {
        return new FinishedRecord(
                otherState,
                id,
                version,
                dueAtMs,
                attemptAtMs,
                otherAttempts,
                requestHash,
                queue,
                key,
                history.and(ended));
    }

    public int length() {
        return FIXED_BYTES + (history.isEmpty() ? 0 : Short.BYTES + history.length()) + queue.length + key.length;
    }

    /** Writes it at {@code offset}. */
    public void write(ByteBuffer out, int offset) {
        int number = EndRecord.number(state);
        out.put(offset, (byte) (history.isEmpty() ? number : number | HAS_HISTORY))
                .putLong(offset + 1, id)
                .putLong(offset + 9, version)
                .putLong(offset + DUE_AT, dueAtMs)
                .putLong(offset + ATTEMPT_AT, attemptAtMs)
                .putInt(offset + ATTEMPTS_AT, attempts)
                .putLong(offset + HASH_AT, requestHash)
                .putShort(offset + QUEUE_BYTES_AT, (short) queue.length)
                .putShort(offset + KEY_BYTES_AT, (short) key.length);
        int at = offset + FIXED_BYTES;
        if (!history.isEmpty()) {
            out.putShort(at, (short) history.length());
            at += Short.BYTES;
        }
        out.put(at, queue).put(at + queue.length, key);
        history.write(out, at + queue.length + key.length);
    }

    /**
     * How long the record that begins at {@code offset} is up to its names, by its first byte: {@link #FIXED_BYTES}, and two more when it
     * has a history.
     *
     * @throws IllegalArgumentException when the timer has no state in which it can be remembered
     */
    public static int headBytes(ByteBuffer in, int offset) {
        state(in.get(offset));
        return FIXED_BYTES + (hasHistory(in, offset) ? Short.BYTES : 0);
    }

    private static boolean hasHistory(ByteBuffer in, int offset) {
        return (in.get(offset) & HAS_HISTORY) != 0;
    }

    private static TimerState state(byte first) {
        int number = first & ~HAS_HISTORY;
        if (number == EndRecord.number(TimerState.DEAD)) {
            throw new IllegalArgumentException("unknown state " + number + " of a timer that is remembered");
        }
        return EndRecord.state((byte) number);
    }

    /** How long the record is that begins at {@code offset}, of which the first {@link #headBytes} are there. */
    public static int length(ByteBuffer in, int offset) {
        return namesEnd(in, offset) - offset + historyBytes(in, offset);
    }

    private static int namesAt(ByteBuffer in, int offset) {
        return offset + FIXED_BYTES + (hasHistory(in, offset) ? Short.BYTES : 0);
    }

    private static int namesEnd(ByteBuffer in, int offset) {
        return namesAt(in, offset) + u16(in, offset + QUEUE_BYTES_AT) + u16(in, offset + KEY_BYTES_AT);
    }

    private static int historyBytes(ByteBuffer in, int offset) {
        return hasHistory(in, offset) ? u16(in, offset + FIXED_BYTES) : 0;
    }

    private static int u16(ByteBuffer in, int at) {
        return Short.toUnsignedInt(in.getShort(at));
    }

    /**
     * How long the record without the attempt is that begins at {@code offset}, of which the first {@link #OLD_FIXED_BYTES} are there.
     *
     * @throws IllegalArgumentException when the timer has no state in which it can be remembered
     */
    public static int oldLength(ByteBuffer in, int offset) {
        if (hasHistory(in, offset)) {
            throw new IllegalArgumentException("unknown state " + Byte.toUnsignedInt(in.get(offset)));
        }
        state(in.get(offset));
        int lengthsAt = offset + OLD_FIXED_BYTES - 2 * Short.BYTES;
        return OLD_FIXED_BYTES + u16(in, lengthsAt) + u16(in, lengthsAt + Short.BYTES);
    }

    /**
     * Looks whether the record that begins at {@code offset}, all of which is there, has a history that can be read.
     *
     * @throws IllegalArgumentException when it has none
     */
    public static void checkHistory(ByteBuffer in, int offset) {
        if (hasHistory(in, offset)) {
            readHistory(in, offset);
        }
    }

    private static History readHistory(ByteBuffer in, int offset) {
        if (!hasHistory(in, offset)) {
            return History.NONE;
        }
        return History.read(in, namesEnd(in, offset), historyBytes(in, offset));
    }

    /** Copies a record of {@code length} bytes without the attempt, which counts as the due time. */
    public static void copyOld(ByteBuffer in, int from, int length, ByteBuffer out, int to) {
        out.put(to, in, from, ATTEMPT_AT)
                .putLong(to + ATTEMPT_AT, in.getLong(from + DUE_AT))
                .put(to + ATTEMPTS_AT, in, from + ATTEMPT_AT, length - ATTEMPT_AT);
    }

    /**
     * Reads the record that begins at {@code offset}, all of which is there.
     *
     * @throws IllegalArgumentException when it has no state, or no history where there must be one
     */
    public static FinishedRecord read(ByteBuffer in, int offset) {
        byte[] queue = new byte[u16(in, offset + QUEUE_BYTES_AT)];
        byte[] key = new byte[u16(in, offset + KEY_BYTES_AT)];
        int namesAt = namesAt(in, offset);
        in.get(namesAt, queue).get(namesAt + queue.length, key);
        return new FinishedRecord(
                state(in.get(offset)),
                in.getLong(offset + 1),
                in.getLong(offset + 9),
                in.getLong(offset + DUE_AT),
                in.getLong(offset + ATTEMPT_AT),
                in.getInt(offset + ATTEMPTS_AT),
                in.getLong(offset + HASH_AT),
                queue,
                key,
                readHistory(in, offset));
    }

    /** The id in the record that begins at {@code offset}. */
    public static long id(ByteBuffer in, int offset) {
        return in.getLong(offset + 1);
    }

    /** Whether the record that begins at {@code offset} is of that key. */
    public static boolean isOf(ByteBuffer in, int offset, byte[] queue, byte[] key) {
        int namesAt = namesAt(in, offset);
        return u16(in, offset + QUEUE_BYTES_AT) == queue.length
                && u16(in, offset + KEY_BYTES_AT) == key.length
                && TimerRecord.equal(in, namesAt, queue)
                && TimerRecord.equal(in, namesAt + queue.length, key);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FinishedRecord that && Arrays.equals(bytes(), that.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes());
    }

    private byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(length());
        write(bytes, 0);
        return bytes.array();
    }
}
