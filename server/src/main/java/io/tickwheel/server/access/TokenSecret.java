package io.tickwheel.server.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The token itself, which is shown once and kept nowhere.
 *
 * <pre>
 *   tw_ 8f1d0c2b6a597e43 _ 3q2-7wAAAAB…
 *       id, 64 bits        256 random bits, Base64 of the alphabet for URLs
 * </pre>
 */
public final class TokenSecret {

    static final int ID_CHARS = 16;

    private static final String START = "tw_";
    private static final int LONGS = 4;
    private static final int SECRET_AT = START.length() + ID_CHARS + 1;
    private static final int CHARS = SECRET_AT + 43;

    private final String id;
    private final String text;

    private TokenSecret(String id, String text) {
        this.id = id;
        this.text = text;
    }

    /**
     * A token that nobody has had.
     *
     * @param random 64 secure random bits at each call
     */
    public static TokenSecret create(LongSupplier random) {
        String id = HexFormat.of().toHexDigits(random.getAsLong());
        ByteBuffer bits = ByteBuffer.allocate(LONGS * Long.BYTES);
        for (int i = 0; i < LONGS; i++) {
            bits.putLong(random.getAsLong());
        }
        return new TokenSecret(
                id, START + id + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bits.array()));
    }

    /** The public part of a text that may be a token; null for one that is none. */
    static @Nullable String idOf(String text) {
        boolean mayBe = text.length() == CHARS && text.startsWith(START) && text.charAt(SECRET_AT - 1) == '_';
        return mayBe ? text.substring(START.length(), SECRET_AT - 1) : null;
    }

    static byte[] hash(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public String id() {
        return id;
    }

    /** The SHA-256 of the token, in hexadecimal digits. */
    public String hash() {
        return HexFormat.of().formatHex(hash(text));
    }

    /** The token. For who is given it, and nobody else. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return START + id + "_...";
    }
}
