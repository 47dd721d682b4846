package io.tickwheel.server.access;

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
 */
public record TokenWish(
        String name,
        Set<Scope> scopes,
        @Nullable String queuePrefix,
        @Nullable Instant expiresAt) {

    public TokenWish {
        scopes = Set.copyOf(scopes);
    }
}
