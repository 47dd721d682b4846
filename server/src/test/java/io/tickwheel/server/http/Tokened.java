package io.tickwheel.server.http;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.TokenSecret;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that asks for tokens, as its administrator sees it. */
public record Tokened(RunningServer server) {

    public static final TokenSecret ADMIN = TokenSecret.create(new SplittableRandom(11)::nextLong);

    private static final Pattern TEXT = Pattern.compile("\"token\":\"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    /** What was made: the token, and its public part. */
    public record Made(String id, String text) {}

    public static ServerConfig asking(ServerConfig config) {
        Token admin = new Token(new Caller(ADMIN.id(), "admin", Set.of(Scope.ADMIN), null), ADMIN.hash(), 0, null);
        return config.withEdge(new EdgeConfig(Token.configured(admin.setting()), false, null, false, false, null));
    }

    RunningServer.Reply call(String token, String method, String path, String body) {
        String type = body == null ? null : path.endsWith(":batch") ? RunningServer.NDJSON : RunningServer.JSON;
        return token == null
                ? server.send(method, path, type, body)
                : server.send(method, path, type, body, "Authorization", "Bearer " + token);
    }

    RunningServer.Reply admin(String method, String path, String body) {
        return call(ADMIN.reveal(), method, path, body);
    }

    /** Makes a token with some fields beside its name, such as {@code "scopes":["read"]}. */
    Made make(String fields) {
        RunningServer.Reply reply = admin("POST", "/v1/tokens", "{\"name\":\"made\"," + fields + "}");
        if (reply.status() != 201) {
            throw new AssertionError(reply);
        }
        return new Made(found(ID, reply.body()), found(TEXT, reply.body()));
    }

    static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("no " + pattern + " in " + text);
        }
        return matcher.group(1);
    }
}
