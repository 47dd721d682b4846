package io.tickwheel.target.kafka;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.store.TimerKey;
import io.tickwheel.testkit.RecordedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Gives attempts to a target, for tests. */
final class Attempts {

    static final Instant DUE = Instant.parse("2026-11-20T15:04:05.100Z");

    private Attempts() {}

    /** Delivers an attempt of the queue {@code orders}. */
    static RecordedDelivery send(
            Target target, String key, String address, byte[] payload, Map<String, String> headers) {
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(
                new Attempt(
                        new TimerKey("orders", key),
                        "id-" + key,
                        3,
                        2,
                        DUE,
                        DUE.plusSeconds(10),
                        Duration.ofMillis(10_012),
                        payload,
                        "text/plain",
                        headers,
                        new Destination("kafka", address)),
                delivery);
        return delivery;
    }

    /** Delivers an attempt with little in it. */
    static RecordedDelivery send(Target target, String key, String address) {
        return send(target, key, address, new byte[] {1}, Map.of());
    }

    /** Tries again until the target has found out that the topic is there: each attempt is the one that asks, as it waits for the end. */
    static String untilAcknowledged(Target target, String topic) {
        String end = "";
        for (int i = 0; i < 10_000 && !end.equals("acknowledged"); i++) {
            end = send(target, "again", topic).end();
        }
        return end;
    }
}
