package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Remembers how an attempt ended. */
final class RecordingDelivery implements Delivery {

    private final CompletableFuture<String> outcome = new CompletableFuture<>();

    /** Waits for the outcome: {@code acknowledged}, or its name and the reason. */
    String outcome() {
        return outcome.orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void acknowledge() {
        outcome.complete("acknowledged");
    }

    @Override
    public void fail(String reason) {
        outcome.complete("fail: " + reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        fail(reason);
    }

    @Override
    public void postpone(String reason, Instant until) {
        outcome.complete("postpone: " + reason);
    }

    @Override
    public void reject(String reason) {
        outcome.complete("reject: " + reason);
    }
}
