package io.tickwheel.server.http;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.access.CallRates;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.access.FailedLogins;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.access.Tokens;
import io.tickwheel.server.audit.AuditLog;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks each request for a token, before anything is read of its body, and holds it to what its route needs. A token that is none costs its address one of its
 * {@link FailedLogins}; one that is good is taken whatever others at that address do. For one event loop.
 */
public final class Guard {

    /** Why there are no calls, and what is to be done. */
    public static final String LEFT_OPEN =
            "the store keeps tokens, and access.admin is not set, so that nobody would be"
                    + " asked for one: must be set, or insecure must be true";

    private static final Set<Scope> OF_ADMIN = Set.of(Scope.ADMIN);
    private static final String SCHEME = "bearer ";

    private final Tokens tokens;
    private final boolean openMetrics;
    private final @Nullable AuditLog audit;
    private final Clock clock;
    private final FailedLogins failures = new FailedLogins();
    private final CallRates rates = new CallRates();

    /**
     * Lets in whoever brings one of the tokens, or everybody where none is asked for.
     *
     * @param openMetrics whether {@code /metrics} is for everybody
     * @param audit is told of calls; null for none
     */
    public Guard(Tokens tokens, boolean openMetrics, @Nullable AuditLog audit, Clock clock) {
        this.tokens = tokens;
        this.openMetrics = openMetrics;
        this.audit = audit;
        this.clock = clock;
    }

    Tokens tokens() {
        return tokens;
    }

    Clock clock() {
        return clock;
    }

    /**
     * Learns who makes a call.
     *
     * @throws ProblemException when he may not
     */
    void admit(Exchange exchange, Route route, String method) {
        Route.Resource resource = route.resource();
        Set<Scope> needed = resource.needed(method);
        boolean isOpen = needed.isEmpty() || (openMetrics && resource == Route.Resource.METRICS);
        if (isOpen) {
            return;
        }
        Problem leftOpen = leftOpen();
        if (leftOpen != null) {
            throw leftOpen.exception();
        }
        Caller caller = tokens.isAsked() ? callerOf(exchange.request()) : Caller.ANYBODY;
        exchange.admit(caller);
        if (audit != null && isAudited(audit, needed, method)) {
            new AuditedCall(route, method).follow(exchange, audit, clock);
        }
        count(exchange, caller);
        if (needed.stream().noneMatch(caller::may)) {
            throw lacking(caller, needed);
        }
        if (route.queue() != null) {
            checkQueue(caller, route.queue());
        } else if (resource.isForAllQueues() && !caller.seesAll()) {
            throw forbidden("token " + caller.name() + " is for queues that begin with " + caller.queuePrefix()
                    + ", the call must have one for all queues");
        }
    }

    /** Counts the call among those that its caller may make, and lets it count its parts when these are known. */
    private void count(Exchange exchange, Caller caller) {
        long seconds = rates.call(caller, clock.monoNanos());
        if (seconds > 0) {
            exchange.request().response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
            throw new Problem(
                            ProblemCode.TOO_MANY_CALLS,
                            "token " + caller.name() + " has made as many calls as it may, try again in " + seconds
                                    + " seconds")
                    .withApplied(Problem.Applied.NO)
                    .exception();
        }
        exchange.meter(more -> rates.more(caller, more, clock.monoNanos()));
    }

    /** Why a call is not carried out any more that came with a good token: that was revoked meanwhile, or has expired; null while it is good. */
    @Nullable
    Problem ended(Caller caller) {
        return caller.id().isEmpty() || tokens.isStillGood(caller)
                ? null
                : unauthenticated("the token has expired or was revoked meanwhile");
    }

    /** Why nobody may make a call that needs a scope; null when those may who show what they must. */
    @Nullable
    Problem leftOpen() {
        return tokens.areLeftOpen()
                ? new Problem(ProblemCode.ACCESS_NOT_SET, LEFT_OPEN).withApplied(Problem.Applied.NO)
                : null;
    }

    private static boolean isAudited(AuditLog audit, Set<Scope> needed, String method) {
        return !method.equals("GET") && (audit.isOfAllChanges() || needed.equals(OF_ADMIN));
    }

    private Caller callerOf(HttpServerRequest request) {
        List<String> values = request.headers().getAll(HttpHeaders.AUTHORIZATION);
        if (values.isEmpty()) {
            throw unauthenticated("there is no Authorization header, must be Bearer and a token")
                    .exception();
        }
        String text = values.size() > 1 ? null : bearer(values.get(0));
        Caller caller = text == null ? null : tokens.callerOf(text);
        if (caller != null) {
            return caller;
        }
        if (!tokens.isLoaded()) {
            throw new Problem(ProblemCode.RECOVERING, "the tokens are being read, try again soon")
                    .withApplied(Problem.Applied.NO)
                    .exception();
        }
        throw failed(request);
    }

    private static @Nullable String bearer(String value) {
        return value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()) ? value.substring(SCHEME.length()) : null;
    }

    private ProblemException failed(HttpServerRequest request) {
        String address = request.remoteAddress().hostAddress();
        long seconds = failures.failed(String.valueOf(address), clock.monoNanos());
        if (seconds == 0) {
            return unauthenticated("the token is none, or has expired or was revoked")
                    .exception();
        }
        request.response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
        return new Problem(
                        ProblemCode.TOO_MANY_FAILED_LOGINS,
                        "too many tokens from this address were none, try again in " + seconds + " seconds")
                .withApplied(Problem.Applied.NO)
                .exception();
    }

    /** @throws ProblemException when a line of a batch needs what the caller may not */
    static void checkScope(Caller caller, Scope needed) {
        if (!caller.may(needed)) {
            throw lacking(caller, Set.of(needed));
        }
    }

    /** @throws ProblemException when the queue does not exist for the caller */
    static void checkQueue(Caller caller, String queue) {
        if (!caller.sees(queue)) {
            throw forbidden("the queue is " + Excerpt.quoted(queue) + ", must begin with " + caller.queuePrefix()
                    + " for token " + caller.name());
        }
    }

    private static ProblemException lacking(Caller caller, Set<Scope> needed) {
        String words = Stream.concat(needed.stream(), Stream.of(Scope.ADMIN))
                .distinct()
                .sorted()
                .map(Scope::word)
                .collect(Collectors.joining(" or "));
        String has = caller.scopes().stream().sorted().map(Scope::word).collect(Collectors.joining(", "));
        return forbidden(
                String.format(Locale.ROOT, "token %s has the scopes %s, must have %s", caller.name(), has, words));
    }

    private static ProblemException forbidden(String detail) {
        return new Problem(ProblemCode.FORBIDDEN, detail)
                .withApplied(Problem.Applied.NO)
                .exception();
    }

    private static Problem unauthenticated(String detail) {
        return new Problem(ProblemCode.UNAUTHENTICATED, detail).withApplied(Problem.Applied.NO);
    }
}
