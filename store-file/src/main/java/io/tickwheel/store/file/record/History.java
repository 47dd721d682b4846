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
 *   bytes u8 | a {@link PastAttempt} [ bytes u8 | its excerpt ], for each
 * </pre>
 *
 * Where there is no room for lengths but for one attempt, that is the attempt alone, or, when it has an excerpt, {@code 0 u16} and the same as above.
 */
public final class History {

    /** No attempt is remembered. */
    public static final History NONE = new History(new byte[0], 0, 0);

    private static final int LEAST_BYTES = PastAttempt.MOST_BYTES - PastAttempt.MOST_REASON_BYTES;

    /** The bytes of an excerpt before its text. */
    private static final int EXCERPT_AT = Short.BYTES;

    /** An attempt, for an excerpt to stand behind. */
    private static final byte[] ANY = new PastAttempt(1, 0, 0, 0, 0, "").encode();

    private final byte[] bytes;

    /** How many attempts there are. */
    private final int size;

    /** How many attempts and excerpts there are. */
    private final int pieces;

    private History(byte[] bytes, int size, int pieces) {
        this.bytes = bytes;
        this.size = size;
        this.pieces = pieces;
    }

    /** Of one attempt, or of none when that is null. */
    public static History of(@Nullable PastAttempt attempt) {
        if (attempt == null) {
            return NONE;
        }
        return new History(attempt.encodePieces(), 1, attempt.excerpt().isEmpty() ? 1 : 2);
    }

    /**
     * Reads what {@link #writeOne} wrote.
     *
     * @throws IllegalArgumentException when the bytes are no attempt
     */
    static History readOne(ByteBuffer in, int at, int length) {
        if (length == 0) {
            return NONE;
        }
        if (!PastAttempt.isExcerpt(in, at, length)) {
            return NONE.and(in, at, length);
        }
        History one = read(in, at + EXCERPT_AT, length - EXCERPT_AT);
        if (one.size != 1 || one.pieces != 2) {
            throw new IllegalArgumentException(
                    "a history has " + one.size + " attempts and " + one.pieces + " pieces, must have 1 and 2");
        }
        return one;
    }

    /**
     * Reads all attempts of the {@code length} bytes at {@code at}.
     *
     * @throws IllegalArgumentException when the bytes are no history
     */
    public static History read(ByteBuffer in, int at, int length) {
        int size = 0;
        int pieces = 0;
        boolean hasExcerpt = true;
        for (int passed = 0; passed < length; pieces++) {
            int piece = Byte.toUnsignedInt(in.get(at + passed));
            passed += 1 + piece;
            if (passed > length) {
                throw new IllegalArgumentException(
                        "an attempt up to byte " + passed + " of a history of " + length + " bytes");
            }
            hasExcerpt = check(in, at + passed - piece, piece, hasExcerpt);
            size += hasExcerpt ? 0 : 1;
        }
        checkSize(size);
        byte[] bytes = new byte[length];
        in.get(at, bytes);
        return new History(bytes, size, pieces);
    }

    /**
     * This one and a piece more: an attempt, or the excerpt of the last one.
     *
     * @throws IllegalArgumentException when the bytes are neither
     */
    History and(ByteBuffer in, int at, int length) {
        boolean isExcerpt = check(in, at, length, size == 0 || hasExcerpt(lastAttempt()));
        checkSize(isExcerpt ? size : size + 1);
        byte[] both = Arrays.copyOf(bytes, bytes.length + 1 + length);
        both[bytes.length] = (byte) length;
        in.get(at, both, bytes.length + 1, length);
        return new History(both, isExcerpt ? size : size + 1, pieces + 1);
    }

    private static void checkSize(int size) {
        if (size > PastAttempt.REMEMBERED) {
            throw new IllegalArgumentException(
                    "a history has " + size + " attempts, must have at most " + PastAttempt.REMEMBERED);
        }
    }

