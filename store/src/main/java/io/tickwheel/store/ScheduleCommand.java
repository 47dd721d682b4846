package io.tickwheel.store;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to have a timer. The ranges below are those that every calendar takes; the edge that takes timers in may allow less. Immutable and
 * thread-safe, as long as nobody changes the content.
 *
 * @param key its queue and name. Both are valid Unicode, without lone surrogates, together at most {@value #MAX_NAME_BYTES} bytes in
 *     UTF-8. The queue has at least one character, the first of which is U+0005 or above, and has no U+0000; the key may be empty
 * @param dueAtMs when it is due, in milliseconds since the epoch: -{@value #FARTHEST_DUE_MS} to {@value #FARTHEST_DUE_MS}, about 35,000 years
 *     before and after
 * @param content what to deliver, opaque to the store: 0 to {@value #MAX_CONTENT_BYTES} bytes; must not be changed after the call
 * @param route where it goes, as {@link Lane#route} says: {@link Lane#QUEUE_ROUTE} to {@link Lane#MAX_ROUTE}
 * @param onConflict what to do when the key has a live timer
 * @param requestHash kept with the timer, so that a repeat of a request can be told from another one under the same key;
 *     0 when nobody will ask
 * @param expectedId the id of the timer that it is to take the place of, live or not; null when it does not matter what stands there
 * @param durability what must be certain before it is answered; null for what the calendar gives anyway
 */
public record ScheduleCommand(
        TimerKey key,
        long dueAtMs,
        byte[] content,
        long route,
        OnConflict onConflict,
        long requestHash,
        @Nullable String expectedId,
        @Nullable Durability durability) {

    /** The greatest due time; its negative is the least. */
    public static final long FARTHEST_DUE_MS = 1L << 50;

    /** The most bytes that queue and key have together in UTF-8. */
    public static final int MAX_NAME_BYTES = 0xffff - 1;

    /** The most bytes of content: 16 MiB of payload, and what the engine keeps with it. */
    public static final int MAX_CONTENT_BYTES = 32 << 20;

    private static final char FIRST_OF_QUEUE = 5;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public ScheduleCommand {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(content, "content");
        checkNames(key);
        checkDue(dueAtMs);
        checkContent(content);
        Objects.requireNonNull(onConflict, "onConflict");
        Lane.checkRoute(route, Lane.QUEUE_ROUTE);
    }

    /** A timer for which it does not matter what stands under its key. */
    public ScheduleCommand(
            TimerKey key,
            long dueAtMs,
            byte[] content,
            long route,
            OnConflict onConflict,
            long requestHash,
            @Nullable Durability durability) {
        this(key, dueAtMs, content, route, onConflict, requestHash, null, durability);
    }

    /** A timer that goes where its queue goes, with the durability that the calendar gives anyway. */
    public ScheduleCommand(TimerKey key, long dueAtMs, byte[] content, OnConflict onConflict, long requestHash) {
        this(key, dueAtMs, content, Lane.QUEUE_ROUTE, onConflict, requestHash, null);
    }

    /** Only in the place of the timer with that id. */
    public ScheduleCommand withExpectedId(String newExpectedId) {
        return new ScheduleCommand(key, dueAtMs, content, route, onConflict, requestHash, newExpectedId, durability);
    }

    static void checkDue(long dueAtMs) {
        if (dueAtMs < -FARTHEST_DUE_MS || dueAtMs > FARTHEST_DUE_MS) {
            throw new IllegalArgumentException(
                    "due time is " + dueAtMs + " ms, must be from -" + FARTHEST_DUE_MS + " to " + FARTHEST_DUE_MS);
        }
    }

    static void checkContent(byte[] content) {
        if (content.length > MAX_CONTENT_BYTES) {
            throw new IllegalArgumentException(
                    "content has " + content.length + " bytes, must have at most " + MAX_CONTENT_BYTES);
        }
    }

    private static void checkNames(TimerKey key) {
        String queue = key.queue();
        if (queue.isEmpty()) {
            throw new IllegalArgumentException("queue is empty, must have a character");
        }
        if (queue.charAt(0) < FIRST_OF_QUEUE) {
            throw new IllegalArgumentException(
                    "queue begins with U+000" + (int) queue.charAt(0) + ", must begin with U+0005 or above");
        }
        if (queue.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("queue has U+0000 at " + queue.indexOf('\0') + ", must have none");
        }
        long bytes = (long) utf8Bytes("queue", queue) + utf8Bytes("key", key.key());
        if (bytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "queue and key have " + bytes + " bytes in UTF-8, must have at most " + MAX_NAME_BYTES);
        }
    }

    private static int utf8Bytes(String what, String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 0x80) {
                return encodedBytes(what, name);
            }
        }
        return name.length();
    }

    private static int encodedBytes(String what, String name) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + " has half of a surrogate pair, must be valid Unicode", e);
        }
    }
}
