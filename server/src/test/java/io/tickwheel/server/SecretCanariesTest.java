package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.TokenSecret;
import io.tickwheel.server.tls.Identity;
import io.tickwheel.server.tls.TestIdentity;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server process with a secret of each kind, driven through all that may say one, with everything logged that anybody in it logs at DEBUG: each secret is then looked for in
 * all that it printed, answered and wrote, but where it is asked for.
 */
@Tag("full")
final class SecretCanariesTest {

    private static final String REDIS_PASSWORD = "canary-redis-5b1f";
    private static final String WRONG_PASSWORD = "canary-wrong-77ab";
    private static final String BROKER_PASSWORD = "canary-broker-c09e";
    private static final String COLLECTOR_KEY = "canary-collector-6d10";
    private static final String SIGNING = "whsec_Y2FuYXJ5U2lnbmluZ0tleUNhbmFyeTAxMjM0NQ==";
    private static final String NEXT_SIGNING = "whsec_Y2FuYXJ5TmV4dFNpZ25pbmdLZXk5ODc2NTQzMg==";
    private static final String HEADER = "canary-header-31d8";
    private static final String BAD_HEADER = "canary-bad-header-90fe";
    private static final String PAYLOAD = "canary-payload-e4a2";
    private static final String UNKNOWN_TOKEN = "tw_0123456789abcdef_canary0unknown0token00000000000000000000000";
    private static final String TRACE = "\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"";
    private static final String NO_TOKEN = "canary-no-token-1c6d";

    private static final TokenSecret ADMIN = TokenSecret.create(new SplittableRandom(29)::nextLong);

    private static final String LOGBACK = """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%-5level %logger - %msg%n%ex{full}</pattern></encoder>
              </appender>
              <root level="debug"><appender-ref ref="console"/></root>
            </configuration>
            """;

    @TempDir
    private Path directory;

    /** What was said, and by whom. */
    private final Map<String, String> said = new LinkedHashMap<>();

    private final List<String> tokens = new ArrayList<>(List.of(ADMIN.reveal()));
    private TestIdentity identity;
    private HttpClient client;
    private String server;

    @BeforeEach
    void identity() throws IOException {
        identity = TestIdentity.make(directory, "shown");
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(
                        Identity.context(null, Identity.trusted("trusted", Files.readAllBytes(identity.certificate()))))
                .build();
    }

    private String yaml(int redis) {
        String setting =
                new Token(new Caller(ADMIN.id(), "admin", Set.of(Scope.ADMIN), null), ADMIN.hash(), 0, null).setting();
        return """
                server: {port: 0, drainTimeout: 2s}
                access: {admin: '%s'}
                tls: {certificate: '%s', key: '%s'}
                audit: {file: '%s', of: changes}
                traces: {enabled: true}
                store:
                  kind: redis
                  redis: {uri: 'redis://127.0.0.1:%d', namespace: canaries, partitions: 2, lease: 5s, timeout: 5s}
                """.formatted(setting, identity.certificate(), identity.key(), directory.resolve("audit.log"), redis);
    }

    private Map<String, String> environment(String redisPassword, int broker) {
        return Map.of(
                "TICKWHEEL_STORE_REDIS_PASSWORD",
                redisPassword,
                "TICKWHEEL_TARGETS_RABBITMQ_HOST",
                "127.0.0.1",
                "TICKWHEEL_TARGETS_RABBITMQ_PORT",
                Integer.toString(broker),
                "TICKWHEEL_TARGETS_RABBITMQ_USER",
                "canary",
                "TICKWHEEL_TARGETS_RABBITMQ_PASSWORD",
                BROKER_PASSWORD,
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + broker,
                "OTEL_EXPORTER_OTLP_HEADERS",
                "api-key=" + COLLECTOR_KEY,
                "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                "true",
                "OTEL_BSP_SCHEDULE_DELAY",
                "50");
    }

    private ServerProcess start(int redis, int broker, String redisPassword) throws IOException {
        Path logback = Files.writeString(directory.resolve("logback.xml"), LOGBACK);
        return ServerProcess.start(
                directory, yaml(redis), environment(redisPassword, broker), "-Dlogback.configurationFile=" + logback);
    }

    @Test
    void noSecretIsSaidAnywhere() throws Exception {
        try (RedisServer redis = RedisServer.builder().password(REDIS_PASSWORD).start();
                Receiver receiver = new Receiver()) {
            int broker = portOfNobody();
            refusedStart(redis.port(), broker);
            try (ServerProcess process = start(redis.port(), broker, REDIS_PASSWORD)) {
                server = "https://localhost:" + process.port();
                queuesAndTimers(receiver);
                badRequests();
                tokens();
                looks();
                tools(redis.port(), broker);
                outage(redis);
                dump(process);
                process.terminate();
                process.ended();
                said.put("the process", process.printed());
            }
        }
        said.put("the audit log", Files.readString(directory.resolve("audit.log")));
        assertThatTheTestSees();
        for (String secret : secrets()) {
            said.forEach((who, text) ->
                    assertThat(text).as("%s, said by %s", secret, who).doesNotContain(secret));
        }
    }

