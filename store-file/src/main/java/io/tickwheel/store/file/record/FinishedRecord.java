package io.tickwheel.store.file.record;

import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What is remembered of a timer that was completed, cancelled or is expired, as it stands in the {@code Progress}.
 *
 * <pre>
 *   0 state u8 | 1 id u64 | 9 version u64 | 17 due i64 | 25 attempt i64 | 33 attempts u32
 *   37 request hash u64 | 45 queue bytes u16 | 47 key bytes u16 | 49 queue, key: UTF-8             little endian
 * </pre>
 *
 * In a progress of format 2 the attempt is missing, and all behind it stands 8 bytes further to the front.
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
        byte[] key) {

    public static final int FIXED_BYTES = 49;

    /** As long as the fixed part is without the attempt. */
    public static final int OLD_FIXED_BYTES = FIXED_BYTES - Long.BYTES;

    private static final int DUE_AT = 17;
    private static final int ATTEMPT_AT = 25;
    private static final int ATTEMPTS_AT = 33;
    private static final int HASH_AT = 37;
    private static final int QUEUE_BYTES_AT = 45;
    private static final int KEY_BYTES_AT = 47;

    public static FinishedRecord of(TimerRecord timer, TimerState state, int attempts) {
        return new FinishedRecord(
                state,
                timer.id(),
                timer.version(),
                timer.dueAtMs(),
                timer.attemptAtMs(),
                attempts,
                timer.requestHash(),
                timer.queue(),
                timer.key());
    }

    /** The same timer with another end. */
    public FinishedRecord with(TimerState otherState, int otherAttempts) {
        return new FinishedRecord(
                otherState, id, version, dueAtMs, attemptAtMs, otherAttempts, requestHash, queue, key);
    }

    public int length() {
        return FIXED_BYTES + queue.length + key.length;
    }

    /** Writes it at {@code offset}. */
    public void write(ByteBuffer out, int offset) {
        out.put(offset, EndRecord.number(state))
                .putLong(offset + 1, id)
                .putLong(offset + 9, version)
                .putLong(offset + DUE_AT, dueAtMs)
                .putLong(offset + ATTEMPT_AT, attemptAtMs)
                .putInt(offset + ATTEMPTS_AT, attempts)
                .putLong(offset + HASH_AT, requestHash)
                .putShort(offset + QUEUE_BYTES_AT, (short) queue.length)
                .putShort(offset + KEY_BYTES_AT, (short) key.length)
                .put(offset + FIXED_BYTES, queue)
                .put(offset + FIXED_BYTES + queue.length, key);
    }

    /**
     * How long the record is that begins at {@code offset}, of which the first {@code fixedBytes} are there: {@link #FIXED_BYTES},
     * or {@link #OLD_FIXED_BYTES} of a record without the attempt.
     */
    public static int length(ByteBuffer in, int offset, int fixedBytes) {
        int lengthsAt = offset + fixedBytes - 2 * Short.BYTES;
        return fixedBytes
                + Short.toUnsignedInt(in.getShort(lengthsAt))
                + Short.toUnsignedInt(in.getShort(lengthsAt + Short.BYTES));
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
     * @throws IllegalArgumentException when it has no state
     */
    public static FinishedRecord read(ByteBuffer in, int offset) {
        byte[] queue = new byte[Short.toUnsignedInt(in.getShort(offset + QUEUE_BYTES_AT))];
        byte[] key = new byte[Short.toUnsignedInt(in.getShort(offset + KEY_BYTES_AT))];
        in.get(offset + FIXED_BYTES, queue).get(offset + FIXED_BYTES + queue.length, key);
        return new FinishedRecord(
                EndRecord.state(in.get(offset)),
                in.getLong(offset + 1),
                in.getLong(offset + 9),
                in.getLong(offset + DUE_AT),
                in.getLong(offset + ATTEMPT_AT),
                in.getInt(offset + ATTEMPTS_AT),
                in.getLong(offset + HASH_AT),
                queue,
                key);
    }

    /** Whether the record that begins at {@code offset} is of that key. */
    public static boolean isOf(ByteBuffer in, int offset, byte[] queue, byte[] key) {
        return Short.toUnsignedInt(in.getShort(offset + QUEUE_BYTES_AT)) == queue.length
                && Short.toUnsignedInt(in.getShort(offset + KEY_BYTES_AT)) == key.length
                && TimerRecord.equal(in, offset + FIXED_BYTES, queue)
                && TimerRecord.equal(in, offset + FIXED_BYTES + queue.length, key);
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
