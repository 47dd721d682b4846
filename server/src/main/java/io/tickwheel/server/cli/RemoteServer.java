package io.tickwheel.server.cli;

import io.tickwheel.server.config.SettingNames;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.targets.HttpAddress;
import io.tickwheel.server.wire.Excerpt;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A running server, as a command calls it. What the server refuses, and that it is not there, ends the command. */
final class RemoteServer {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final String address;
    private final Login login;
    private final HttpClient client;

    /** What a server says when it does as it is told. */
    record Answer(String json, Map<?, ?> fields) {

        /** The text of a field that every such answer has. */
        String text(String name) {
            return String.valueOf(fields.get(name));
        }

        /** The number in a field; 0 when there is none. */
        long number(String name) {
            return fields.get(name) instanceof Number number ? number.longValue() : 0;
        }
    }

    private RemoteServer(String address, Login login) {
        this.address = address;
        this.login = login;
        this.client = login.client().connectTimeout(CONNECT_TIMEOUT).build();
    }

    /**
     * @param name of the option or variable that says the address, for messages
     * @throws StartException when it is no address of a server
     */
    static RemoteServer at(String name, String address, Login login) {
        try {
            HttpAddress.of("POST", address);
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong(name, address, String.valueOf(e.getMessage()));
        }
        if (address.indexOf('?') >= 0 || address.indexOf('#') >= 0) {
            throw ToolArguments.wrong(name, address, "must have no query and no fragment");
        }
        return new RemoteServer(address.endsWith("/") ? address.substring(0, address.length() - 1) : address, login);
    }

    Answer get(String path) {
        return send("GET", path, null);
    }

    Answer post(String path) {
        return send("POST", path, null);
    }

    /** @param body JSON; null when the call takes none */
    Answer send(String method, String path, @Nullable String body) {
        HttpRequest.Builder request = login.show(HttpRequest.newBuilder(URI.create(address + path)))
                .timeout(TIMEOUT)
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response = exchange(request.build());
        Map<?, ?> fields = fields(response.body());
        if (response.statusCode() / 100 != 2) {
            Object detail = fields == null ? null : fields.get("detail");
            String wanted = response.statusCode() == 401 && !login.hasToken()
                    ? "; " + SettingNames.TOKEN_FILE + " or --token-file must name a file that has one"
                    : "";
            throw refused(
                    (detail instanceof String text ? text : address + " answers " + response.statusCode()) + wanted);
        }
        if (fields == null) {
            throw refused(address + " answers with no JSON object, must be a Tickwheel server");
        }
        return new Answer(response.body(), fields);
    }

    private HttpResponse<String> exchange(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw unreachable("cannot be reached: there is no connection", e);
        } catch (HttpTimeoutException e) {
            throw unreachable(
                    "has not answered within " + TIMEOUT.toSeconds() + " seconds; " + unknown(request.method()), e);
        } catch (IOException e) {
            String tls = TlsFailure.text(e);
            throw unreachable(
                    tls != null
                            ? tls
                            : "has broken the connection off" + TlsFailure.hint(address) + "; "
                                    + unknown(request.method()),
                    e);
        } catch (InterruptedException e) {
            // The command ends with it; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            throw unreachable("has not answered yet; " + unknown(request.method()), e);
        }
    }

    private static String unknown(String method) {
        return method.equals("GET") ? "try again" : "whether it did what it was told is not known";
    }

    private StartException unreachable(String what, Exception cause) {
        return new StartException(address + " " + what, StartException.UNAVAILABLE, cause);
    }

    /** One line, whatever the server says. */
    private static StartException refused(String message) {
        return new StartException(Excerpt.line(message));
    }

    /** The fields of an answer; null when it is no JSON object. */
    private static @Nullable Map<?, ?> fields(String body) {
        try {
            return JsonTree.readObject(body);
        } catch (IOException e) {
            // Told by what comes of it: anything may stand at an address.
            return null;
        }
    }
}
