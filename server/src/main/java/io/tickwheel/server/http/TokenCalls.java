package io.tickwheel.server.http;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.TokenWish;
import io.tickwheel.server.access.Tokens;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.TokenFields;
import io.tickwheel.server.wire.TokenJson;
import io.vertx.core.http.HttpHeaders;

/** The calls on tokens. */
final class TokenCalls {

    private static final String NO_STORE = "no-store";

    private final Readiness readiness;
    private final Tokens tokens;
    private final Clock clock;

    TokenCalls(Readiness readiness, Guard guard) {
        this.readiness = readiness;
        this.tokens = guard.tokens();
        this.clock = guard.clock();
    }

    /** A token that nobody is asked for would make believe. */
    void checkAsked() {
        if (!tokens.isAsked()) {
            throw new Problem(ProblemCode.TOKENS_OFF, "access.admin is not set, must be before there can be tokens")
                    .withApplied(Problem.Applied.NO)
                    .exception();
        }
    }

    void all(Exchange exchange) {
        readiness.timers();
        exchange.answer(200, TokenJson.all(tokens.all()));
    }

    void create(Exchange exchange, byte[] body) {
        TokenWish wish = TokenFields.read(body, clock.now());
        exchange.await(tokens.create(readiness.timers(), wish), created -> {
            if (created.isEmpty()) {
                exchange.refuse(new Problem(
                                ProblemCode.TOO_MANY_TOKENS,
                                "there are " + Tokens.MOST + " tokens, must be fewer for another one")
                        .withApplied(Problem.Applied.NO));
                return;
            }
            exchange.makes(created.get().token().id());
            exchange.request().response().putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
            exchange.answer(201, TokenJson.of(created.get()));
        });
    }

    void revoke(Exchange exchange, String id) {
        if (tokens.isConfigured(id)) {
            exchange.refuse(new Problem(
                            ProblemCode.UNKNOWN_TOKEN,
                            "token " + id
                                    + " is that of access.admin, must be revoked by another value there and a start")
                    .withApplied(Problem.Applied.NO));
            return;
        }
        exchange.await(tokens.revoke(readiness.timers(), id), revoked -> {
            if (revoked.isEmpty()) {
                exchange.refuse(new Problem(ProblemCode.UNKNOWN_TOKEN, "no token has the id " + Excerpt.quoted(id))
                        .withApplied(Problem.Applied.NO));
                return;
            }
            Token token = revoked.get();
            exchange.answer(200, TokenJson.of(token));
        });
    }
}
