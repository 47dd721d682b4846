package io.tickwheel.engine;

import java.time.Instant;
import java.util.Objects;

/**
 * An attempt of a timer that is this consumer's until it acknowledges it or gives it back, or the lease expires. Immutable.
 *
 * @param id names it towards {@link Tickwheel#acknowledge} and the others; no other lease ever has it
 * @param attempt the attempt
 * @param expiresAt when the lease expires unless it is extended, by the clock of the engine; the engine measures the time that passes, so a step of the clock
 *     changes nothing
 */
public record Lease(String id, Attempt attempt, Instant expiresAt) {

    public Lease {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(attempt, "attempt");
        Objects.requireNonNull(expiresAt, "expiresAt");
    }
}
