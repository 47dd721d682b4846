package io.tickwheel.server.wire;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
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
        BATCH_LINE
    }

    @Nullable
    public String key;

    @Nullable
    public String cancelKey;

    @Nullable
    public Duration delay;

    @Nullable
    public Instant dueAt;

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
    public OnConflict onConflict;

    @Nullable
    Duration expireAfter;

    @Nullable
    public Durability durability;

    public TimerRequest toRequest(String queue, String timerKey) {
        TimerRequest request = delay != null
                ? TimerRequest.after(queue, timerKey, delay)
                : TimerRequest.at(queue, timerKey, Objects.requireNonNull(dueAt));
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
        if (durability != null) {
            request = request.withDurability(durability);
        }
        return onConflict != null ? request.withOnConflict(onConflict) : request;
    }
}
