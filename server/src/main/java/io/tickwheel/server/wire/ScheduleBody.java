package io.tickwheel.server.wire;

import io.tickwheel.engine.DelayLevels;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.PushBack;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.target.message.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of a schedule body, or of a line of a batch, as {@link ScheduleBodyReader} found and checked them. */
public final class ScheduleBody {

    /** Where the body came from: some fields make no sense everywhere. */
    public enum Place {
        /** The key is in the path. */
        KEYED,
        /** The server makes the key. */
        KEYLESS,
        /** The line says which, or cancels. */
        BATCH_LINE,
        /** The timer is there, and gets another due time. */
        RESCHEDULE,
        /** The timer is there and dead, and gets what the body says. */
        REDRIVE;

        private static final Set<String> TIMES = Set.of("delay", "dueAt", "delayLevel", "durability");
        private static final Set<String> CONFLICTS = Set.of("onConflict", "maxWait", "touchable");

        /** Whether a body there may have the field, or it is refused for another reason. */
        boolean takes(String field) {
            return switch (this) {
                case KEYED, KEYLESS, BATCH_LINE -> true;
                case RESCHEDULE -> TIMES.contains(field);
                case REDRIVE -> !CONFLICTS.contains(field) && !field.equals("schedule");
            };
        }

        /** Whether a body there must say when the timer is due. */
        boolean needsDue() {
            return this != REDRIVE;
        }
    }

    @Nullable
    String key;

    @Nullable
    String cancelKey;

    @Nullable
    String touchKey;

    @Nullable
    Duration delay;

    /** Stands for a delay as long as the levels of the queue are not known; null when there is none, or the delay is known. */
    @Nullable
    Integer delayLevel;

    @Nullable
    Instant dueAt;

    byte @Nullable [] payload;

    @Nullable
    String contentType;

    @Nullable
    Map<String, String> headers;

    @Nullable
    Destination destination;

    @Nullable
    RetryPolicy retry;

    @Nullable
    OnConflict onConflict;

    @Nullable
    Duration expireAfter;

    @Nullable
    Duration maxWait;

    boolean isTouchable;

    @Nullable
    PushBack pushBack;

    @Nullable
    Recurrence schedule;

    @Nullable
    Plan plan;

    /** Whether it is a run of a recurring timer, whose key no other timer can have. */
    boolean isRun;

    @Nullable
    Durability durability;

    /** The key that a line of a batch names; null elsewhere, and when the server is to make it. */
    public @Nullable String key() {
        return key;
    }

    /** The key of the timer that a line of a batch cancels; null when it does something else. */
    public @Nullable String cancelKey() {
        return cancelKey;
    }

    /** The key of the timer that a line of a batch touches; null when it does something else. */
    public @Nullable String touchKey() {
        return touchKey;
    }

    /** The key of the timer that a line of a batch is about; null when the server is to make it. */
    public @Nullable String commandKey() {
        if (cancelKey != null) {
            return cancelKey;
        }
        return touchKey != null ? touchKey : key;
    }

    /** In how long the timer is due; null when the body does not say that. */
    public @Nullable Duration delay() {
        return delay;
    }

    /** Whether the delay is a number among the levels of the queue, which are not known yet. */
    public boolean hasOpenLevel() {
        return delayLevel != null;
    }

    /** The highest level of those of a queue; null for the usual ones. */
    static int lastLevel(@Nullable List<Duration> levels) {
        return levels == null ? DelayLevels.LAST : levels.size();
    }

