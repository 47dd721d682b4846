package io.tickwheel.engine;

import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.engine.rule.Unicode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the engine stores with a timer, and its bytes. The store does not look inside. Programs that read a store meet it; one
 * that schedules uses {@link TimerRequest}.
 *
 * <pre>
 *   version u8 = 1, or 2 with flag 32, or 3 with flag 64 or 128 | flags u8
 *   [ 1: content type text ]  [ 2: target text, address text ]  [ 4: max attempts u32, backoff ms u64 ]
 *   [ 8: expire after ms u64 ]  [ 16: count u16, (name text, value text)* ]
 *   [ 32: max attempts u32, factor f64, max backoff ms u64, jitter f64, count u8, (delay ms u64)* ]
 *   [ 64: delay ms u64, first scheduled at ms i64, max wait ms u64 or 0 for none ]
 *   [ 128: recurrence text, runs before u64, runs started u64, nominal i64 ms, flags u8: 1 waits, 2 ended ]
 *   payload: the rest            text: length u32, UTF-8
 * </pre>
 */
public record TimerContent(
        byte[] payload,
        @Nullable String contentType,
        Map<String, String> headers,
        @Nullable Destination destination,
        @Nullable RetryPolicy retry,
        @Nullable Duration expireAfter,
        @Nullable PushBack pushBack,
        @Nullable Plan plan) {

    /** The largest payload, in bytes. */
    static final int MAX_PAYLOAD_BYTES = 16 << 20;

    static final int MAX_HEADERS = 1_000;

    /** Nothing but a payload, which is empty. */
    public static final TimerContent EMPTY =
            new TimerContent(new byte[0], null, Map.of(), null, null, null, null, null);

    /** Of what every version of the engine reads. */
    private static final byte VERSION = 1;

    /** Of what has a retry policy that not every version knows. */
    private static final byte VERSION_OF_POLICY = 2;

    /** Of what has something else that not every version knows. */
    private static final byte LAST_VERSION = 3;

    private static final int HAS_CONTENT_TYPE = 1;
    private static final int HAS_DESTINATION = 2;
    private static final int HAS_RETRY = 4;
    private static final int HAS_EXPIRE_AFTER = 8;
    private static final int HAS_HEADERS = 16;
    private static final int HAS_POLICY = 32;
    private static final int HAS_PUSH_BACK = 64;
    private static final int HAS_PLAN = 128;
    private static final char REPLACEMENT = '\uFFFD';
    private static final int POLICY_BYTES = Integer.BYTES + 3 * Long.BYTES + 1;
    private static final int PUSH_BACK_BYTES = 3 * Long.BYTES;

    /** With another payload, of at most 16 MiB, and its media type; the array must not be changed afterwards. */
    public TimerContent withPayload(byte[] payload, @Nullable String contentType) {
        if (payload.length > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "payload has " + payload.length + " bytes, must have at most " + MAX_PAYLOAD_BYTES);
        }
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    TimerContent withHeaders(Map<String, String> headers) {
        checkHeaders(headers.size());
        headers.forEach((name, value) -> {
            Unicode.check("the name of a header", name);
            Unicode.check("header '" + name + "'", value);
        });
        return new TimerContent(
                payload, contentType, new LinkedHashMap<>(headers), destination, retry, expireAfter, pushBack, plan);
    }

    private static void checkHeaders(int count) {
        if (count > MAX_HEADERS) {
            throw new IllegalArgumentException("there are " + count + " headers, must be at most " + MAX_HEADERS);
        }
    }

    TimerContent withDestination(Destination destination) {
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    TimerContent withRetry(RetryPolicy retry) {
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    TimerContent withExpireAfter(Duration expireAfter) {
        checkExpireAfter(expireAfter);
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    private static void checkExpireAfter(Duration expireAfter) {
        boolean isOutside =
                expireAfter.compareTo(Duration.ofMillis(1)) < 0 || expireAfter.compareTo(DueTimes.LONGEST) > 0;
        if (isOutside || !expireAfter.equals(Duration.ofMillis(expireAfter.toMillis()))) {
            throw new IllegalArgumentException("expireAfter is " + expireAfter + ", must be 1 ms to " + DueTimes.LONGEST
                    + ", in whole milliseconds");
        }
    }

    /**
     * With what it remembers so that it can be pushed back.
     *
     * @param pushBack null for one that forgets its delay
     */
    public TimerContent withPushBack(@Nullable PushBack pushBack) {
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    /**
     * With when it is due again.
     *
     * @param plan null for one that is due once
     */
    public TimerContent withPlan(@Nullable Plan plan) {
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    /** As a run has it: what the timer delivers, without its plan. */
    public TimerContent asRun() {
        return withPlan(null).withPushBack(null);
    }

    /** The bytes that a store keeps. */
    public byte[] encode() {
        if (isPayloadOnly()) {
            byte[] bytes = new byte[2 + payload.length];
            bytes[0] = VERSION;
            System.arraycopy(payload, 0, bytes, 2, payload.length);
            return bytes;
        }
        return encodeAll();
    }

    /** As most are. */
    private boolean isPayloadOnly() {
        return contentType == null
                && destination == null
                && retry == null
                && expireAfter == null
                && headers.isEmpty()
                && pushBack == null
                && plan == null;
    }

    private byte[] encodeAll() {
        List<byte[]> texts = new ArrayList<>();
        int flags = 0;
        int size = 2 + payload.length;
        if (contentType != null) {
            flags |= HAS_CONTENT_TYPE;
            size += add(texts, contentType);
        }
        if (destination != null) {
            flags |= HAS_DESTINATION;
            size += add(texts, destination.target()) + add(texts, destination.address());
        }
        if (retry != null && retry.isPlain()) {
            flags |= HAS_RETRY;
            size += Integer.BYTES + Long.BYTES;
        } else if (retry != null) {
            flags |= HAS_POLICY;
            size += POLICY_BYTES + Long.BYTES * retry.delays().size();
        }
        if (expireAfter != null) {
            flags |= HAS_EXPIRE_AFTER;
            size += Long.BYTES;
        }
        if (!headers.isEmpty()) {
            flags |= HAS_HEADERS;
            size += Short.BYTES;
            for (Map.Entry<String, String> header : headers.entrySet()) {
                size += add(texts, header.getKey()) + add(texts, header.getValue());
            }
        }
        if (pushBack != null) {
            flags |= HAS_PUSH_BACK;
            size += PUSH_BACK_BYTES;
        }
        if (plan != null) {
            flags |= HAS_PLAN;
            size += add(texts, plan.recurrence().toString()) + PlanCodec.FIXED_BYTES;
        }
        byte[] bytes = new byte[size];
        write(ByteBuffer.wrap(bytes), flags, texts);
        return bytes;
    }

    private void write(ByteBuffer out, int flags, List<byte[]> texts) {
        out.put(version(flags)).put((byte) flags);
        int text = 0;
        if (contentType != null) {
            putText(out, texts.get(text++));
        }
        if (destination != null) {
            putText(out, texts.get(text++));
            putText(out, texts.get(text++));
        }
        if (retry != null && retry.isPlain()) {
            out.putInt(retry.maxAttempts()).putLong(retry.delays().get(0).toMillis());
        }
        if (expireAfter != null) {
            out.putLong(expireAfter.toMillis());
        }
        if (!headers.isEmpty()) {
            out.putShort((short) headers.size());
            for (int i = 0; i < 2 * headers.size(); i++) {
                putText(out, texts.get(text++));
            }
        }
        if (retry != null && !retry.isPlain()) {
            putPolicy(out, retry);
        }
        if (pushBack != null) {
            putPushBack(out, pushBack);
        }
        if (plan != null) {
            putText(out, texts.get(text));
            PlanCodec.putFixed(out, plan);
        }
        out.put(payload);
        assert !out.hasRemaining();
    }

    /**
     * Reads what {@code encode} wrote.
     *
     * @throws IllegalArgumentException when another version of the engine wrote the bytes, or they are no content: with the part of it that cannot be, and never anything else
     */
    public static TimerContent decode(byte[] bytes) {
        try {
            return decode(ByteBuffer.wrap(bytes));
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("no timer content in " + bytes.length + " bytes", e);
        }
    }

    private static TimerContent decode(ByteBuffer in) {
        byte version = in.get();
        if (version < VERSION || version > LAST_VERSION) {
            throw new IllegalArgumentException(
                    "timer content has version " + version + ", must be " + VERSION + " to " + LAST_VERSION);
        }
        int flags = in.get();
        String contentType = (flags & HAS_CONTENT_TYPE) != 0 ? getText(in) : null;
        Destination destination = (flags & HAS_DESTINATION) != 0 ? new Destination(getText(in), getText(in)) : null;
        RetryPolicy retry =
                (flags & HAS_RETRY) != 0 ? RetryPolicy.exponential(in.getInt(), Duration.ofMillis(in.getLong())) : null;
        Duration expireAfter = (flags & HAS_EXPIRE_AFTER) != 0 ? getExpireAfter(in) : null;
        Map<String, String> headers = (flags & HAS_HEADERS) != 0 ? getHeaders(in) : Map.of();
        if ((flags & HAS_POLICY) != 0) {
            retry = getPolicy(in);
        }
        PushBack pushBack = (flags & HAS_PUSH_BACK) != 0 ? getPushBack(in) : null;
        Plan plan = (flags & HAS_PLAN) != 0 ? PlanCodec.get(in, getText(in)) : null;
        byte[] payload = new byte[in.remaining()];
        in.get(payload);
        return new TimerContent(payload, contentType, headers, destination, retry, expireAfter, pushBack, plan);
    }

    /** The first version that reads all of it. */
    private static byte version(int flags) {
        if ((flags & (HAS_PUSH_BACK | HAS_PLAN)) != 0) {
            return LAST_VERSION;
        }
        return (flags & HAS_POLICY) != 0 ? VERSION_OF_POLICY : VERSION;
    }

    private static Duration getExpireAfter(ByteBuffer in) {
        Duration expireAfter = Duration.ofMillis(in.getLong());
        checkExpireAfter(expireAfter);
        return expireAfter;
    }

    private static void putPushBack(ByteBuffer out, PushBack pushBack) {
        Duration maxWait = pushBack.maxWait();
        out.putLong(pushBack.delay().toMillis())
                .putLong(pushBack.firstScheduledAt().toEpochMilli())
                .putLong(maxWait == null ? 0 : maxWait.toMillis());
    }

    private static PushBack getPushBack(ByteBuffer in) {
        Duration delay = Duration.ofMillis(in.getLong());
        Instant first = Instant.ofEpochMilli(in.getLong());
        long maxWaitMs = in.getLong();
        return new PushBack(delay, first, maxWaitMs == 0 ? null : Duration.ofMillis(maxWaitMs));
    }

    private static void putPolicy(ByteBuffer out, RetryPolicy policy) {
        out.putInt(policy.maxAttempts()).putDouble(policy.factor());
        out.putLong(policy.maxBackoff().toMillis()).putDouble(policy.jitter());
        out.put((byte) policy.delays().size());
        policy.delays().forEach(delay -> out.putLong(delay.toMillis()));
    }

    private static RetryPolicy getPolicy(ByteBuffer in) {
        int maxAttempts = in.getInt();
        double factor = in.getDouble();
        Duration maxBackoff = Duration.ofMillis(in.getLong());
        double jitter = in.getDouble();
        Duration[] delays = new Duration[Byte.toUnsignedInt(in.get())];
        for (int i = 0; i < delays.length; i++) {
            delays[i] = Duration.ofMillis(in.getLong());
        }
        return new RetryPolicy(maxAttempts, List.of(delays), factor, maxBackoff, jitter);
    }

    private static Map<String, String> getHeaders(ByteBuffer in) {
        int count = Short.toUnsignedInt(in.getShort());
        checkHeaders(count);
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String name = getText(in);
            if (headers.put(name, getText(in)) != null) {
                throw new IllegalArgumentException("header '" + name + "' is there twice");
            }
        }
        return headers;
    }

    private static int add(List<byte[]> texts, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        texts.add(utf8);
        return Integer.BYTES + utf8.length;
    }

    private static void putText(ByteBuffer out, byte[] utf8) {
        out.putInt(utf8.length).put(utf8);
    }

    private static String getText(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("a text has " + length + " bytes, " + in.remaining() + " are left");
        }
        byte[] utf8 = new byte[length];
        in.get(utf8);
        String text = new String(utf8, StandardCharsets.UTF_8);
        // Stands for what is no UTF-8, unless it was written.
        if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), utf8)) {
            throw new IllegalArgumentException("a text of " + length + " bytes is no UTF-8: '" + text + "'");
        }
        return text;
    }
}