    /**
     * Whatever passes here can be decoded.
     *
     * @param hasExcerpt whether no excerpt may come next, as there is one already, or no attempt that it could be of
     * @return whether it is an excerpt
     */
    private static boolean check(ByteBuffer in, int at, int length, boolean hasExcerpt) {
        boolean isExcerpt = PastAttempt.isExcerpt(in, at, length) && !hasExcerpt;
        int least = isExcerpt ? EXCERPT_AT + 1 : LEAST_BYTES;
        int most = isExcerpt ? EXCERPT_AT + PastAttempt.MOST_EXCERPT_BYTES : PastAttempt.MOST_BYTES;
        if (length < least || length > most) {
            throw new IllegalArgumentException((isExcerpt ? "an excerpt" : "an attempt") + " has " + length
                    + " bytes, must have " + least + " to " + most);
        }
        boolean isPlain = isExcerpt || in.getShort(at) != 0;
        for (int i = isExcerpt ? EXCERPT_AT : LEAST_BYTES; i < length && isPlain; i++) {
            isPlain = in.get(at + i) >= 0;
        }
        if (!isPlain) {
            byte[] piece = new byte[length];
            in.get(at, piece);
            if (isExcerpt) {
                PastAttempt.decodePieces(List.of(ANY, piece));
            } else {
                PastAttempt.decode(piece);
            }
        }
        return isExcerpt;
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
        int leftPieces = pieces;
        for (; left > 0 && left + later.size > PastAttempt.REMEMBERED; left--) {
            leftPieces -= hasExcerpt(from) ? 2 : 1;
            from = next(from);
        }
        byte[] both = Arrays.copyOfRange(bytes, from, bytes.length + later.bytes.length);
        System.arraycopy(later.bytes, 0, both, bytes.length - from, later.bytes.length);
        return new History(both, left + later.size, leftPieces + later.pieces);
    }

    /** Where the piece behind the one at {@code at} begins. */
    private int nextPiece(int at) {
        return at + 1 + Byte.toUnsignedInt(bytes[at]);
    }

    /** Where the attempt behind the one at {@code at} begins. */
    private int next(int at) {
        int next = nextPiece(at);
        return hasExcerpt(at) ? nextPiece(next) : next;
    }

    private boolean hasExcerpt(int at) {
        int next = nextPiece(at);
        return next < bytes.length && PastAttempt.isExcerpt(ByteBuffer.wrap(bytes), next + 1, bytes.length - next - 1);
    }

    private int lastAttempt() {
        int last = 0;
        for (int at = 0; at < bytes.length; at = next(at)) {
            last = at;
        }
        return last;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** How many bytes it has. */
    public int length() {
        return bytes.length;
    }

    /** Writes all bytes at {@code at}. */
    public void write(ByteBuffer out, int at) {
        out.put(at, bytes);
    }

    /** How many bytes {@link #writeTagged} writes. */
    int taggedLength() {
        return pieces + bytes.length;
    }

    /** Writes the bytes at the position of {@code out}, with a tag before each attempt and each excerpt. */
    void writeTagged(ByteBuffer out, byte tag) {
        for (int at = 0; at < bytes.length; at = nextPiece(at)) {
            out.put(tag).put(bytes, at, nextPiece(at) - at);
        }
    }

    /** How many bytes {@link #writeOne} writes. */
    int oneLength() {
        assert size <= 1 : size;
        return pieces == 2 ? EXCERPT_AT + bytes.length : Math.max(0, bytes.length - 1);
    }

    /** Writes the only attempt at the position of {@code out}, without a length when it has no excerpt; nothing when there is none. */
    void writeOne(ByteBuffer out) {
        assert size <= 1 : size;
        if (pieces == 2) {
            out.putShort((short) 0).put(bytes);
        } else if (pieces == 1) {
            out.put(bytes, 1, bytes.length - 1);
        }
    }

    /** The attempts, the first one first. */
    public List<PastAttempt> attempts() {
        if (size == 0) {
            return List.of();
        }
        List<byte[]> all = new ArrayList<>(pieces);
        for (int at = 0; at < bytes.length; at = nextPiece(at)) {
            all.add(Arrays.copyOfRange(bytes, at + 1, nextPiece(at)));
        }
        return PastAttempt.decodePieces(all);
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
