package io.tickwheel.target.rocketmq;

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
        return send("orders", target, key, address, payload, headers);
    }

    /** Delivers an attempt of the queue {@code orders}, with little in it. */
    static RecordedDelivery send(Target target, String key, String address) {
        return send(target, key, address, new byte[] {1}, Map.of());
    }

    /** Delivers an attempt of a queue, with little in it. */
    static RecordedDelivery sendIn(String queue, Target target, String key, String address) {
        return send(queue, target, key, address, new byte[] {1}, Map.of());
    }

    private static RecordedDelivery send(
            String queue, Target target, String key, String address, byte[] payload, Map<String, String> headers) {
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(
                new Attempt(
                        new TimerKey(queue, key),
                        "id-" + key,
                        3,
                        2,
                        DUE,
                        DUE.plusSeconds(10),
                        Duration.ofMillis(10_012),
                        payload,
                        "text/plain",
                        headers,
                        new Destination("rocketmq", address)),
                delivery);
        return delivery;
    }
}
