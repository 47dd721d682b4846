package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.cli.Ended;
import io.tickwheel.server.cli.StoreCommands;
import java.net.http.HttpHeaders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callbacks of a queue with secrets are signed as Standard Webhooks has it, and what the secrets are is said nowhere. */
final class SigningTest {

    private static final String CANARY = "CANARYcanaryCANARYcanaryCANARYcanary";
    private static final String SECRET = "whsec_" + CANARY;
    private static final String NEXT = "whsec_bmV4dCBuZXh0IG5leHQgbmV4dCBuZXh0IG5leHQ=";

    @TempDir
    private Path directory;

    private static void verify(String secret, Receiver.Arrival callback)
            throws EmptyWebhookSecretException, WebhookVerificationException {
        Map<String, List<String>> headers = callback.headers().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, header -> List.of(header.getValue())));
        new Webhook(secret).verify(callback.body(), HttpHeaders.of(headers, (name, value) -> true));
    }

    private static String output(Object... command) {
        Ended ended = StoreCommands.run(command);
        assertThat(ended.code()).as(ended.error()).isZero();
        return ended.output() + ended.error();
    }

    private static Reply set(RunningServer server, String method, String body) {
        return server.send(method, "/v1/queues/signed", RunningServer.JSON, body);
    }

    private static Receiver.Arrival callback(RunningServer server, Receiver receiver, String key) throws Exception {
        server.put("signed", key, "{\"delay\":\"0s\",\"payload\":{\"größe\":" + key.length() + "}}");
        return receiver.next();
    }

    @Test
    void receiverVerifiesWithEachSecretWhileTheyChange() throws Exception {
        try (RunningServer server = new RunningServer(directory);
                Receiver receiver = new Receiver()) {
            String target = "{\"target\":{\"url\":\"" + receiver.url("/") + "\"},\"secrets\":[";
            assertThat(set(server, "PUT", target + "\"" + SECRET + "\"]}").status())
                    .isEqualTo(200);
            Receiver.Arrival first = callback(server, receiver, "a");
            verify(SECRET, first);
            assertThat(first.headers().get("webhook-signature"))
                    .startsWith("v1,")
                    .doesNotContain(" ");
            assertThatThrownBy(() -> verify(NEXT, first)).isInstanceOf(WebhookVerificationException.class);

            set(server, "PATCH", "{\"secrets\":[\"" + NEXT + "\",\"" + SECRET + "\"]}");
            Receiver.Arrival both = callback(server, receiver, "b");
            verify(SECRET, both);
            verify(NEXT, both);

            set(server, "PATCH", "{\"secrets\":[\"" + NEXT + "\"]}");
            Receiver.Arrival second = callback(server, receiver, "c");
            verify(NEXT, second);
            assertThatThrownBy(() -> verify(SECRET, second)).isInstanceOf(WebhookVerificationException.class);

            set(server, "PATCH", "{\"secrets\":null}");
            assertThat(callback(server, receiver, "d").headers())
                    .doesNotContainKey("webhook-signature")
                    .containsKeys("webhook-id", "webhook-timestamp");
        }
    }

    /** Each attempt has its own time, and so its own signature; also that of a timer with a target of its own. */
    @Test
    void everyAttemptIsSigned() throws Exception {
        try (RunningServer server = new RunningServer(directory);
                Receiver receiver = new Receiver()) {
            set(server, "PUT", "{\"secrets\":[\"" + SECRET + "\"],\"retry\":{\"interval\":\"10ms\"}}");
            receiver.willAnswer(new Receiver.Answer(500));
            server.put("signed", "k", "{\"delay\":\"0s\",\"target\":{\"url\":\"" + receiver.url("/") + "\"}}");
            verify(SECRET, receiver.next());
            verify(SECRET, receiver.next());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"" + CANARY + "\"]",
                "[\"whsec_" + CANARY + "*\"]",
                "[\"whsec_" + CANARY + "\\ud800\"]",
                "[\"whsec_" + CANARY + CANARY + CANARY + "\"]",
                "[\"" + SECRET + "\",\"" + SECRET + "\"]",
                "[\"" + SECRET + "\",{}]",
                "[\"" + SECRET + "\",\"" + NEXT + "\",\"" + NEXT + "\"]",
                "\"" + SECRET + "\"",
                "[]",
                "[" + CANARY + "]",
                CANARY,
                "n" + CANARY,
                "[\"" + SECRET + "\"",
                "{\"count\":1,\"since\":\"2026-01-01T00:00:00Z\"}"
            })
    void whatIsNoSecretIsRefusedAndNotShown(String secrets) {
        try (LoggedEvents logged = new LoggedEvents();
                RunningServer server = new RunningServer(directory)) {
            Reply refused = set(server, "PUT", "{\"paused\":true,\"secrets\":" + secrets + "}");
            assertThat(refused.status()).as(refused.body()).isIn(400, 422);
            assertThat(refused.body()).containsAnyOf("secrets", "not JSON").doesNotContain("CANARY", "canary");
            assertThat(logged.messages(Level.TRACE).toString()).doesNotContain("CANARY", "canary");
            assertThat(set(server, "GET", null).field("code")).isEqualTo("unknown_queue");
        }
    }

    @Test
    void secretIsSaidNowhere() throws Exception {
        List<String> said = new ArrayList<>();
        try (LoggedEvents logged = new LoggedEvents()) {
            logged.debug(QueueCalls.class);
            try (RunningServer server = new RunningServer(directory);
                    Receiver receiver = new Receiver()) {
                String set = "{\"target\":{\"url\":\"" + receiver.url("/") + "\"},\"secrets\":[\"" + SECRET
                        + "\"],\"excerpts\":true,\"retry\":{\"maxAttempts\":1}}";
                Reply answer = set(server, "PUT", set);
                assertThat(answer.body())
                        .containsPattern("\"settings\":\\{[^}]*}.*\"secrets\":\\{\"count\":1,\"since\":\"20[^\"]+Z\"}");
                said.add(answer.body());
                said.add(set(server, "PATCH", "{\"concurrency\":3}").body());
                receiver.willAnswer(new Receiver.Answer(500), new Receiver.Answer(410));
                said.add(callback(server, receiver, "fails").toString());
                said.add(callback(server, receiver, "refused").toString());
                Patience.look(() -> server.get("/v1/queues/signed").body(), body -> body.contains("\"dead\":2"));
                said.add(server.send("POST", "/v1/queues/signed/pause", null, null)
                        .body());
                for (String path : List.of(
                        "/v1/queues",
                        "/v1/queues/signed",
                        "/v1/queues/signed/timers",
                        "/v1/queues/signed/timers/fails?content=true",
                        "/v1/queues/signed/dead",
                        "/v1/bulk",
                        "/metrics",
                        "/readyz")) {
                    said.add(server.get(path).body());
                }
                said.add(set(server, "GET", null).body());
            }
            said.add(output("export", directory));
            said.add(output("inspect", directory));
            said.add(output("verify", directory));
            said.addAll(logged.messages(Level.TRACE));
            said.addAll(logged.withStackTrace());
        }
        assertThat(said).noneMatch(text -> text.contains("CANARY") || text.contains("canary"));
        assertThat(output("export", directory, "--with-secrets"))
                .contains("\"excerpts\":true,\"secrets\":[\"" + SECRET + "\"]}");
    }
}
