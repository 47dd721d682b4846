package io.tickwheel.server.access;

import io.tickwheel.engine.RateLimit;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token that somebody asks for. Immutable.
 *
 * @param name for people; several tokens may have the same
 * @param scopes at least one
 * @param queuePrefix null for all queues
 * @param expiresAt null for never
 * @param rate how many calls may be made with it at each node; null for any number
 */
public record TokenWish(
        String name,
        Set<Scope> scopes,
        @Nullable String queuePrefix,
        @Nullable Instant expiresAt,
        @Nullable RateLimit rate) {

    public TokenWish {
        scopes = Set.copyOf(scopes);
    }
}