    private static int portOfNobody() throws IOException {
        try (ServerSocket nobody = new ServerSocket(0)) {
            return nobody.getLocalPort();
        }
    }

    /** With a wrong password the server ends, or waits, and says why. */
    private void refusedStart(int redis, int broker) throws Exception {
        try (ServerProcess refused = start(redis, broker, WRONG_PASSWORD)) {
            refused.ended();
            said.put("a start with a wrong password", refused.printed());
        }
    }

    private List<String> secrets() throws IOException {
        List<String> secrets = new ArrayList<>(List.of(
                REDIS_PASSWORD,
                WRONG_PASSWORD,
                BROKER_PASSWORD,
                COLLECTOR_KEY,
                SIGNING.substring("whsec_".length()),
                NEXT_SIGNING.substring("whsec_".length()),
                HEADER,
                BAD_HEADER,
                PAYLOAD,
                UNKNOWN_TOKEN.substring(20),
                NO_TOKEN));
        // Behind its public part.
        tokens.forEach(token -> secrets.add(token.substring(20)));
        Files.readAllLines(identity.key()).stream()
                .filter(line -> !line.startsWith("---") && line.length() > 20)
                .forEach(secrets::add);
        return secrets;
    }

    private void assertThatTheTestSees() {
        assertThat(said.get("the process"))
                .contains("DEBUG", "Full thread dump", "WARN", "spans. The request could not be executed");
        assertThat(said.get("config explain")).contains("store.redis.password", "targets.rabbitmq.password");
        assertThat(said.get("the audit log")).contains("\"action\":", ADMIN.id());
        assertThat(said.keySet()).hasSizeGreaterThan(40);
        assertThat(tokens).hasSize(2);
    }

    private String call(String token, String method, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", path.endsWith(":batch") ? RunningServer.NDJSON : RunningServer.JSON);
        if (token != null) {
            request.header("Authorization", token);
        }
        HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.headers().map() + " " + response.body();
    }

    private String admin(String method, String path, String body) throws Exception {
        String answer = call("Bearer " + ADMIN.reveal(), method, path, body);
        said.put(said.size() + ": " + method + " " + path, answer);
        return answer;
    }

    private static String timer(String more) {
        return "{\"delay\":\"0s\",\"payload\":{\"secret\":\"" + PAYLOAD + "\"},\"headers\":{\"Authorization\":\"Bearer "
                + HEADER + "\"},\"retry\":{\"maxAttempts\":2,\"interval\":\"10ms\"}" + more + "}";
    }

    private void queuesAndTimers(Receiver receiver) throws Exception {
        String signed = "/v1/queues/signed";
        admin(
                "PUT",
                signed,
                "{\"target\":{\"url\":\"" + receiver.url("/") + "\"},\"secrets\":[\"" + SIGNING
                        + "\"],\"excerpts\":true}");
        admin("PATCH", signed, "{\"secrets\":[\"" + NEXT_SIGNING + "\",\"" + SIGNING + "\"]}");
        receiver.willAnswer(new Receiver.Answer(500), new Receiver.Answer(410));
        admin("PUT", signed + "/timers/fails", timer(""));
        receiver.next();
        receiver.next();
        String closed = ",\"target\":{\"url\":\"http://127.0.0.1:1/\"}";
        admin(
                "PUT",
                signed + "/timers/closed",
                timer(closed).replace("\"Authorization\"", TRACE + ",\"Authorization\""));
        admin("PUT", signed + "/timers/unknown", timer(",\"target\":{\"url\":\"http://canary.invalid/\"}"));
        admin(
                "PUT",
                signed + "/timers/broker",
                timer(",\"target\":{\"rabbitmq\":{\"exchange\":\"e\",\"routingKey\":\"k\"}}"));
        admin("POST", signed + "/timers:batch", timer(closed) + "\n{\"cancel\":\"nobody\"}\n");
        for (String key : List.of("fails", "closed", "unknown", "broker")) {
            String dead = Patience.look(
                    () -> unchecked(() -> call("Bearer " + ADMIN.reveal(), "GET", signed + "/timers/" + key, null)),
                    answer -> answer.contains("\"DEAD\""));
            said.put("dead: " + key, dead);
        }
        admin("PUT", "/v1/queues/leased/timers/k", timer(""));
        // The lease itself has what the consumer is to work on.
        String lease = call("Bearer " + ADMIN.reveal(), "POST", "/v1/queues/leased/leases", "{\"wait\":\"30s\"}");
        assertThat(lease).contains(PAYLOAD, HEADER);
    }

    private interface Call {

        String make() throws Exception;
    }

