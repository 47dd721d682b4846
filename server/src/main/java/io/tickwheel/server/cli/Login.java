package io.tickwheel.server.cli;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** What a command shows a server, so that this knows who it is. Immutable; its token is in no message. */
final class Login {

    static final Login NONE = new Login(null, null);

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]+");

    /** A server that is there takes a connection sooner. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final @Nullable String token;
    private final @Nullable SSLContext tls;

    private Login(@Nullable String token, @Nullable SSLContext tls) {
        this.token = token;
        this.tls = tls;
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
        return new Login(token, null);
    }

    /** The same over a connection of its own; null for that of the JVM. */
    Login over(@Nullable SSLContext context) {
        return new Login(token, context);
    }

    boolean hasToken() {
        return token != null;
    }

    /** A client that says of a server that takes no connection that there is none, and not that its answer is awaited. */
    HttpClient.Builder client() {
        HttpClient.Builder client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        return tls == null ? client : client.sslContext(tls);
    }

    HttpRequest.Builder show(HttpRequest.Builder request) {
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }
}
