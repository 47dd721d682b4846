package io.tickwheel.store.file.record;

import io.tickwheel.store.PastAttempt;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that are remembered with a timer, in the order of time. They are kept as bytes, which go from record to record, and are
 * decoded only when somebody is shown them. Immutable.
 *
 * <pre>
 *   bytes u8 | a {@link PastAttempt}, for each
 * </pre>
 */
public final class History {

    /** No attempt is remembered. */
    public static final History NONE = new History(new byte[0], 0);

    private static final int LEAST_BYTES = PastAttempt.MOST_BYTES - PastAttempt.MOST_REASON_BYTES;

    private final byte[] bytes;
    private final int size;

    private History(byte[] bytes, int size) {
        this.bytes = bytes;
        this.size = size;
    }

    /** Of one attempt, or of none when that is null. */
    public static History of(@Nullable PastAttempt attempt) {
        return attempt == null ? NONE : one(attempt.encode(1));
    }

    /** Of the attempt that stands behind the first byte. */
    private static History one(byte[] bytes) {
        bytes[0] = (byte) (bytes.length - 1);
        return new History(bytes, 1);
    }

    /**
     * Reads one attempt, or none when there are no bytes.
     *
     * @throws IllegalArgumentException when the bytes are no attempt
     */
    static History readOne(ByteBuffer in, int at, int length) {
        if (length == 0) {
            return NONE;
        }
        check(in, at, length);
        byte[] bytes = new byte[1 + length];
        in.get(at, bytes, 1, length);
        return one(bytes);
    }

    /**
     * Reads all attempts of the {@code length} bytes at {@code at}.
     *
     * @throws IllegalArgumentException when the bytes are no history
     */
    public static History read(ByteBuffer in, int at, int length) {
        int size = 0;
        for (int passed = 0; passed < length; size++) {
            int attempt = Byte.toUnsignedInt(in.get(at + passed));
            passed += 1 + attempt;
            if (passed > length) {
                throw new IllegalArgumentException(
                        "an attempt up to byte " + passed + " of a history of " + length + " bytes");
            }
            check(in, at + passed - attempt, attempt);
        }
        checkSize(size);
        byte[] bytes = new byte[length];
        in.get(at, bytes);
        return new History(bytes, size);
    }

    static void checkSize(int size) {
        if (size > PastAttempt.REMEMBERED) {
            throw new IllegalArgumentException(
                    "a history has " + size + " attempts, must have at most " + PastAttempt.REMEMBERED);
        }
    }

    /** Whatever passes here can be decoded. */
    private static void check(ByteBuffer in, int at, int length) {
        if (length < LEAST_BYTES || length > PastAttempt.MOST_BYTES) {
            throw new IllegalArgumentException(
                    "an attempt has " + length + " bytes, must have " + LEAST_BYTES + " to " + PastAttempt.MOST_BYTES);
        }
        boolean isPlain = in.getShort(at) != 0;
        for (int i = LEAST_BYTES; i < length && isPlain; i++) {
            isPlain = in.get(at + i) >= 0;
        }
        if (!isPlain) {
            byte[] attempt = new byte[length];
            in.get(at, attempt);
            PastAttempt.decode(attempt);
        }
    }

    /** This one and what came after it, as far as it is remembered. */
    public History and(History later) {
        if (later.size == 0) {
            return this;
        }
        if (size == 0) {
            return later;
        }
        int from = 0;
        int left = size;
        for (; left > 0 && left + later.size > PastAttempt.REMEMBERED; left--) {
            from += 1 + Byte.toUnsignedInt(bytes[from]);
        }
        byte[] both = Arrays.copyOfRange(bytes, from, bytes.length + later.bytes.length);
        System.arraycopy(later.bytes, 0, both, bytes.length - from, later.bytes.length);
        return new History(both, left + later.size);
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** How many attempts there are. */
    int size() {
        return size;
    }

    /** How many bytes it has. */
    public int length() {
        return bytes.length;
    }

    /** Writes all bytes at {@code at}. */
    public void write(ByteBuffer out, int at) {
        out.put(at, bytes);
    }

    /** Writes the bytes at the position of {@code out}, with a tag before each attempt. */
    void writeTagged(ByteBuffer out, byte tag) {
        for (int at = 0; at < bytes.length; ) {
            int length = 1 + Byte.toUnsignedInt(bytes[at]);
            out.put(tag).put(bytes, at, length);
            at += length;
        }
    }

    /** Writes the only attempt at the position of {@code out}, without its length; nothing when there is none. */
    void writeOne(ByteBuffer out) {
        assert size <= 1 : size;
        if (size == 1) {
            out.put(bytes, 1, bytes.length - 1);
        }
    }

    /** The attempts, the first one first. */
    public List<PastAttempt> attempts() {
        if (size == 0) {
            return List.of();
        }
        List<PastAttempt> attempts = new ArrayList<>(size);
        for (int at = 0; at < bytes.length; ) {
            int end = at + 1 + Byte.toUnsignedInt(bytes[at]);
            attempts.add(PastAttempt.decode(Arrays.copyOfRange(bytes, at + 1, end)));
            at = end;
        }
        return attempts;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof History that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return attempts().toString();
    }
}