    private static String unchecked(Call call) {
        try {
            return call.make();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void badRequests() throws Exception {
        for (String token : new String[] {
            "Bearer " + UNKNOWN_TOKEN,
            "Bearer " + NO_TOKEN,
            "Basic " + NO_TOKEN,
            NO_TOKEN,
            "Bearer " + ADMIN.reveal() + NO_TOKEN
        }) {
            said.put(said.size() + ": a bad token", call(token, "GET", "/v1/queues", null));
        }
        String path = "/v1/queues/signed/timers/bad";
        for (String body : new String[] {
            timer("").replace(HEADER, BAD_HEADER + "\\u0001"),
            timer("").replace("Authorization", "Host"),
            timer(",\"unknown\":1"),
            timer("").replace("0s", "never"),
            timer(",\"onConflict\":\"x\""),
            timer("") + "x"
        }) {
            assertThat(admin("PUT", path, body)).startsWith("4");
            admin("POST", "/v1/queues/signed/timers:batch", body);
        }
        admin("PUT", "/v1/queues/signed", "{\"secrets\":[\"" + SIGNING + "\",\"" + SIGNING + "\"]}");
        admin("PUT", "/v1/queues/signed", "{\"secrets\":[\"" + SIGNING.substring(6) + "\"]}");
        admin("PUT", "/v1/queues/signed", "{\"secrets\":\"" + SIGNING + "\"");
        admin("DELETE", "/v1/nothing", null);
    }

    private void tokens() throws Exception {
        String made =
                call("Bearer " + ADMIN.reveal(), "POST", "/v1/tokens", "{\"name\":\"canary\",\"scopes\":[\"read\"]}");
        String token = made.replaceFirst("(?s).*\"token\":\"([^\"]+)\".*", "$1");
        assertThat(token).startsWith("tw_");
        tokens.add(token);
        String id = token.substring(3, 19);
        said.put("a token that may not", call("Bearer " + token, "PUT", "/v1/queues/signed/timers/k", timer("")));
        said.put("a token", call("Bearer " + token, "GET", "/v1/queues", null));
        admin("GET", "/v1/tokens", null);
        admin("DELETE", "/v1/tokens/" + id, null);
        said.put("a token that was revoked", call("Bearer " + token, "GET", "/v1/queues", null));
    }

    private void looks() throws Exception {
        for (String path : List.of(
                "/livez",
                "/readyz",
                "/metrics",
                "/openapi.json",
                "/v1/queues",
                "/v1/queues/signed",
                "/v1/queues/signed/timers",
                "/v1/queues/signed/dead",
                "/v1/queues/signed/load",
                "/v1/bulk")) {
            assertThat(admin("GET", path, null)).startsWith("200 ");
        }
        admin("POST", "/v1/queues/signed/timers:redrive?dryRun=true", null);
    }

    /** Commands on the store, as processes of their own: they get the password as the server does. Exports have payloads and headers, and nothing else that is secret. */
    private void tools(int redis, int broker) throws Exception {
        Path config = Files.writeString(directory.resolve("explained.yaml"), yaml(redis));
        said.put("config explain", tool(broker, "config", "explain", "--config", config.toString()));
        for (String[] command : new String[][] {
            {"verify", "--redis", "redis://127.0.0.1:" + redis},
            {"export", "--redis", "redis://127.0.0.1:" + redis},
            {"verify", "--redis", "redis://127.0.0.1:1"}
        }) {
            String output = tool(broker, command);
            said.put(
                    String.join(" ", command),
                    output.replace(PAYLOAD, "PAYLOAD").replace(HEADER, "HEADER"));
            assertThat(output).doesNotContain(BAD_HEADER);
        }
        assertThat(said.get("export --redis redis://127.0.0.1:" + redis)).contains("signed");
    }

    private String tool(int broker, String... arguments) throws Exception {
        Path printed = Files.createTempFile(directory, "tool", ".txt");
        List<String> command = ServerJvm.command(
                "-Dlogback.configurationFile=" + directory.resolve("logback.xml"), "io.tickwheel.server.Main");
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
        builder.environment().putAll(environment(REDIS_PASSWORD, broker));
        builder.environment().put("TICKWHEEL_STORE_REDIS_NAMESPACE", "canaries");
        builder.start().waitFor();
        return Files.readString(printed, StandardCharsets.UTF_8);
    }

    /** The store goes away under the server, for good. */
    private void outage(RedisServer redis) throws Exception {
        redis.kill();
        admin("PUT", "/v1/queues/signed/timers/away", timer(""));
        admin("PUT", "/v1/queues/signed", "{\"secrets\":[\"" + SIGNING + "\"]}");
        admin("POST", "/v1/tokens", "{\"name\":\"canary\",\"scopes\":[\"read\"]}");
        admin("GET", "/readyz", null);
        admin("GET", "/metrics", null);
    }

    /** All threads with their names and what they hold, as operators ask for. */
    private static void dump(ServerProcess process) throws Exception {
        new ProcessBuilder("kill", "-QUIT", Long.toString(process.id())).start().waitFor();
        Patience.look(() -> unchecked(process::printed), text -> text.contains("Full thread dump"));
    }
}
