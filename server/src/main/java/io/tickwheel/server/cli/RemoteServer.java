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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A running server, as a command calls it. What the server refuses, and that it is not there, ends the command. */
final class RemoteServer {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String NOTHING_DONE = "; nothing was done";

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

    /**
     * A part of a list.
     *
     * @param next where the list goes on; null when it does not
     */
    record Page(List<?> elements, @Nullable String next) {}

    private RemoteServer(String address, Login login) {
        this.address = address;
        this.login = login;
        this.client = login.client().build();
    }

    /**
     * @param name of the option or variable that says the address, for messages
     * @throws StartException when it is no address of a server
     */
    static RemoteServer at(String name, String address, Login login) {
        checkAddress(name, address);
        return new RemoteServer(address.endsWith("/") ? address.substring(0, address.length() - 1) : address, login);
    }

    /** @throws StartException when it is no address of a server */
    static void checkAddress(String name, String address) {
        try {
            HttpAddress.of("POST", address);
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong(name, address, String.valueOf(e.getMessage()));
        }
        if (address.indexOf('?') >= 0) {
            throw ToolArguments.wrong(name, address, "must have no query");
        }
    }

    Answer get(String path) {
        return send("GET", path, null, new Fate("", "; try again", ""));
    }

    /** Reads an answer that has a list in a field. */
    Answer list(ApiPath path, String name) {
        Answer answer = get(path.toString());
        if (!(answer.fields().get(name) instanceof List<?>)) {
            // Not an empty one: whoever answers so has none.
            throw refused(address + " answers without a list of " + name + ", must be a Tickwheel server");
        }
        return answer;
    }

    /**
     * Reads a page of a list.
     *
     * @param from where the page before has ended; null for the first one
     */
    Page page(ApiPath path, String name, @Nullable String from) {
        Map<?, ?> fields = list(path, name).fields();
        String next = fields.get("next") instanceof String text ? text : null;
        if (next != null && next.equals(from)) {
            throw refused(address + " answers with a page that leads to itself, must be a Tickwheel server");
        }
        return new Page((List<?>) Objects.requireNonNull(fields.get(name)), next);
    }

    /** Reads what a command must know before it changes anything. */
    Answer getBefore(ApiPath path) {
        return send("GET", path.toString(), null, new Fate(NOTHING_DONE, NOTHING_DONE, NOTHING_DONE));
    }

    Answer post(ApiPath path) {
        return send("POST", path, null);
    }

    /**
     * Makes a call that changes something.
     *
     * @param body JSON; null when the call takes none
     */
    Answer send(String method, ApiPath path, @Nullable String body) {
        String unknown = "; whether it did what it was told is not known; " + path.repetition();
        return send(method, path.toString(), body, new Fate(NOTHING_DONE, unknown, unknown));
    }

    /**
     * What became of a call that was not done as far as is known, for the end of a message.
     *
     * @param unsent when it was not sent
     * @param unanswered when it may have been sent
     * @param undecided when the answer leaves it open
     */
    private record Fate(String unsent, String unanswered, String undecided) {}

    private Answer send(String method, String path, @Nullable String body, Fate fate) {
        HttpRequest.Builder request = login.show(HttpRequest.newBuilder(URI.create(address + path)))
                .method(
                        method,
                        body == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response = exchange(request.build(), fate);
        Map<?, ?> fields = fields(response.body());
        if (response.statusCode() / 100 != 2) {
            throw refusal(response.statusCode(), fields, fate);
        }
        if (fields == null) {
            throw refused(address + " answers with no JSON object, must be a Tickwheel server");
        }
        return new Answer(response.body(), fields);
    }

    private StartException refusal(int status, @Nullable Map<?, ?> fields, Fate fate) {
        Object detail = fields == null ? null : fields.get("detail");
        String said = detail instanceof String text ? text : address + " answers " + status;
        if (status == 401 && !login.hasToken()) {
            said += "; " + SettingNames.TOKEN_FILE + " or --token-file must name a file that has one";
        }
        // A proxy that gives up says nothing of what its server did.
        boolean isOpen = fields == null ? status / 100 == 5 : "unknown".equals(fields.get("applied"));
        return refused(isOpen ? said + fate.undecided : said);
    }

    private HttpResponse<String> exchange(HttpRequest request, Fate fate) {
        try {
            return WholeAnswer.await(client, request, TIMEOUT, WholeAnswer.MOST_BYTES);
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw unreachable("cannot be reached: there is no connection" + fate.unsent, e);
        } catch (HttpTimeoutException e) {
            throw unreachable("has not answered within " + TIMEOUT.toSeconds() + " seconds" + fate.unanswered, e);
        } catch (WholeAnswer.TooLargeException e) {
            throw unreachable(e.getMessage() + fate.unanswered, e);
        } catch (IOException e) {
            String tls = TlsFailure.text(e);
            throw unreachable(
                    tls != null ? tls : "has broken the connection off" + TlsFailure.hint(address) + fate.unanswered,
                    e);
        } catch (InterruptedException e) {
            // The command ends with it; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            throw unreachable("has not answered yet" + fate.unanswered, e);
        }
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
