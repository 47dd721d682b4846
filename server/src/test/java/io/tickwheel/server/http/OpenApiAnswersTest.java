package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.DescribedApi;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every answer that the OpenAPI document describes, from a real server: {@link RunningServer} holds each against its schema, which takes no member that it does not have. */
final class OpenApiAnswersTest {

    private static final String FAR = "\"dueAt\":\"2100-01-01T00:00:00Z\"";

    @TempDir
    private Path directory;

    private Tokened api;

    @Test
    void everyAnswerThatIsDescribedIsGivenAndAsDescribed() throws Exception {
        try (RunningServer server = new RunningServer(Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory)));
                Receiver receiver = new Receiver()) {
            api = new Tokened(server);
            health();
            queues(receiver);
            timers(receiver);
            plans();
            leases();
            tokens();
            many();
            assertThat(server.described()).containsExactlyInAnyOrderElementsOf(all());
        }
    }

    private static Set<String> all() {
        Set<String> all = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path :
                DescribedApi.DOCUMENT.get("paths").properties()) {
            path.getValue()
                    .properties()
                    .forEach(operation -> operation
                            .getValue()
                            .get("responses")
                            .propertyNames()
                            .forEach(status -> {
                                if (!status.equals("default")) {
                                    all.add(operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey() + " "
                                            + status);
                                }
                            }));
        }
        return all;
    }

    private Reply call(int status, String method, String path, String body) {
        Reply reply = api.admin(method, path, body);
        assertThat(reply.status()).as("%s %s: %s", method, path, reply.body()).isEqualTo(status);
        return reply;
    }

    private void health() {
        for (String path : new String[] {"/livez", "/readyz", "/metrics", "/openapi.json"}) {
            call(200, "GET", path, null);
        }
    }

    private void queues(Receiver receiver) {
        call(200, "PUT", "/v1/queues/set", """
                {"target":{"url":"%s","method":"PUT"},"retry":{"delays":["1s","2s"],"factor":1.5,"maxBackoff":"1h"},
                 "rate":{"perSecond":0.5,"burst":3},"concurrency":7,"paused":true,"delayLevels":["1s","1h30m"],
                 "expireAfter":"7d","maxPending":1000000,"deadFor":"30d","deadPerQueue":5,"excerpts":true,
                 "secrets":["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"]}""".formatted(receiver.url("/")));
        call(200, "PATCH", "/v1/queues/set", "{\"rate\":null,\"secrets\":null,\"slowStart\":{\"perSecond\":5}}");
        call(200, "GET", "/v1/queues/set", null);
        call(200, "POST", "/v1/queues/set/resume?slowStart=2.5", null);
        call(200, "POST", "/v1/queues/set/pause", null);
        call(201, "PUT", "/v1/queues/set/timers/k", "{\"delayLevel\":2}");
        call(200, "GET", "/v1/queues?limit=1", null);
        call(200, "GET", "/v1/queues/set/load?buckets=3&bucket=1h", null);
        call(202, "DELETE", "/v1/queues/set?purge=true", null);
        call(200, "PUT", "/v1/queues/empty", "{\"paused\":true}");
        call(200, "GET", "/v1/queues", null);
        call(200, "DELETE", "/v1/queues/empty", null);
    }

    private void timers(Receiver receiver) throws InterruptedException {
        String timer = "/v1/queues/q/timers/k";
        String content =
                "\"payload\":{\"a\":[1,null]},\"headers\":{\"X-A\":\"b\"},\"retry\":{\"interval\":\"1s\",\"maxAttempts\":1},"
                        + "\"expireAfter\":\"1h\",\"target\":{\"url\":\"" + receiver.url("/") + "\"}";
        call(201, "PUT", timer, "{\"delay\":\"1h\",\"touchable\":true," + content + "}");
        call(200, "PUT", timer, "{\"delay\":\"2h\",\"onConflict\":\"latest\",\"maxWait\":\"3h\"," + content + "}");
        call(200, "GET", timer, null);
        call(200, "GET", timer + "?content=true", null);
        call(200, "POST", timer + "/touch", null);
        call(200, "POST", timer + "/reschedule", "{\"dueAt\":4102444800000}");
        call(200, "GET", "/v1/queues/q/timers?state=PENDING&keyPrefix=k&dueFrom=2000-01-01T00:00:00Z&limit=1", null);
        receiver.willAnswer(new Receiver.Answer(500), new Receiver.Answer(410));
        call(200, "POST", timer + "/run", null);
        receiver.next();
        dead("k");
        call(200, "GET", timer, null);
        call(200, "GET", "/v1/queues/q/dead", null);
        call(200, "POST", timer + "/redrive", "{\"delay\":\"0s\",\"payloadBase64\":\"AQI=\",\"contentType\":\"a/b\"}");
        receiver.next();
        dead("k");
        call(200, "GET", timer + "?content=true", null);
        call(200, "POST", timer + "/purge", null);
        call(201, "POST", "/v1/queues/q/timers", "{" + FAR + ",\"target\":{\"log\":{}}}");
        call(201, "PUT", timer, "{" + FAR + "}");
        call(200, "DELETE", timer + "?durability=sync", null);
        call(404, "GET", "/v1/queues/q/timers/nobody", null);
        call(
                200,
                "POST",
                "/v1/queues/q/timers:batch",
                "{" + FAR + "}\n{\"key\":\"b\"," + FAR
                        + ",\"pushBack\":{\"delay\":\"1h\",\"firstScheduledAt\":\"2026-01-01T00:00:00Z\",\"maxWait\":\"2h\"}}\n"
                        + "{\"touch\":\"b\"}\n{\"touch\":\"nobody\"}\n{\"cancel\":\"b\",\"durability\":\"sync\"}\n{\"cancel\":\"nobody\"}\n"
                        + "{\"key\":\"p\"," + FAR
                        + ",\"schedule\":{\"every\":\"1h\"},\"plan\":{\"before\":0,\"started\":3,"
                        + "\"nominal\":\"2100-01-01T00:00:00Z\",\"waiting\":true}}\n{\"key\":\"b\",\"run\":true,\"dueAt\":1}\nx\n");
    }

    private void dead(String key) {
        Patience.look(
                () -> api.admin("GET", "/v1/queues/q/timers/" + key, null),
                reply -> reply.body().contains("DEAD"));
    }

    private void plans() {
        String plan = "/v1/queues/plans/timers/p";
        call(
                201,
                "PUT",
                plan,
                "{\"schedule\":{\"cron\":\"0 0 9 * * MON\",\"zone\":\"Europe/Berlin\",\"count\":9,"
                        + "\"until\":\"2999-01-01T00:00:00Z\",\"misfire\":\"all\",\"overlap\":\"allow\"}}");
        call(200, "GET", plan + "/preview?limit=3", null);
        call(200, "GET", plan + "?content=true", null);
        call(200, "POST", plan + "/pause", null);
        call(200, "POST", plan + "/resume", null);
        call(200, "GET", plan + "/runs", null);
        call(
                200,
                "POST",
                "/v1/queues/plans/timers:batch",
                run(1, FAR) + run(2, FAR) + run(3, "\"dueAt\":\"2000-01-01T00:00:00Z\""));
        lease("plans");
        call(202, "DELETE", plan + "/runs/3", null);
        call(200, "GET", plan + "/runs/1?content=true", null);
        call(200, "POST", plan + "/runs/1/touch", null);
        call(200, "POST", plan + "/runs/1/reschedule", "{" + FAR + "}");
        call(200, "DELETE", plan + "/runs/2", null);
        call(200, "POST", plan + "/runs/1/run", null);
        call(200, "POST", "/v1/leases/" + lease("plans") + "/bury", "{\"reason\":\"a test\"}");
        call(200, "POST", plan + "/runs/1/redrive", null);
        call(200, "POST", "/v1/leases/" + lease("plans") + "/bury", null);
        call(200, "POST", plan + "/runs/1/purge", null);
    }

    /** A line of a batch with a run, as an export has it. */
    private static String run(int number, String due) {
        return "{\"key\":\"p\\u001f" + number + "\",\"run\":true,\"touchable\":true," + due + "}\n";
    }

    private String lease(String queue) {
        Reply leased =
                call(200, "POST", "/v1/queues/" + queue + "/leases", "{\"wait\":\"30s\",\"max\":1,\"ttl\":\"1h\"}");
        assertThat(leased.field("lease")).isNotEmpty();
        return leased.field("lease");
    }

    private void leases() {
        for (int i = 0; i < 9; i++) {
            call(
                    201,
                    "PUT",
                    "/v1/queues/work/timers/k" + i,
                    "{\"delay\":\"0s\",\"payload\":[1],\"headers\":{\"A\":\"b\"}}");
        }
        lease("work");
        call(200, "POST", "/v1/leases/" + lease("work") + "/ack", null);
        call(200, "POST", "/v1/leases/" + lease("work") + "/nack", "{\"delay\":\"1h\",\"reason\":\"busy\"}");
        call(200, "POST", "/v1/leases/" + lease("work") + "/extend", "{\"ttl\":\"2m\"}");
        call(200, "POST", "/v1/leases/" + lease("work") + "/bury", "{\"reason\":\"bad\"}");
        call(200, "POST", "/v1/leases:ack", many(""));
        call(200, "POST", "/v1/leases:nack", many(",\"delay\":\"1h\""));
        call(200, "POST", "/v1/leases:extend", many(",\"ttl\":\"1m\""));
        call(200, "POST", "/v1/leases:bury", many(",\"reason\":\"bad\""));
        call(201, "PUT", "/v1/queues/claimed/timers/k", "{\"delay\":\"0s\"}");
        lease("claimed");
        call(202, "DELETE", "/v1/queues/claimed/timers/k", null);
    }

    private String many(String more) {
        return "{\"leases\":[\"" + lease("work") + "\",\"none\"]" + more + "}";
    }

    private void tokens() {
        Reply made = call(
                201,
                "POST",
                "/v1/tokens",
                "{\"name\":\"shop\",\"scopes\":[\"schedule\",\"read\"],"
                        + "\"rate\":{\"perSecond\":1},\"queuePrefix\":\"orders-\",\"expiresAt\":\"2999-01-01T00:00:00Z\"}");
        call(200, "GET", "/v1/tokens", null);
        call(200, "DELETE", "/v1/tokens/" + made.field("id"), null);
    }

    private void many() {
        call(202, "POST", "/v1/queues/work/timers:redrive?state=DEAD&reason=bad&perSecond=9&dryRun=true", null);
        call(
                202,
                "POST",
                "/v1/queues/work/timers:purge?keyPrefix=k&dueFrom=2000-01-01T00:00:00Z&dueTo=4102444800000",
                null);
        Reply run = call(202, "POST", "/v1/queues/work/timers:cancel?state=PENDING&dryRun=true", null);
        call(200, "GET", "/v1/bulk", null);
        call(200, "GET", run.location(), null);
        call(202, "DELETE", run.location(), null);
    }
}
