package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers lease timers over HTTP. */
final class LeaseCallsTest {

    private static final Pattern LEASE = Pattern.compile("\"lease\":\"([^\"]+)\"");

    @TempDir
    private static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Reply poll(String queue, String body) {
        return send("/v1/queues/" + queue + "/leases", body);
    }

    private static Reply send(String path, String body) {
        return server.send("POST", path, body == null ? null : RunningServer.JSON, body);
    }

    private static Reply ask(String lease, String what, String body) {
        return send("/v1/leases/" + lease + "/" + what, body);
    }

    private static List<String> leases(Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        Matcher found = LEASE.matcher(reply.body());
        List<String> ids = new ArrayList<>();
        while (found.find()) {
            ids.add(found.group(1));
        }
        return ids;
    }

    private static String one(String queue, String key) {
        assertThat(server.put(queue, key, "{\"delay\":\"0s\"}").status()).isEqualTo(201);
        return again(queue);
    }

    private static String again(String queue) {
        List<String> ids = leases(poll(queue, "{\"wait\":\"20s\"}"));
        assertThat(ids).hasSize(1);
        return ids.get(0);
    }

    private static void gone(Reply reply) {
        assertThat(reply.status()).isEqualTo(410);
        assertThat(reply.field("code")).isEqualTo("lease_gone");
    }

    private static String state(String queue, String key) {
        return server.get(queue, key).field("state");
    }

    @Test
    void leaseHasWhatACallbackHas() {
        server.put("shown", "k", "{\"delay\":\"0s\",\"payload\":{\"id\":[1,2]},\"headers\":{\"A\":\"b\"}}");
        Reply reply = poll("shown", "{\"max\":10,\"wait\":\"20s\",\"ttl\":\"45s\"}");
        Reply timer = server.get("shown", "k");
        assertThat(reply.body())
                .startsWith("{\"leases\":[{\"lease\":\"" + timer.field("id") + ".")
                .contains("\"queue\":\"shown\",\"key\":\"k\",\"id\":\"" + timer.field("id") + "\",\"version\":1,"
                        + "\"attempt\":1,\"dueAt\":\"" + timer.field("dueAt") + "\",\"latenessMs\":")
                .contains("\"payload\":{\"id\":[1,2]},\"headers\":{\"A\":\"b\"}}]}")
                .contains("\"expiresAt\":\"20");
        assertThat(timer.field("state")).isEqualTo("CLAIMED");
        String lease = leases(reply).get(0);
        Reply acknowledged = ask(lease, "ack", null);
        assertThat(acknowledged.status()).isEqualTo(200);
        assertThat(acknowledged.body()).isEqualTo("{\"lease\":\"" + lease + "\"}");
        assertThat(state("shown", "k")).isEqualTo("COMPLETED");
        gone(ask(lease, "ack", null));
    }

    @Test
    void payloadThatIsNoJsonIsInBase64() {
        server.put("bytes", "k", "{\"delay\":\"0s\",\"payloadBase64\":\"AAEC\",\"contentType\":\"image/png\"}");
        assertThat(poll("bytes", "{\"wait\":\"20s\"}").body())
                .contains("\"payloadBase64\":\"AAEC\",\"contentType\":\"image/png\"}]}");
    }

    @Test
    void emptyListComesWhenNothingIsDue() {
        assertThat(poll("nothing", null).body()).isEqualTo("{\"leases\":[]}");
        assertThat(poll("nothing", "{\"wait\":\"50ms\"}").body()).isEqualTo("{\"leases\":[]}");
    }

    @Test
    void waitingPollIsAnsweredByTheTimerThatComesDue() {
        CompletableFuture<Reply> poll =
                CompletableFuture.supplyAsync(() -> poll("waiting", "{\"max\":5,\"wait\":\"60s\"}"));
        server.put("waiting", "k", "{\"delay\":\"300ms\"}");
        assertThat(leases(poll.join())).hasSize(1);
        assertThat(state("waiting", "k")).isEqualTo("CLAIMED");
    }

    @Test
    void nackExtendAndBury() {
        String first = one("asked", "k");
        assertThat(ask(first, "extend", "{\"ttl\":\"1h\"}").body())
                .startsWith("{\"lease\":\"" + first + "\",\"expiresAt\":\"");
        assertThat(ask(first, "nack", "{\"delay\":\"0s\",\"reason\":\"busy\"}").status())
                .isEqualTo(200);
        String second = again("asked");
        assertThat(second).isNotEqualTo(first);
        gone(ask(first, "nack", null));
        gone(ask(first, "extend", "{\"ttl\":\"1h\"}"));
        assertThat(ask(second, "bury", "{\"reason\":\"no use\"}").status()).isEqualTo(200);
        assertThat(server.get("asked", "k").body())
                .contains("\"state\":\"DEAD\"")
                .contains("\"reason\":\"busy\"")
                .contains("\"reason\":\"no use\"");
        gone(ask(second, "bury", null));
        ask(one("asked", "policy"), "nack", null);
        assertThat(state("asked", "policy")).isEqualTo("PENDING");
    }

