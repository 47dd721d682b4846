package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Attempts for tests of the target alone. */
final class Attempts {

    static final Instant DUE = Instant.parse("2026-11-20T15:04:05.100Z");

    private Attempts() {}

    static Attempt of(String queue, String key, String address, byte[] payload) {
        return of(queue, key, address, payload, Map.of());
    }

    static Attempt of(String queue, String key, String address, byte[] payload, Map<String, String> headers) {
        return new Attempt(
                new TimerKey(queue, key),
                "id-" + key,
                3,
                2,
                DUE,
                DUE,
                Duration.ofMillis(12),
                payload,
                "application/octet-stream",
                headers,
                new Destination("rabbitmq", address));
    }
}
