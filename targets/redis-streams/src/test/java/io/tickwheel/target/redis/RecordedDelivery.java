package io.tickwheel.target.redis;

import io.tickwheel.engine.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** How an attempt ended, as a text; an end that comes after the first one is ignored, as the engine does. */
final class RecordedDelivery implements Delivery {

    private final CompletableFuture<String> end = new CompletableFuture<>();
    private volatile String excerpt = "";

    /** Waits for the end. */
    String end() throws Exception {
        return end.get(30, TimeUnit.SECONDS);
    }

    String excerpt() {
        return excerpt;
    }

    @Override
    public void answered(int status, String text) {
        excerpt = status + " " + text;
    }

    @Override
    public void acknowledge() {
        end.complete("acknowledged");
    }

    @Override
    public void fail(String reason) {
        end.complete("failed: " + reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        fail(reason);
    }

    @Override
    public void postpone(String reason, Instant until) {
        end.complete("postponed: " + reason);
    }

    @Override
    public void reject(String reason) {
        end.complete("rejected: " + reason);
    }
}
