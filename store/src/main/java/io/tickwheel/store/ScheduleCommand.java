package io.tickwheel.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to have a timer.
 *
 * @param key its queue and name
 * @param dueAtMs when it is due, in milliseconds since the epoch, any value
 * @param content what to deliver, opaque to the store; must not be changed after the call
 * @param route where it goes, as {@link Lane#route} says: {@link Lane#QUEUE_ROUTE} to {@link Lane#MAX_ROUTE}
 * @param onConflict what to do when the key has a live timer
 * @param requestHash kept with the timer, so that a repeat of a request can be told from another one under the same key;
 *     0 when nobody will ask
 * @param durability what must be certain before it is answered; null for what the calendar gives anyway
 */
public record ScheduleCommand(
        TimerKey key,
        long dueAtMs,
        byte[] content,
        long route,
        OnConflict onConflict,
        long requestHash,
        @Nullable Durability durability) {

    public ScheduleCommand {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(content, "content");
        Objects.requireNonNull(onConflict, "onConflict");
        Lane.checkRoute(route, Lane.QUEUE_ROUTE);
    }

    /** A timer that goes where its queue goes, with the durability that the calendar gives anyway. */
    public ScheduleCommand(TimerKey key, long dueAtMs, byte[] content, OnConflict onConflict, long requestHash) {
        this(key, dueAtMs, content, Lane.QUEUE_ROUTE, onConflict, requestHash, null);
    }
}
