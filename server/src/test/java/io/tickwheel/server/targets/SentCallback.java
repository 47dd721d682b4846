package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.Target;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A callback that is given to a target, without an engine. */
final class SentCallback {

    private SentCallback() {}

    /** How a first attempt ends, such as {@code acknowledged}, {@code failed: HTTP 500} or {@code unreachable: no connection to ...}. */
    static CompletableFuture<String> to(String url, byte[] payload, Target target) {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        target.deliver(attempt(url, payload, 1), new Outcome(outcome));
        return outcome;
    }

    /** The attempt of some number. */
    static Attempt attempt(String url, byte[] payload, int number) {
        return attempt(url, payload, number, false);
    }

    /** The attempt of some number, which asks for an excerpt or not. */
    static Attempt attempt(String url, byte[] payload, int number, boolean keepsExcerpt) {
        return new Attempt(
                new TimerKey("q", "k"),
                "tmr_1",
                1,
                number,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                payload,
                null,
                Map.of(),
                new Destination("http", "POST " + url),
                keepsExcerpt,
                null,
                false);
    }

    /** Writes down how an attempt ended. */
    static class Outcome implements Delivery {

        private final CompletableFuture<String> how;

        Outcome(CompletableFuture<String> how) {
            this.how = how;
        }

        @Override
        public void acknowledge() {
            how.complete("acknowledged");
        }

        @Override
        public void fail(String reason) {
            how.complete("failed: " + reason);
        }

        @Override
        public void unreachable(String reason) {
            how.complete("unreachable: " + reason);
        }

        @Override
        public void fail(String reason, Duration wait) {
            how.complete("failed: " + reason + " in " + wait);
        }

        @Override
        public void postpone(String reason, Instant until) {
            how.complete("postponed: " + reason);
        }

        @Override
        public void reject(String reason) {
            how.complete("rejected: " + reason);
        }
    }
}
