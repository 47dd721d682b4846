package io.tickwheel.server.access;

import io.tickwheel.engine.RateLimit;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All tokens that are not revoked, as the store keeps them. Immutable.
 *
 * <pre>
 *   tickwheel tokens 1
 *   8f1d0c2b6a597e43 2c26b46b… 1796000000000 - read,pull =orders- shop
 *   id               SHA-256   made   expires  scopes   prefix    name       in ms; - for never, and for all queues
 *   8f1d0c2b6a597e44 2c26b46b… 1796000000000 - read - shop 50.0/100
 *                                                          rate and burst, of a token that has them
 * </pre>
 */
final class TokenList {

    /** How many tokens there may be. */
    static final int MOST = 1_000;

    static final TokenList EMPTY = new TokenList(Map.of());

    private static final String HEAD = "tickwheel tokens 1";
    private static final String NONE = "-";
    private static final int PARTS = 7;
    private static final int PARTS_WITH_RATE = 8;

    private final Map<String, Token> tokens;

    private TokenList(Map<String, Token> tokens) {
        this.tokens = tokens;
    }

    /** @throws IllegalArgumentException when it is no such list: then none of its tokens counts */
    static TokenList read(String text) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(HEAD)) {
            throw new IllegalArgumentException("the list of tokens has another form than this version knows");
        }
        Map<String, Token> read = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            Token token = token(i, lines[i].split(" ", -1));
            read.put(token.id(), token);
        }
        return new TokenList(read);
    }

    /** The line is not in the message: it has a hash. */
    private static Token token(int line, String[] parts) {
        if (parts.length != PARTS && parts.length != PARTS_WITH_RATE) {
            throw new IllegalArgumentException("line " + line + " of the list of tokens has " + parts.length
                    + " parts, must have " + PARTS + " or " + PARTS_WITH_RATE);
        }
        try {
            Set<Scope> scopes = EnumSet.noneOf(Scope.class);
            for (String word : parts[4].split(",", -1)) {
                scopes.add(Scope.of(word));
            }
            String prefix = parts[5].equals(NONE) ? null : parts[5].substring(1);
            return new Token(
                    new Caller(parts[0], parts[6], scopes, prefix, parts.length == PARTS ? null : rate(parts[7])),
                    parts[1],
                    Long.parseLong(parts[2]),
                    parts[3].equals(NONE) ? null : Long.valueOf(parts[3]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("line " + line + " of the list of tokens cannot be read", e);
        }
    }

    private static RateLimit rate(String text) {
        int slash = text.indexOf('/');
        return new RateLimit(
                Double.parseDouble(text.substring(0, Math.max(0, slash))), Integer.parseInt(text.substring(slash + 1)));
    }

    String write() {
        StringBuilder text = new StringBuilder(HEAD);
        for (Token token : tokens.values()) {
            String prefix = token.caller().queuePrefix();
            Long expiresAtMs = token.expiresAtMs();
            text.append('\n').append(token.id());
            text.append(' ').append(token.hash());
            text.append(' ').append(token.createdAtMs());
            text.append(' ').append(expiresAtMs == null ? NONE : expiresAtMs.toString());
            text.append(' ').append(String.join(",", token.scopeWords()));
            text.append(' ').append(prefix == null ? NONE : "=" + prefix);
            text.append(' ').append(token.caller().name());
            RateLimit rate = token.caller().rate();
            if (rate != null) {
                text.append(' ').append(rate.perSecond()).append('/').append(rate.burst());
            }
        }
        return text.toString();
    }

    @Nullable
    Token find(String id) {
        return tokens.get(id);
    }

    Collection<Token> all() {
        return tokens.values();
    }

    boolean isFull() {
        return tokens.size() >= MOST;
    }

    TokenList with(Token token) {
        Map<String, Token> more = new LinkedHashMap<>(tokens);
        more.put(token.id(), token);
        return new TokenList(more);
    }

    TokenList without(String id) {
        Map<String, Token> fewer = new LinkedHashMap<>(tokens);
        fewer.remove(id);
        return new TokenList(fewer);
    }
}
