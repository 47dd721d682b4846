package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.util.Map;

/** Makes what targets are shown of an attempt. */
public final class Attempts {

    private static final byte[] NOTHING = {};

    private Attempts() {}

    public static Attempt of(
            TimerView view, TimerContent content, Destination destination, long nowMs, QueueSettings queue) {
        return new Attempt(
                view.key(),
                view.id(),
                view.version(),
                view.attempts(),
                view.dueAt(),
                view.attemptAt(),
                Duration.ofMillis(nowMs - view.dueAtMs()),
                content.payload(),
                content.contentType(),
                content.headers(),
                destination,
                Boolean.TRUE.equals(queue.excerpts()),
                queue.secrets(),
                Boolean.TRUE.equals(queue.cloudEvents()));
    }

    /** The same without payload and headers, and with nothing to sign. */
    static Attempt withoutContent(Attempt attempt) {
        return new Attempt(
                attempt.timer(),
                attempt.id(),
                attempt.version(),
                attempt.number(),
                attempt.dueAt(),
                attempt.attemptAt(),
                attempt.lateness(),
                NOTHING,
                attempt.contentType(),
                Map.of(),
                attempt.destination(),
                attempt.keepsExcerpt(),
                null,
                false);
    }
}
