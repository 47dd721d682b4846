package io.tickwheel.server.access;

import io.tickwheel.engine.RateLimit;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a call, and what he may do. Immutable.
 *
 * @param id the public part of his token; empty for anybody
 * @param name that of his token; empty for anybody
 * @param scopes what he may do
 * @param queuePrefix what the names of the queues begin with that exist for him; null when all do
 * @param rate how many calls he may make at each node; null for any number
 */
public record Caller(
        String id,
        String name,
        Set<Scope> scopes,
        @Nullable String queuePrefix,
        @Nullable RateLimit rate) {

    /** Whoever calls a server that asks for no tokens. */
    public static final Caller ANYBODY = new Caller("", "", EnumSet.of(Scope.ADMIN), null);

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** One who may make any number of calls. */
    public Caller(String id, String name, Set<Scope> scopes, @Nullable String queuePrefix) {
        this(id, name, scopes, queuePrefix, null);
    }

    public boolean may(Scope scope) {
        return scopes.contains(scope) || scopes.contains(Scope.ADMIN);
    }

    /** Whether a queue exists for him. */
    public boolean sees(String queue) {
        return queuePrefix == null || queue.startsWith(queuePrefix);
    }

    /** Whether all queues exist for him. */
    public boolean seesAll() {
        return queuePrefix == null;
    }
}
