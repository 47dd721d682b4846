package io.tickwheel.engine;

import io.tickwheel.engine.rule.RunKeys;
import io.tickwheel.store.TimerKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to deliver a timer, as a target or handler sees it. The same timer can come again, with the same {@code id}
 * and a higher {@code number}, and after a crash with the same number.
 *
 * @param timer its queue and key
 * @param id the same on every attempt of this version of the timer, and of no other
 * @param version rises with each replace, so that a receiver can drop an older one
 * @param number counts the attempts, from 1
 * @param dueAt when the timer was due; the same on every attempt
 * @param attemptAt when this attempt was due: {@code dueAt}, and later for a retry
 * @param lateness how long after {@code dueAt} the attempt was granted
 * @param payload what to deliver; must not be changed
 * @param contentType the media type of the payload, when the sender named one
 * @param headers what the sender wants sent along
 * @param destination where to, {@link Destination#HANDLER} and the queue for its handler; null only where a program makes an attempt of its own, for a test
 * @param keepsExcerpt whether the queue asks for an excerpt of what the receiver answers, to be given to
 *     {@link Delivery#answered(int, String)}
 * @param secrets with what the queue wants its messages signed; null when it wants none signed
 * @param isCloudEvent whether the queue asks for the attributes of CloudEvents where the target has them on demand
 */
public record Attempt(
        TimerKey timer,
        String id,
        long version,
        int number,
        Instant dueAt,
        Instant attemptAt,
        Duration lateness,
        byte[] payload,
        @Nullable String contentType,
        Map<String, String> headers,
        @Nullable Destination destination,
        boolean keepsExcerpt,
        @Nullable SigningSecrets secrets,
        boolean isCloudEvent) {

    /** An attempt of a queue that asks for no excerpt, no signature and no attributes of CloudEvents. */
    public Attempt(
            TimerKey timer,
            String id,
            long version,
            int number,
            Instant dueAt,
            Instant attemptAt,
            Duration lateness,
            byte[] payload,
            @Nullable String contentType,
            Map<String, String> headers,
            @Nullable Destination destination) {
        this(
                timer,
                id,
                version,
                number,
                dueAt,
                attemptAt,
                lateness,
                payload,
                contentType,
                headers,
                destination,
                false,
                null,
                false);
    }

    /** The queue of the timer. */
    public String queue() {
        return timer.queue();
    }

    /**
     * The key of the timer: the name that its owner has given it, unique in the queue. Of a run of a recurring timer that is the key of the recurring one; {@link #timer} has
     * that of the run.
     */
    public String key() {
        return RunKeys.planOf(timer.key());
    }

    /** The number of the run of a recurring timer; empty for a run that was asked for beside the others, and for every other timer. */
    public OptionalLong run() {
        return RunKeys.number(timer.key());
    }

    /** The payload as text in UTF-8, as {@link TimerRequest#withText} has written it. */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }
}