    /**
     * Makes a delay of the number of one, if there is a number.
     *
     * @param levels the delay levels of the queue; null for the usual ones
     * @throws ProblemException when there is no such number
     */
    public void takeLevels(@Nullable List<Duration> levels) {
        if (delayLevel == null) {
            return;
        }
        int last = lastLevel(levels);
        if (delayLevel > last) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE, "delayLevel is " + delayLevel + ", must be 1 to " + last, "delayLevel");
        }
        delay = levels == null ? DelayLevels.delay(delayLevel) : levels.get(delayLevel - 1);
        delayLevel = null;
    }

    /** When the timer is due; null when the body has a delay. */
    public @Nullable Instant dueAt() {
        return dueAt;
    }

    /** What the body wants done when the key has a timer; null when it does not say. */
    public @Nullable OnConflict onConflict() {
        return onConflict;
    }

    /** When the timer is due again; null when it is no recurring one. */
    public @Nullable Recurrence schedule() {
        return schedule;
    }

    /** The level of durability that the body asks for; null when it asks for none. */
    public @Nullable Durability durability() {
        return durability;
    }

    /**
     * Makes a due time of a delay, or of a schedule without one, which count from {@code now}, and has the timer remember that.
     *
     * @throws ProblemException when there is a longest wait, which goes by the clock of whoever takes the timer, or the schedule has no time left
     */
    public void countFrom(Instant now) {
        if (maxWait != null) {
            throw FieldValues.problem(
                    ProblemCode.FIELD_NOT_ALLOWED,
                    "maxWait is for a running server, must not be in the line",
                    "maxWait");
        }
        if (delay != null) {
            dueAt = now.plus(delay);
            delay = null;
        }
        if (dueAt == null && schedule != null) {
            OptionalLong next = schedule.first(now.toEpochMilli());
            if (next.isEmpty()) {
                throw FieldValues.problem(
                        ProblemCode.OUT_OF_RANGE,
                        "schedule is '" + schedule + "', must have a time after now, which is " + now,
                        "schedule");
            }
            dueAt = Instant.ofEpochMilli(next.getAsLong());
        }
        if (isTouchable) {
            Instant first = now.truncatedTo(ChronoUnit.MILLIS);
            long delayMs = first.until(Objects.requireNonNull(dueAt), ChronoUnit.MILLIS);
            pushBack = new PushBack(Duration.ofMillis(Math.max(0, delayMs)), first, null);
            isTouchable = false;
        }
    }

    /** Has the timer go on in the trace of the request, unless the body has headers of one. */
    public void follow(Map<String, String> trace) {
        boolean hasItsOwn = headers != null && headers.keySet().stream().anyMatch(TraceContext::isHeader);
        if (!trace.isEmpty() && !hasItsOwn) {
            Map<String, String> all = new LinkedHashMap<>(headers == null ? Map.of() : headers);
            all.putAll(trace);
            headers = all;
        }
    }

    public void setOnConflict(OnConflict rule) {
        onConflict = rule;
    }

    /** The request that the engine takes, for a key that the body need not have. */
    public TimerRequest toRequest(String queue, String timerKey) {
        if (isRun) {
            return with(TimerRequest.run(queue, timerKey, Objects.requireNonNull(dueAt)));
        }
        if (delay != null) {
            return with(TimerRequest.after(queue, timerKey, delay));
        }
        return with(
                dueAt != null
                        ? TimerRequest.at(queue, timerKey, dueAt)
                        : TimerRequest.recurring(queue, timerKey, Objects.requireNonNull(schedule)));
    }

    /**
     * Checks what the body makes of a timer that is stored.
     *
     * @throws ProblemException when the target takes no payload, and there is one
     */
    public void checkEdit(@Nullable TimerContent stored, TargetKinds kinds) {
        Destination edited = destination == null && stored != null ? stored.destination() : destination;
        boolean hasPayload = payload != null || (stored != null && stored.payload().length > 0);
        if (edited != null && hasPayload) {
            TargetReader.checkPayload(edited, kinds);
        }
    }

    /** A request with what the body says beside its due time. */
    public TimerRequest with(TimerRequest given) {
        TimerRequest request = given;
        if (payload != null && contentType != null) {
            request = request.withPayload(payload, contentType);
        }
        if (headers != null) {
            request = request.withHeaders(headers);
        }
        if (destination != null) {
            request = request.withDestination(destination);
        }
        if (retry != null) {
            request = request.withRetry(retry);
        }
        if (expireAfter != null) {
            request = request.withExpireAfter(expireAfter);
        }
        if (maxWait != null) {
            request = request.withMaxWait(maxWait);
        }
        if (isTouchable) {
            request = request.withTouchable();
        }
        if (pushBack != null) {
            request = request.withPushBack(pushBack);
        }
        if (schedule != null) {
            request = plan == null ? request.withSchedule(schedule) : request.withPlan(plan);
        }
        if (durability != null) {
            request = request.withDurability(durability);
        }
        return onConflict != null ? request.withOnConflict(onConflict) : request;
    }
}
