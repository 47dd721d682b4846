package io.tickwheel.server.access;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a token: not the token. Immutable.
 *
 * @param caller who has it, and what he may do
 * @param hash the SHA-256 of the whole token, in hexadecimal digits
 * @param createdAtMs when it was made
 * @param expiresAtMs from when on it is worth nothing; null for never
 */
public record Token(
        Caller caller,
        String hash,
        long createdAtMs,
        @Nullable Long expiresAtMs) {

    private static final Pattern ID = Pattern.compile("[0-9a-f]{" + TokenSecret.ID_CHARS + "}");
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException with the rule, when a part breaks it; never with the hash, or what stands where the id should
     */
    public Token {
        if (!ID.matcher(caller.id()).matches()) {
            throw new IllegalArgumentException(
                    "the id must have " + TokenSecret.ID_CHARS + " hexadecimal digits, in small letters");
        }
        checkName(caller.name());
        String prefix = caller.queuePrefix();
        if (prefix != null) {
            checkPrefix(prefix);
        }
        if (!HASH.matcher(hash).matches()) {
            throw new IllegalArgumentException("the hash must have 64 hexadecimal digits, in small letters");
        }
        if (caller.scopes().isEmpty()) {
            throw new IllegalArgumentException("scopes has no elements, must have at least one of " + Scope.words());
        }
    }

    /**
     * Checks what a token is called.
     *
     * @throws IllegalArgumentException with the value and the rule
     */
    public static void checkName(String name) {
        check(NAME, name, "name", "must have 1 to 64 letters, digits, '-', '_' and '.'");
    }

    /**
     * Checks what queues begin with.
     *
     * @throws IllegalArgumentException with the value and the rule
     */
    public static void checkPrefix(String prefix) {
        check(PREFIX, prefix, "queuePrefix", "must have 1 to 128 letters, digits, '-', '_' and '.'");
    }

    private static void check(Pattern rule, String value, String what, String words) {
        if (!rule.matcher(value).matches()) {
            throw new IllegalArgumentException(what + " is " + value + ", " + words);
        }
    }

    /**
     * The token that settings name, which may do everything.
     *
     * @param text its id, a colon and its hash
     * @throws IllegalArgumentException with the rule, when the text is no such thing
     */
    public static Token configured(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("must be the id of a token, a colon and its SHA-256");
        }
        Caller admin = new Caller(text.substring(0, colon), "configured", Set.of(Scope.ADMIN), null);
        return new Token(admin, text.substring(colon + 1), 0, null);
    }

    /** As {@link #configured} reads it. */
    public String setting() {
        return caller.id() + ":" + hash;
    }

    public String id() {
        return caller.id();
    }

    /** Whether the digest is that of this token; takes as long whichever of its bytes is another one. */
    boolean hasHash(byte[] digest) {
        return MessageDigest.isEqual(HexFormat.of().parseHex(hash), digest);
    }

    boolean isExpired(long nowMs) {
        return expiresAtMs != null && nowMs >= expiresAtMs;
    }

    /** The scopes by their words, in their order. */
    public List<String> scopeWords() {
        return caller.scopes().stream().sorted().map(Scope::word).toList();
    }

    @Override
    public String toString() {
        return "token " + caller.id() + " (" + caller.name() + ")";
    }
}
