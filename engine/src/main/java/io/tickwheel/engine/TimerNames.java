package io.tickwheel.engine;

import io.tickwheel.engine.InvalidNameException.Part;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.TimerKey;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** The rules for the names of queues and keys. */
public final class TimerNames {

    /** The longest queue name, in characters. */
    static final int MAX_QUEUE_CHARS = 128;

    /** The longest key, in bytes of UTF-8. */
    static final int MAX_KEY_BYTES = 512;

    private TimerNames() {}

    /**
     * Checks the names of a timer that may be there: one that a caller has made, or a run of one.
     *
     * @throws InvalidNameException when one breaks its rule
     */
    public static TimerKey check(String queue, String key) {
        Objects.requireNonNull(key, "key");
        checkQueue(queue);
        checkKey(RunKeys.isRun(key) ? RunKeys.planOf(key) : key);
        return new TimerKey(queue, key);
    }

    /**
     * Checks the names of a timer that is to be made. The queues "." and ".." take none, because HTTP clients drop these segments
     * from paths and so reach another queue, or none. Earlier versions took them: what they left is delivered, found and
     * cancelled as before.
     */
    static TimerKey checkNew(String queue, String key) {
        checkNewQueue(queue);
        Objects.requireNonNull(key, "key");
        checkKey(key);
        return new TimerKey(queue, key);
    }

    /** Checks the name of a queue of which something is to be set, as {@link #checkNew} does for timers. */
    static void checkNewQueue(String queue) {
        Objects.requireNonNull(queue, "queue");
        if (queue.equals(".") || queue.equals("..")) {
            throw new InvalidNameException(Part.QUEUE, "is a dot segment, which paths lose, must not be . or ..");
        }
        checkQueue(queue);
    }

    static void checkQueue(String queue) {
        Objects.requireNonNull(queue, "queue");
        int length = queue.length();
        if (length == 0 || length > MAX_QUEUE_CHARS) {
            throw new InvalidNameException(
                    Part.QUEUE, "has " + length + " characters, must have 1 to " + MAX_QUEUE_CHARS);
        }
        for (int i = 0; i < length; i++) {
            char c = queue.charAt(i);
            boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            boolean allowed = letterOrDigit || c == '-' || c == '_' || c == '.';
            if (!allowed) {
                throw new InvalidNameException(
                        Part.QUEUE,
                        "has the character U+" + hex(c) + " at " + i
                                + ", must be of letters, digits, '-', '_' and '.'");
            }
        }
    }

    static void checkKey(String key) {
        if (key.isEmpty()) {
            throw new InvalidNameException(Part.KEY, "is empty, must have 1 to " + MAX_KEY_BYTES + " bytes");
        }
        checkText(Part.KEY, key, 1);
    }

    /** Checks what keys may begin with; all begin with nothing. */
    static void checkKeyPrefix(String prefix) {
        checkText(Part.KEY_PREFIX, prefix, 0);
    }

    private static void checkText(Part what, String key, int least) {
        boolean ascii = true;
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (Character.isISOControl(c)) {
                throw new InvalidNameException(
                        what, "has the control character U+" + hex(c) + " at " + i + ", must have none");
            }
            ascii &= c < 0x80;
        }
        int bytes = ascii ? key.length() : utf8Length(what, key);
        if (bytes > MAX_KEY_BYTES) {
            throw new InvalidNameException(
                    what, "has " + bytes + " bytes, must have " + least + " to " + MAX_KEY_BYTES);
        }
    }

    private static int utf8Length(Part what, String key) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(key))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new InvalidNameException(what, "has half of a surrogate pair, must be valid Unicode", e);
        }
    }

    private static String hex(char c) {
        return String.format(Locale.ROOT, "%04X", (int) c);
    }
}
