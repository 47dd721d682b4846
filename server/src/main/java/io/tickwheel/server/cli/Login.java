package io.tickwheel.server.cli;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a command shows a server, so that this knows who it is. Immutable; its token is in no message. */
final class Login {

    static final Login NONE = new Login(null);

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]+");

    private final @Nullable String token;

    private Login(@Nullable String token) {
        this.token = token;
    }

    /**
     * With a token.
     *
     * @param name of where it comes from, for messages
     * @throws io.tickwheel.server.config.StartException when the text cannot be one
     */
    static Login with(String name, String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw ToolArguments.wrong(name + " has no token, must have one and nothing else");
        }
        return new Login(token);
    }

    HttpClient.Builder client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    }

    HttpRequest.Builder show(HttpRequest.Builder request) {
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }
}
