package io.tickwheel.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * An attempt that has ended, as it is remembered with its timer. Immutable and thread-safe.
 *
 * <pre>
 *   number u16 | started i64 ms | late u40 ms | duration u32 ms | status u16 | reason: the rest, UTF-8         big endian
 *   0 u16 | excerpt: the rest, UTF-8, at least a byte
 * </pre>
 *
 * The second piece stands right behind the first, and only when there is an excerpt: so an attempt without one is written as it was before there were any,
 * and who knows of none takes the number 0 for damage. Each piece has its length in one byte before it, by whoever keeps it.
 *
 * @param number which attempt of the timer it was, from 1
 * @param startedAtMs when it started, in milliseconds since the epoch
 * @param lateMs how long it had been due by then, in milliseconds: 0 to {@value #MOST_LATE_MS}, which also stands for more
 * @param durationMs how long it ran, in milliseconds: 0 to {@value #MOST_DURATION_MS}, which also stands for more
 * @param status what the receiver answered, as an HTTP status: 0 to 65,535, 0 when it answered none
 * @param reason why it did not succeed, in at most {@value #MOST_REASON_BYTES} bytes of UTF-8; empty when it did
 * @param excerpt how the receiver's answer begins, in at most {@value #MOST_EXCERPT_BYTES} bytes of UTF-8, with whatever control characters it has;
 *     empty when it is not kept, or there was none
 */
public record PastAttempt(
        int number, long startedAtMs, long lateMs, long durationMs, int status, String reason, String excerpt) {

    /** So many attempts of a timer are remembered, the last ones. */
    public static final int REMEMBERED = 8;

    /** The longest delay that can be told: about 34 years. */
    public static final long MOST_LATE_MS = (1L << 40) - 1;

    /** The longest duration that can be told: about 49 days. */
    public static final long MOST_DURATION_MS = (1L << 32) - 1;

    public static final int MOST_REASON_BYTES = 200;

    public static final int MOST_EXCERPT_BYTES = 200;

    /** The most bytes of an attempt, without its excerpt. */
    public static final int MOST_BYTES = 21 + MOST_REASON_BYTES;

    private static final int FIXED_BYTES = 21;
    private static final int EXCERPT_AT = 2;
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
        checkText("bytes of the reason", reason, MOST_REASON_BYTES);
        checkText("bytes of the excerpt", excerpt, MOST_EXCERPT_BYTES);
    }

    /** An attempt of whose answer nothing is kept. */
    public PastAttempt(int number, long startedAtMs, long lateMs, long durationMs, int status, String reason) {
        this(number, startedAtMs, lateMs, durationMs, status, reason, "");
    }

    /** A short text has room, whatever its characters are; most attempts have none at all. */
    private static void checkText(String name, String text, int most) {
        if (text.length() > most / MOST_BYTES_OF_A_CHARACTER) {
            check(name, text.getBytes(StandardCharsets.UTF_8).length, 0, most);
        }
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

    /** The attempt without its excerpt. */
    public byte[] encode() {
        byte[] text = reason.isEmpty() ? NO_TEXT : reason.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FIXED_BYTES + text.length)
                .putShort((short) number)
                .putLong(startedAtMs)
                .put((byte) (lateMs >>> Integer.SIZE))
                .putInt((int) lateMs)
                .putInt((int) durationMs)
                .putShort((short) status)
                .put(text)
                .array();
    }

    /** The attempt, and the excerpt when there is one: before each of them these bytes, and its length in one byte. */
    public byte[] encodePieces(byte... before) {
        byte[] attempt = encode();
        if (excerpt.isEmpty()) {
            return put(ByteBuffer.allocate(before.length + 1 + attempt.length), before, attempt)
                    .array();
        }
        byte[] text = excerpt.getBytes(StandardCharsets.UTF_8);
        byte[] answer = ByteBuffer.allocate(EXCERPT_AT + text.length)
                .put(EXCERPT_AT, text)
                .array();
        ByteBuffer out = ByteBuffer.allocate(2 * (before.length + 1) + attempt.length + answer.length);
        return put(put(out, before, attempt), before, answer).array();
    }

    private static ByteBuffer put(ByteBuffer out, byte[] before, byte[] piece) {
        return out.put(before).put((byte) piece.length).put(piece);
    }

    /** Whether the piece at {@code at}, of {@code length} bytes, is not an attempt but the excerpt of the one before it. */
    public static boolean isExcerpt(ByteBuffer in, int at, int length) {
        return length >= EXCERPT_AT && in.getShort(at) == 0;
    }

    /**
     * Reads what {@link #encode} wrote: an attempt without an excerpt.
     *
     * @throws IllegalArgumentException when the bytes are no attempt; those of an excerpt are none
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

    /**
     * Reads what {@link #encodePieces} wrote, of any number of attempts one behind the other: the pieces without what stands before each.
     *
     * @throws IllegalArgumentException when one of them is neither an attempt nor an excerpt right behind one
     */
    public static List<PastAttempt> decodePieces(List<byte[]> pieces) {
        List<PastAttempt> attempts = new ArrayList<>(pieces.size());
        for (byte[] piece : pieces) {
            if (isExcerpt(ByteBuffer.wrap(piece), 0, piece.length)) {
                int last = attempts.size() - 1;
                if (last < 0) {
                    throw new IllegalArgumentException("an excerpt of an answer stands behind no attempt");
                }
                attempts.set(last, attempts.get(last).with(piece));
            } else {
                attempts.add(decode(piece));
            }
        }
        return attempts;
    }

    private PastAttempt with(byte[] piece) {
        String text = new String(piece, EXCERPT_AT, piece.length - EXCERPT_AT, StandardCharsets.UTF_8);
        if (text.isEmpty() || !excerpt.isEmpty()) {
            throw new IllegalArgumentException(
                    text.isEmpty() ? "an excerpt of an answer is empty" : "an attempt has two excerpts of its answer");
        }
        return new PastAttempt(number, startedAtMs, lateMs, durationMs, status, reason, text);
    }
}
