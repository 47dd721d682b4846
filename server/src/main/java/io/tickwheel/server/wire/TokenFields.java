package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.TokenWish;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The body of the call that makes a token. */
public final class TokenFields {

    private static final String NAME = "name";
    private static final String SCOPES = "scopes";
    private static final String PREFIX = "queuePrefix";
    private static final String EXPIRES_AT = "expiresAt";
    private static final String RATE = "rate";

    private TokenFields() {}

    /**
     * Reads what is asked for.
     *
     * @throws ProblemException when the bytes are no such body
     */
    public static TokenWish read(byte[] bytes, Instant now) {
        return JsonBody.read(bytes, json -> read(json, now));
    }

    private static TokenWish read(JsonParser json, Instant now) throws IOException {
        String name = null;
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        String prefix = null;
        Instant expiresAt = null;
        RateLimit rate = null;
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            json.nextToken();
            switch (field) {
                case NAME -> name = named(json, field, ProblemCode.INVALID_TOKEN_NAME, Token::checkName);
                case SCOPES -> scopes = scopes(json);
                case PREFIX -> prefix = named(json, field, ProblemCode.INVALID_QUEUE, Token::checkPrefix);
                case EXPIRES_AT -> expiresAt = expiresAt(json, now);
                case RATE -> rate = RateFields.read(json, field, TokenFields::withoutBurst);
                default -> throw FieldValues.unknownField(field);
            }
        }
        if (name == null) {
            throw missing(NAME);
        }
        if (scopes.isEmpty()) {
            throw missing(SCOPES);
        }
        return new TokenWish(name, scopes, prefix, expiresAt, rate);
    }

    /** Callers come in bursts: they may make the calls of a second at once. */
    private static RateLimit withoutBurst(double perSecond) {
        return new RateLimit(perSecond, (int) Math.ceil(perSecond));
    }

    /** Checks the text of a field by a rule. */
    private interface Rule {

        void check(String text);
    }

    private static String named(JsonParser json, String field, ProblemCode code, Rule rule) throws IOException {
        String text = FieldValues.text(json, field);
        try {
            rule.check(text);
        } catch (IllegalArgumentException e) {
            throw FieldValues.problem(code, Excerpt.sentence(String.valueOf(e.getMessage())), field);
        }
        return text;
    }

    private static Set<Scope> scopes(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw FieldValues.wrongType(json, SCOPES, "an array");
        }
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        while (json.nextToken() != JsonToken.END_ARRAY) {
            String place = SCOPES + "[" + scopes.size() + "]";
            if (!scopes.add(FieldValues.checked(json, place, ProblemCode.INVALID_CHOICE, Scope::of))) {
                throw FieldValues.problem(
                        ProblemCode.INVALID_CHOICE, SCOPES + " has a scope twice, must have each once", SCOPES);
            }
        }
        return scopes;
    }

    private static @Nullable Instant expiresAt(JsonParser json, Instant now) throws IOException {
        Instant time = FieldValues.time(json, EXPIRES_AT);
        if (!time.isAfter(now)) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE,
                    EXPIRES_AT + " is " + time + ", must be later than now, which is " + now,
                    EXPIRES_AT);
        }
        return time;
    }

    private static ProblemException missing(String field) {
        return FieldValues.problem(ProblemCode.FIELD_MISSING, field + " is not there, must be", field);
    }
}
