package io.tickwheel.server.wire;

import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.Tokens;
import java.util.List;

/** Tokens as the API shows them: without their hash, and the token itself only when it was made. */
public final class TokenJson {

    private TokenJson() {}

    public static JsonOut all(List<Token> tokens) {
        JsonOut out = new JsonOut(64 + 256 * tokens.size()).open('{');
        out.field("tokens").open('[');
        tokens.forEach(token -> {
            writeFields(out.element().open('{'), token);
            out.close('}');
        });
        return out.close(']').close('}');
    }

    public static JsonOut of(Token token) {
        return writeFields(new JsonOut(256).open('{'), token).close('}');
    }

    /** The answer to who made a token: it is the only one that has it. */
    public static JsonOut of(Tokens.Created created) {
        JsonOut out = writeFields(new JsonOut(384).open('{'), created.token());
        out.field("token").string(created.secret().reveal());
        return out.close('}');
    }

    private static JsonOut writeFields(JsonOut out, Token token) {
        out.field("id").string(token.id());
        out.field("name").string(token.caller().name());
        out.field("scopes").value(token.scopeWords());
        if (token.caller().queuePrefix() != null) {
            out.field("queuePrefix").string(token.caller().queuePrefix());
        }
        if (token.caller().rate() != null) {
            RateFields.write(out.field("rate"), token.caller().rate());
        }
        if (token.createdAtMs() != 0) {
            out.field("createdAt").string(TimeText.format(token.createdAtMs()));
        }
        if (token.expiresAtMs() != null) {
            out.field("expiresAt").string(TimeText.format(token.expiresAtMs()));
        }
        return out;
    }
}
