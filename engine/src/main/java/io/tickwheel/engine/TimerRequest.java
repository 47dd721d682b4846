package io.tickwheel.engine;

import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.engine.rule.Unicode;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerKey;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The wish for a timer: what to deliver under which name, and when. Immutable; each {@code with} method gives a changed copy.
 *
 * <p>A delay of zero and a due time in the past are due at once. A delay is counted from the moment the request is handed to
 * {@link Tickwheel#schedule}, and rounded up to whole milliseconds.
 */
public final class TimerRequest {

    /** The first due time that a timer may have: due times are of the years that RFC 3339 can write. */
    public static final Instant FIRST_DUE = DueTimes.FIRST;

    /** The last due time that a timer may have. */
    public static final Instant LAST_DUE = DueTimes.LAST;

    private final TimerKey key;
    private final @Nullable Duration delay;
    private final @Nullable Instant dueAt;
    private final TimerContent content;
    private final OnConflict onConflict;
    private final long requestHash;
    private final CommandOptions options;
    private final boolean isTouchable;
    private final @Nullable Duration maxWait;

    private TimerRequest(
            TimerKey key,
            @Nullable Duration delay,
            @Nullable Instant dueAt,
            TimerContent content,
            OnConflict onConflict,
            long requestHash,
            CommandOptions options,
            boolean isTouchable,
            @Nullable Duration maxWait) {
        this.key = key;
        this.delay = delay;
        this.dueAt = dueAt;
        this.content = content;
        this.onConflict = onConflict;
        this.requestHash = requestHash;
        this.options = options;
        this.isTouchable = isTouchable;
        this.maxWait = maxWait;
    }

    /** A timer due after {@code delay}, which must not be negative. */
    public static TimerRequest after(String queue, String key, Duration delay) {
        DueTimes.checkDelay(delay);
        return new TimerRequest(
                TimerNames.checkNew(queue, key),
                delay,
                null,
                TimerContent.EMPTY,
                OnConflict.REPLACE,
                0,
                CommandOptions.NONE,
                false,
                null);
    }

    /**
     * A timer due after the delay of one of the usual levels, whatever {@link QueueSettings#delayLevels} its queue has.
     *
     * @param level 1 to {@link DelayLevels#LAST}
     */
    public static TimerRequest atLevel(String queue, String key, int level) {
        return after(queue, key, DelayLevels.delay(level));
    }

    /** A timer due at {@code dueAt}. */
    public static TimerRequest at(String queue, String key, Instant dueAt) {
        Objects.requireNonNull(dueAt, "dueAt");
        return new TimerRequest(
                TimerNames.checkNew(queue, key),
                null,
                dueAt,
                TimerContent.EMPTY,
                OnConflict.REPLACE,
                0,
                CommandOptions.NONE,
                false,
                null);
    }

    /**
     * A run of a recurring timer that another store had, as an export has it: due at {@code dueAt}, under the key that it had there.
     *
     * @param runKey as {@link TimerPlans#runKey} gives it
     * @throws IllegalArgumentException when the key is none of a run
     */
    public static TimerRequest run(String queue, String runKey, Instant dueAt) {
        if (!RunKeys.isRun(runKey)) {
            throw new IllegalArgumentException("key is '" + runKey + "', must be that of a run");
        }
        TimerKey plan = TimerNames.checkNew(queue, RunKeys.planOf(runKey));
        TimerRequest request = at(queue, plan.key(), dueAt);
        return new TimerRequest(
                new TimerKey(queue, runKey),
                null,
                dueAt,
                request.content,
                request.onConflict,
                0,
                CommandOptions.NONE,
                false,
                null);
    }

    /** A timer due at the first nominal time of a recurrence, counted from the moment the request is handed over. */
    public static TimerRequest recurring(String queue, String key, Recurrence schedule) {
        TimerContent content = TimerContent.EMPTY.withPlan(Plan.of(schedule));
        return new TimerRequest(
                TimerNames.checkNew(queue, key),
                null,
                null,
                content,
                OnConflict.REPLACE,
                0,
                CommandOptions.NONE,
                false,
                null);
    }

    /**
     * With what another timer delivers, where to and how: payload, headers, destination, retry policy and expiry. When that cannot be read, the request stays as it
     * is. What the other one knows of its delay, and its schedule, is its own.
     */
    public TimerRequest withContentOf(TimerDetails other) {
        TimerContent stored = other.content();
        return stored == null ? this : with(stored.asRun().withPlan(content.plan()));
    }

    /** What to deliver, at most 16 MiB; the array must not be changed afterwards. */
    public TimerRequest withPayload(byte[] payload) {
        Objects.requireNonNull(payload, "payload");
        return with(content.withPayload(payload, content.contentType()));
    }

    /** What to deliver, at most 16 MiB, and its media type, which is valid Unicode; the array must not be changed afterwards. */
    public TimerRequest withPayload(byte[] payload, String contentType) {
        Objects.requireNonNull(payload, "payload");
        Unicode.check("contentType", Objects.requireNonNull(contentType, "contentType"));
        return with(content.withPayload(payload, contentType));
    }

    /**
     * A value to deliver, at most 16 MiB as the codec writes it.
     *
     * @throws IllegalArgumentException when the codec cannot write it
     */
    public <T> TimerRequest withPayload(T value, PayloadCodec<T> codec) {
        Objects.requireNonNull(value, "value");
        try {
            return withPayload(codec.encode(value), codec.contentType());
        } catch (IOException e) {
            throw new IllegalArgumentException("the payload cannot be written: " + e.getMessage(), e);
        }
    }

    /**
     * A text to deliver, at most 16 MiB in UTF-8, as {@code text/plain}; {@link Attempt#text} gives it to a handler.
     *
     * @throws IllegalArgumentException when it is too long, or no valid Unicode
     */
    public TimerRequest withText(String text) {
        Objects.requireNonNull(text, "text");
        return with(content.withPayload(Unicode.utf8("text", text), "text/plain;charset=utf-8"));
    }

    /** Headers that go with the payload, at most 1,000, of valid Unicode. Payload, headers and destination take at most 32 MiB together. */
    public TimerRequest withHeaders(Map<String, String> headers) {
        Objects.requireNonNull(headers, "headers");
        return with(content.withHeaders(headers));
    }

    /** Where to deliver; without it the handler of the queue gets the timer. */
    public TimerRequest withDestination(Destination destination) {
        Objects.requireNonNull(destination, "destination");
        return with(content.withDestination(destination));
    }

    /** How to repeat failed attempts; without it the rule of the engine holds. */
    public TimerRequest withRetry(RetryPolicy retry) {
        Objects.requireNonNull(retry, "retry");
        return with(content.withRetry(retry));
    }

    /** How late an attempt may still start; without it, any. 1 ms to 10,000 years, in whole milliseconds, which is from {@link #FIRST_DUE} to {@link #LAST_DUE}. */
    public TimerRequest withExpireAfter(Duration expireAfter) {
        Objects.requireNonNull(expireAfter, "expireAfter");
        return with(content.withExpireAfter(expireAfter));
    }

    /** When it is due again; the due time of the request is the first nominal time, and must be one that {@code from} and {@code until} of the schedule allow. */
    public TimerRequest withSchedule(Recurrence schedule) {
        return with(content.withPlan(Plan.of(schedule)));
    }

    /**
     * As a recurring timer that another store had, as an export has it: it goes on from what it had come to there, and is due when the request says. Its runs have
     * their numbers, and are timers of their own, which {@link #run} makes.
     */
    public TimerRequest withPlan(Plan plan) {
        return with(content.withPlan(Objects.requireNonNull(plan, "plan")));
    }

    /** What to do when the key has a live timer; without it, replace. */
    public TimerRequest withOnConflict(OnConflict onConflict) {
        return new TimerRequest(
                key,
                delay,
                dueAt,
                content,
                Objects.requireNonNull(onConflict, "onConflict"),
                requestHash,
                options,
                isTouchable,
                maxWait);
    }

    /** A hash of the request as its sender sees it, to recognise a repeat by; see {@code Scheduled.requestHash}. */
    public TimerRequest withRequestHash(long requestHash) {
        return new TimerRequest(key, delay, dueAt, content, onConflict, requestHash, options, isTouchable, maxWait);
    }

    /** What must be certain before it is answered; without it, what the store gives anyway. */
    public TimerRequest withDurability(Durability durability) {
        return withOptions(options.withDurability(durability));
    }

    /** The id of the timer whose place it is to take, live or not, or the request fails with {@link IdMismatchException}. */
    public TimerRequest withExpectedId(String expectedId) {
        return withOptions(options.withExpectedId(expectedId));
    }

    /** On what condition it is carried out, and when it is answered; without it, {@link CommandOptions#NONE}. */
    public TimerRequest withOptions(CommandOptions newOptions) {
        Objects.requireNonNull(newOptions, "options");
        return new TimerRequest(key, delay, dueAt, content, onConflict, requestHash, newOptions, isTouchable, maxWait);
    }

    /**
     * So that {@link Tickwheel#touch} can push it back: the timer keeps its delay, or how far its due time was ahead. That takes 24 bytes of each timer, which earlier versions of the
     * engine cannot read.
     */
    public TimerRequest withTouchable() {
        return new TimerRequest(key, delay, dueAt, content, onConflict, requestHash, options, true, maxWait);
    }

    /** With the delay and the first moment of a timer that was scheduled before, as an export has them, instead of those of this request. */
    public TimerRequest withPushBack(PushBack pushBack) {
        return with(content.withPushBack(Objects.requireNonNull(pushBack, "pushBack")));
    }

    /**
     * How long the timer of the key can be put off by requests like this one: it is due that long after the first of them at the latest, whatever due time they ask for, and {@link
     * Scheduled#timer} shows when. Goes with {@link OnConflict#LATEST} only, and is touchable.
     *
     * <p>The first of them finds no timer that waits under the key, and its moment is kept by all that take its place, until an attempt has started: who comes behind that begins
     * anew. The content is that of the last request: it takes the place of the timer that is there when it asks for the same due time or a later one, or when that is later than the wait allows; else the
     * timer that is there stays, as {@code LATEST} has it. The first moment of a timer that was made neither with a longest wait nor {@link #withTouchable touchable} is not known: there the wait begins with this request.
     *
     * <p>It looks at the timer first; the future fails with {@link ContendedException} when other nodes change the timer all the time. Commands of this engine on the key take
     * effect in the order in which they were given all the same.
     *
     * @param longest 1 ms to 10,000 years, in whole milliseconds
     */
    public TimerRequest withMaxWait(Duration longest) {
        Objects.requireNonNull(longest, "maxWait");
        new PushBack(Duration.ZERO, Instant.EPOCH, longest);
        return new TimerRequest(key, delay, dueAt, content, onConflict, requestHash, options, isTouchable, longest);
    }

    public TimerKey key() {
        return key;
    }

    /** What it is to deliver, as far as that does not depend on when it is taken. */
    public TimerContent content() {
        return content;
    }

    /** What to do when the key has a live timer. */
    public OnConflict onConflict() {
        return onConflict;
    }

    /** See {@link #withRequestHash}; 0 without one. */
    public long requestHash() {
        return requestHash;
    }

    /** On what condition it is carried out, and when it is answered. */
    public CommandOptions options() {
        return options;
    }

    /** Whether it has a {@link #withMaxWait longest wait}. */
    public boolean hasMaxWait() {
        return maxWait != null;
    }

    /**
     * When the timer is due, when the request is taken now: milliseconds since the epoch, rounded up, as a timer may come late, never early.
     *
     * @throws IllegalArgumentException when that is no time that a timer may have
     */
    public long dueAtMs(Instant now) {
        if (dueAt != null) {
            return DueTimes.ceilMs(dueAt);
        }
        if (delay != null) {
            return DueTimes.ceilMs(DueTimes.after(now, delay));
        }
        return firstOf(Objects.requireNonNull(content.plan()).recurrence(), now);
    }

    private static long firstOf(Recurrence schedule, Instant now) {
        OptionalLong first = schedule.first(now.toEpochMilli());
        if (first.isEmpty() || first.getAsLong() > LAST_DUE.toEpochMilli()) {
            throw new IllegalArgumentException(
                    "schedule is '" + schedule + "', must have a time after now, which is " + now);
        }
        return first.getAsLong();
    }

    /**
     * What is stored of one that is taken now and due then.
     *
     * @throws IllegalArgumentException when the request has a longest wait that does not go with the rest of it, or the first time of a schedule is none that it allows
     */
    public TimerContent content(Instant now, long dueAtMs) {
        if (maxWait != null && onConflict != OnConflict.LATEST) {
            throw new IllegalArgumentException(
                    "maxWait is " + maxWait + " and onConflict is " + onConflict + ", must be " + OnConflict.LATEST);
        }
        if (maxWait != null && content.plan() != null) {
            throw new IllegalArgumentException("maxWait is " + maxWait + ", must be none for a timer with a schedule");
        }
        TimerContent due = contentDueAt(dueAtMs);
        if (maxWait == null && !isTouchable) {
            return due;
        }
        long nowMs = now.toEpochMilli();
        long delayMs = delay != null ? DueTimes.ceilMs(delay) : Math.max(0, dueAtMs - nowMs);
        return due.withPushBack(new PushBack(Duration.ofMillis(delayMs), Instant.ofEpochMilli(nowMs), maxWait));
    }

    private TimerContent contentDueAt(long dueAtMs) {
        Plan plan = content.plan();
        if (plan == null || plan.nominalMs() != 0) {
            return content;
        }
        checkFirst(plan.recurrence(), dueAtMs);
        return content.withPlan(plan.withNominal(dueAtMs));
    }

    /** A first run that is asked for must not come before its schedule begins, nor when that has ended. */
    private static void checkFirst(Recurrence schedule, long dueAtMs) {
        Instant first = Instant.ofEpochMilli(dueAtMs);
        Instant from = schedule.from();
        Instant until = schedule.until();
        if ((from == null || !first.isBefore(from)) && (until == null || first.isBefore(until))) {
            return;
        }
        String begins = from == null ? "" : "from " + from + " on";
        String ends = until == null ? "" : "before " + until;
        throw new IllegalArgumentException("due time is " + first + ", must be " + begins
                + (from == null || until == null ? "" : " and ") + ends + ", as the schedule says");
    }

    private TimerRequest with(TimerContent changed) {
        return new TimerRequest(key, delay, dueAt, changed, onConflict, requestHash, options, isTouchable, maxWait);
    }
}
