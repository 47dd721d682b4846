package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How an attempt ends, for tests. */
final class Outcome implements Delivery {

    static final Instant DUE = Instant.parse("2026-11-20T15:04:05.100Z");

    private final CompletableFuture<String> end = new CompletableFuture<>();

    /** Delivers an attempt of the queue {@code orders}. */
    static Outcome of(Target target, String key, String address, byte[] payload, Map<String, String> headers) {
        Outcome outcome = new Outcome();
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
                outcome);
        return outcome;
    }

    /** Delivers an attempt with little in it. */
    static Outcome of(Target target, String key, String address) {
        return of(target, key, address, new byte[] {1}, Map.of());
    }

    /** Tries again until the target has found out that the topic is there: each attempt is the one that asks, as it waits for the end. */
    static String untilAcknowledged(Target target, String topic) throws Exception {
        String end = "";
        for (int i = 0; i < 10_000 && !end.equals("acknowledged"); i++) {
            end = of(target, "again", topic).end();
        }
        return end;
    }

    /** Waits for the end: {@code acknowledged}, or {@code failed: } or {@code rejected: } and the reason. */
    String end() throws Exception {
        return end.get(60, TimeUnit.SECONDS);
    }

    /** Waits for the end for a time, and says whether it came. */
    boolean endsWithin(Duration time) throws Exception {
        try {
            end.get(time.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    boolean isOpen() {
        return !end.isDone();
    }

    private void end(String how) {
        assertThat(end.complete(how)).as("the first end, not " + how).isTrue();
    }

    @Override
    public void acknowledge() {
        end("acknowledged");
    }

    @Override
    public void fail(String reason) {
        end("failed: " + reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        end("failed: " + reason + ", for " + wait);
    }

    @Override
    public void postpone(String reason, Instant until) {
        end("postponed: " + reason + ", until " + until);
    }

    @Override
    public void reject(String reason) {
        end("rejected: " + reason);
    }
}
