package io.tickwheel.engine;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * With what the messages of a queue are signed, as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> has it: one secret, or two while receivers
 * change from one to the other, as each message is signed with both then. What they are is shown by {@link #reveal} alone, and by no error and no text. Immutable.
 *
 * <pre>
 *   secret      whsec_ and the base64 of a key of {@value #LEAST_BYTES} to {@value #MOST_BYTES} bytes
 *   signature   v1, and the base64 of the HMAC-SHA256, under the key, of  id.timestamp.body
 * </pre>
 */
public final class SigningSecrets {

    /** The most secrets at once. */
    public static final int MOST = 2;

    public static final int LEAST_BYTES = 24;
    public static final int MOST_BYTES = 64;

    private static final String PREFIX = "whsec_";

    /** Without it, a decoder takes texts of which another one makes other bytes, or none. */
    private static final Pattern BASE64 =
            Pattern.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?");

    private static final String ALGORITHM = "HmacSHA256";

    private final List<String> texts;
    private final List<SecretKeySpec> keys;
    private final @Nullable Instant since;

    private SigningSecrets(List<String> texts, List<SecretKeySpec> keys, @Nullable Instant since) {
        this.texts = texts;
        this.keys = keys;
        this.since = since;
    }

    /**
     * Secrets that are set from the moment on at which the change is taken.
     *
     * @throws IllegalArgumentException when there are none or too many, or one is no secret; without what it is
     */
    public static SigningSecrets of(List<String> secrets) {
        if (secrets.isEmpty() || secrets.size() > MOST) {
            throw new IllegalArgumentException("secrets has " + secrets.size() + " entries, must have 1 to " + MOST);
        }
        List<String> texts = List.copyOf(secrets);
        List<SecretKeySpec> keys =
                texts.stream().map(text -> key(texts.indexOf(text), text)).toList();
        if (texts.stream().distinct().count() < texts.size()) {
            throw new IllegalArgumentException("secrets has the same one twice, must have each once");
        }
        return new SigningSecrets(texts, keys, null);
    }

    private static SecretKeySpec key(int index, String text) {
        String name = "secrets[" + index + "]";
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException(name + " must begin with " + PREFIX);
        }
        String encoded = text.substring(PREFIX.length());
        if (!BASE64.matcher(encoded).matches()) {
            throw new IllegalArgumentException(name + " must be " + PREFIX + " and base64, with its padding");
        }
        byte[] key = Base64.getDecoder().decode(encoded);
        if (key.length < LEAST_BYTES || key.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    name + " is a key of " + key.length + " bytes, must have " + LEAST_BYTES + " to " + MOST_BYTES);
        }
        return new SecretKeySpec(key, ALGORITHM);
    }

    /** How many there are. */
    public int count() {
        return keys.size();
    }

    /** Since when these are set; null in a change, for the moment at which that is taken. */
    public @Nullable Instant since() {
        return since;
    }

    /** The same, set since a moment. */
    public SigningSecrets since(Instant moment) {
        return new SigningSecrets(texts, keys, moment);
    }

    /** The secrets themselves, for those who keep them as safe as the store is kept. */
    public List<String> reveal() {
        return texts;
    }

    /**
     * What a message carries as its {@code webhook-signature}: a signature for each secret, with blanks between.
     *
     * @param id what it carries as {@code webhook-id}
     * @param epochSecond what it carries as {@code webhook-timestamp}
     */
    public String sign(String id, long epochSecond, byte[] body) {
        byte[] before = (id + '.' + epochSecond + '.').getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> "v1," + signature(key, before, body)).collect(Collectors.joining(" "));
    }

    private static String signature(SecretKeySpec key, byte[] before, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(before);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM + " for any key", e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SigningSecrets secrets
                && texts.equals(secrets.texts)
                && Objects.equals(since, secrets.since);
    }

    @Override
    public int hashCode() {
        return Objects.hash(texts, since);
    }

    /** How many, and since when. */
    @Override
    public String toString() {
        return keys.size() + " since " + since;
    }
}