    @Test
    void nothingCanBeAskedOfTheLeaseOfAReplacedTimer() {
        for (String call : List.of("nack", "bury", "ack", "extend")) {
            String old = one("replaced", "k");
            server.put("replaced", "k", "{\"delay\":\"0s\"}");
            gone(ask(old, call, call.equals("extend") ? "{\"ttl\":\"30s\"}" : null));
            assertThat(ask(again("replaced"), "ack", null).status()).isEqualTo(200);
        }
    }

    @Test
    void leaseOfACancelledTimerIsGivenBack() {
        String lease = one("cancelled", "back");
        assertThat(server.delete("cancelled", "back").status()).isEqualTo(202);
        assertThat(ask(lease, "bury", null).status()).isEqualTo(200);
        assertThat(state("cancelled", "back")).isEqualTo("CANCELLED");
    }

    @Test
    void leaseOfACancelledTimerCannotBeExtended() {
        String lease = one("cancelled", "k");
        assertThat(server.delete("cancelled", "k").status()).isEqualTo(202);
        gone(ask(lease, "extend", "{\"ttl\":\"30s\"}"));
        assertThat(ask(lease, "ack", null).status()).isEqualTo(200);
        assertThat(state("cancelled", "k")).isEqualTo("COMPLETED");
    }

    @Test
    void manyLeasesAreAcknowledgedInOneCall() {
        for (int i = 0; i < 100; i++) {
            server.put("many", "k" + i, "{\"delay\":\"0s\"}");
        }
        List<String> ids = new ArrayList<>();
        while (ids.size() < 100) {
            ids.addAll(leases(poll("many", "{\"max\":100,\"wait\":\"20s\"}")));
        }
        ids.add(50, "tmr_none.0123456789abcdef");
        String list = ids.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
        Reply reply = send("/v1/leases:ack", "{\"leases\":" + list + "}");
        assertThat(leases(reply)).isEqualTo(ids);
        assertThat(reply.body().split("\"status\":200", -1)).hasSize(101);
        assertThat(reply.body())
                .contains("{\"lease\":\"tmr_none.0123456789abcdef\",\"status\":410,\"detail\":\"")
                .contains("\"code\":\"lease_gone\"");
        assertThat(state("many", "k99")).isEqualTo("COMPLETED");
    }

    @Test
    void manyLeasesAreExtendedGivenBackAndBuried() {
        String extended = one("several", "a");
        String nacked = one("several", "b");
        String buried = one("several", "c");
        assertThat(send("/v1/leases:extend", "{\"ttl\":\"40s\",\"leases\":[\"" + extended + "\"]}")
                        .body())
                .contains("\"expiresAt\":\"")
                .contains("\"status\":200");
        send("/v1/leases:nack", "{\"leases\":[\"" + nacked + "\"],\"delay\":\"1h\",\"reason\":\"later\"}");
        send("/v1/leases:bury", "{\"leases\":[\"" + buried + "\"],\"reason\":\"never\"}");
        assertThat(state("several", "a")).isEqualTo("CLAIMED");
        assertThat(state("several", "b")).isEqualTo("PENDING");
        assertThat(state("several", "c")).isEqualTo("DEAD");
    }

