package io.tickwheel.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * An attempt that has ended, as it is remembered with its timer. Immutable and thread-safe.
 *
 * <pre>
 *   number u16 | started i64 ms | late u40 ms | duration u32 ms | status u16 | reason: the rest, UTF-8         big endian
 * </pre>
 *
 * @param number which attempt of the timer it was, from 1
 * @param startedAtMs when it started, in milliseconds since the epoch
 * @param lateMs how long it had been due by then, in milliseconds: 0 to {@value #MOST_LATE_MS}, which also stands for more
 * @param durationMs how long it ran, in milliseconds: 0 to {@value #MOST_DURATION_MS}, which also stands for more
 * @param status what the receiver answered, as an HTTP status: 0 to 65,535, 0 when it answered none
 * @param reason why it did not succeed, in at most {@value #MOST_REASON_BYTES} bytes of UTF-8; empty when it did
 */
public record PastAttempt(int number, long startedAtMs, long lateMs, long durationMs, int status, String reason) {

    /** So many attempts of a timer are remembered, the last ones. */
    public static final int REMEMBERED = 8;

    /** The longest delay that can be told: about 34 years. */
    public static final long MOST_LATE_MS = (1L << 40) - 1;

    /** The longest duration that can be told: about 49 days. */
    public static final long MOST_DURATION_MS = (1L << 32) - 1;

    public static final int MOST_REASON_BYTES = 200;

    /** The most bytes of an attempt. */
    public static final int MOST_BYTES = 21 + MOST_REASON_BYTES;

    private static final int FIXED_BYTES = 21;
    private static final int MOST_U16 = 0xffff;
    private static final int MOST_BYTES_OF_A_CHARACTER = 3;
    private static final byte[] NO_TEXT = {};

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public PastAttempt {
        check("number", number, 1, MOST_U16);
        check("lateMs", lateMs, 0, MOST_LATE_MS);
        check("durationMs", durationMs, 0, MOST_DURATION_MS);
        check("status", status, 0, MOST_U16);
        if (!isShort(reason)) {
            check("bytes of the reason", reason.getBytes(StandardCharsets.UTF_8).length, 0, MOST_REASON_BYTES);
        }
    }

    /** Whether a reason has room, whatever its characters are; most attempts have none at all. */
    private static boolean isShort(String reason) {
        return reason.length() <= MOST_REASON_BYTES / MOST_BYTES_OF_A_CHARACTER;
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + least + " to " + most);
        }
    }

    /** When it started. */
    public Instant startedAt() {
        return Instant.ofEpochMilli(startedAtMs);
    }

    /** When it had ended; of one that was longer than can be told, at the earliest. */
    public Instant endedAt() {
        return startedAt().plusMillis(durationMs);
    }

    /** Whether the receiver had it. */
    public boolean hasSucceeded() {
        return reason.isEmpty();
    }

    public byte[] encode() {
        return encode(0);
    }

    /** The bytes with so many others before them, for the caller to fill. */
    public byte[] encode(int before) {
        byte[] text = reason.isEmpty() ? NO_TEXT : reason.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(before + FIXED_BYTES + text.length)
                .position(before)
                .putShort((short) number)
                .putLong(startedAtMs)
                .put((byte) (lateMs >>> Integer.SIZE))
                .putInt((int) lateMs)
                .putInt((int) durationMs)
                .putShort((short) status)
                .put(text)
                .array();
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException when the bytes are no attempt
     */
    public static PastAttempt decode(byte[] bytes) {
        if (bytes.length < FIXED_BYTES || bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "an attempt has " + bytes.length + " bytes, must have " + FIXED_BYTES + " to " + MOST_BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new PastAttempt(
                Short.toUnsignedInt(in.getShort()),
                in.getLong(),
                (Byte.toUnsignedLong(in.get()) << Integer.SIZE) | Integer.toUnsignedLong(in.getInt()),
                Integer.toUnsignedLong(in.getInt()),
                Short.toUnsignedInt(in.getShort()),
                new String(bytes, FIXED_BYTES, bytes.length - FIXED_BYTES, StandardCharsets.UTF_8));
    }
}