    @Test
    void queueWithATargetRefusesPolls() {
        server.send("PUT", "/v1/queues/pushed", RunningServer.JSON, "{\"target\":{\"log\":{}}}");
        Reply refused = poll("pushed", "{\"max\":1}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.field("code")).isEqualTo("queue_not_pulled");
        CompletableFuture<Reply> waits = CompletableFuture.supplyAsync(() -> poll("soon", "{\"wait\":\"60s\"}"));
        Patience.look(
                () -> server.send("PUT", "/v1/queues/soon", RunningServer.JSON, "{\"target\":{\"log\":{}}}"),
                set -> set.status() == 200);
        assertThat(waits.join().field("code")).isEqualTo("queue_not_pulled");
    }

    @Test
    void pollOfAClosedConnectionIsWithdrawn() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            String body = "{\"wait\":\"60s\",\"ttl\":\"1h\"}";
            socket.getOutputStream()
                    .write(("POST /v1/queues/left/leases HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            // The poll of the socket is the first in the line by the time this one is answered.
            assertThat(poll("left", "{\"wait\":\"100ms\"}").status()).isEqualTo(200);
        }
        CompletableFuture<Reply> next = CompletableFuture.supplyAsync(() -> poll("left", "{\"wait\":\"10s\"}"));
        assertThat(poll("left", "{\"wait\":\"300ms\"}").body()).isEqualTo("{\"leases\":[]}");
        server.put("left", "k", "{\"delay\":\"0s\"}");
        assertThat(leases(next.join())).as("nobody else has it").hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"max\":0} | 422 | out_of_range | max",
                "{\"max\":1001} | 422 | out_of_range | max",
                "{\"max\":\"1\"} | 400 | wrong_type | max",
                "{\"wait\":\"61s\"} | 422 | out_of_range | wait",
                "{\"wait\":20} | 400 | wrong_type | wait",
                "{\"wait\":\"soon\"} | 422 | invalid_duration | wait",
                "{\"wait\":\"-1s\"} | 422 | invalid_duration | wait",
                "{\"ttl\":\"999ms\"} | 422 | out_of_range | ttl",
                "{\"ttl\":\"61m\"} | 422 | out_of_range | ttl",
                "{\"ttl\":\"5s\",\"ttl\":\"5s\"} | 400 | duplicate_field | ttl",
                "{\"count\":1} | 400 | unknown_field | count",
                "[] | 400 | wrong_type | ''",
                "{ | 400 | malformed_json | ''"
            })
    void pollThatBreaksARuleIsRefused(String body, int status, String code, String field) {
        refused(poll("rules", body), status, code, field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/leases/x/extend | {} | 400 | field_missing | ttl",
                "/v1/leases/x/extend | {\"ttl\":\"2h\"} | 422 | out_of_range | ttl",
                "/v1/leases/x/extend | {\"delay\":\"2s\"} | 400 | unknown_field | delay",
                "/v1/leases/x/nack | {\"delay\":\"31d\"} | 422 | out_of_range | delay",
                "/v1/leases/x/nack | {\"reason\":7} | 400 | wrong_type | reason",
                "/v1/leases/x/bury | {\"delay\":\"1s\"} | 400 | unknown_field | delay",
                "/v1/leases/x/ack | {} | 400 | body_not_allowed | ''",
                "/v1/leases:ack | {} | 400 | field_missing | leases",
                "/v1/leases:ack | {\"leases\":[]} | 422 | out_of_range | leases",
                "/v1/leases:ack | {\"leases\":\"x\"} | 400 | wrong_type | leases",
                "/v1/leases:ack | {\"leases\":[7]} | 400 | wrong_type | leases[0]",
                "/v1/leases:ack | {\"leases\":[\"x\",\"x\"]} | 422 | out_of_range | leases",
                "/v1/leases:ack | {\"leases\":[\"x\"],\"reason\":\"\"} | 400 | unknown_field | reason",
                "/v1/leases:extend | {\"leases\":[\"x\"]} | 400 | field_missing | ttl",
                "/v1/leases:nothing | {} | 404 | unknown_path | ''",
                "/v1/leases/x/nothing | {} | 404 | unknown_path | ''",
                "/v1/leases//ack | {} | 404 | unknown_path | ''",
                "/v1/leases/x | {} | 404 | unknown_path | ''",
                "/v1/queues/no%20queue/leases | {} | 422 | invalid_queue | ''"
            })
    void askingThatBreaksARuleIsRefused(String path, String body, int status, String code, String field) {
        refused(send(path, body), status, code, field);
    }

    private static void refused(Reply reply, int status, String code, String field) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.field("code")).isEqualTo(code);
        if (!field.isEmpty()) {
            assertThat(reply.field("field")).isEqualTo(field);
        }
    }

    @Test
    void noMoreThanAThousandLeasesInOneCall() {
        String ids = "\"x\"" + ",\"x\"".repeat(1_000);
        refused(send("/v1/leases:ack", "{\"leases\":[" + ids + "]}"), 422, "out_of_range", "leases");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "%2E", "tmr_1.0", "a%2Fb", "."})
    void unknownLeaseIsGone(String lease) {
        gone(ask(lease.equals(".") ? "%2E%2E" : lease, "ack", null));
    }

    @Test
    void methodsAreNamed() {
        Reply reply = server.get("/v1/queues/q/leases");
        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.allow()).isEqualTo("POST, OPTIONS");
    }
}
