package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.StartException;
import io.tickwheel.store.redis.RedisAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tickwheel serve} with a store on Redis: how it starts, ends and dies, and what it prints. */
@Tag("outage")
final class RedisProcessTest {

    private static final String PASSWORD = "open-sesame-42";
    private static final int TIMERS = 30;

    /** A server that starts beside a process that does so too is in no hurry. */
    private static final Duration START = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final String namespace = RedisNodes.freshNamespace();
    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.builder().password(PASSWORD).start();
    }

    @AfterEach
    void stop() {
        redis.close();
    }

    private String yaml(String more) {
        return """
                server: {port: 0, drainTimeout: 5s}
                store:
                  kind: redis
                  redis:
                    uri: redis://127.0.0.1:%d
                    namespace: %s
                    partitions: %d
                    lease: 1s
                    timeout: 30s
                %s
                """.formatted(redis.port(), namespace, RedisNodes.PARTITIONS, more.indent(4));
    }

    private ServerProcess process(String yaml) throws Exception {
        return ServerProcess.start(directory, yaml, Map.of("TICKWHEEL_STORE_REDIS_PASSWORD", PASSWORD));
    }

    private RunningServer node() {
        return node(RedisNodes.LEASE);
    }

    private RunningServer node(Duration lease) {
        RedisAddress address = RedisNodes.address(redis).withPassword(PASSWORD);
        return new RunningServer(RedisNodes.config(
                address, namespace, store -> store.withTimeout(START).withLease(lease)));
    }

    private Set<String> schedule(RunningServer node, Receiver receiver) {
        Set<String> ids = new TreeSet<>();
        for (int i = 0; i < TIMERS; i++) {
            String body = "{\"delay\":\"3s\",\"target\":{\"url\":\"" + receiver.url("/due") + "\"}}";
            ids.add(node.put("taken", "k" + i, body).field("id"));
        }
        return ids;
    }

    private static Set<String> ids(Receiver receiver) throws InterruptedException {
        Set<String> ids = new TreeSet<>();
        while (ids.size() < TIMERS) {
            ids.add(receiver.next().headers().get("webhook-id"));
        }
        return ids;
    }

    /** The lease is one that a busy machine keeps. */
    @Test
    void nodeThatIsToldToEndGivesItsPartitionsToTheOther() throws Exception {
        try (ServerProcess a = process(yaml("node: a").replace("lease: 1s", "lease: 5s"));
                RunningServer b = node(Duration.ofSeconds(5));
                Receiver receiver = new Receiver()) {
            assertThat(a.port()).isPositive();
            Set<String> ids = schedule(b, receiver);
            a.terminate();
            assertThat(a.ended()).isZero();
            assertThat(ids(receiver)).isEqualTo(ids);
            assertThat(receiver.waiting()).isZero();
            assertThat(a.printed())
                    .contains("data in redis://127.0.0.1:" + redis.port(), "namespace " + namespace)
                    .doesNotContain(PASSWORD)
                    .doesNotContain("ERROR");
        }
    }

    @Test
    void nodeThatIsKilledIsReplacedAfterItsLease() throws Exception {
        try (ServerProcess a = process(yaml(""));
                RunningServer b = node();
                Receiver receiver = new Receiver()) {
            assertThat(a.port()).isPositive();
            Set<String> ids = schedule(b, receiver);
            a.kill();
            assertThat(ids(receiver)).isEqualTo(ids);
        }
    }

    /** Whichever of them works on a run: one that is killed there goes on at the other. */
    @Tag("full")
    @Test
    void bulkRunGoesOnWhenItsNodeIsKilled() throws Exception {
        try (ServerProcess a = process(yaml(""));
                RunningServer b = node()) {
            assertThat(a.port()).isPositive();
            int runs = 8;
            for (int i = 0; i < runs; i++) {
                String lines = IntStream.range(0, TIMERS)
                        .mapToObj(n -> "{\"key\":\"k" + n + "\",\"delay\":\"1h\"}\n")
                        .collect(Collectors.joining());
                b.batch("bulk" + i, lines);
            }
            for (int i = 0; i < runs; i++) {
                Reply started = b.send("POST", "/v1/queues/bulk" + i + "/timers:cancel?perSecond=10", null, null);
                assertThat(started.status()).as(started.body()).isEqualTo(202);
            }
            Patience.look(() -> b.get("/v1/bulk").body(), body -> !body.contains("\"changed\":0,"));
            a.kill();
            String ended = Patience.look(() -> b.get("/v1/bulk").body(), body -> !body.contains("RUNNING"));
            assertThat(ended.split("\"state\":\"DONE\"", -1)).as(ended).hasSize(runs + 1);
            for (int i = 0; i < runs; i++) {
                assertThat(b.get("/v1/queues/bulk" + i + "/timers").body()).isEqualTo("{\"timers\":[]}");
            }
            assertThat(b.get("/v1/queues").body()).doesNotContain("~bulk");
        }
    }

    @Test
    void wrongPasswordStopsTheStartAndIsNotShown() throws Exception {
        try (ServerProcess a = ServerProcess.start(
                directory, yaml(""), Map.of("TICKWHEEL_STORE_REDIS_PASSWORD", "wrong-" + PASSWORD))) {
            assertThat(a.ended()).isEqualTo(1);
            assertThat(a.printed())
                    .contains("tickwheel: cannot open redis://127.0.0.1:" + redis.port(), "WRONGPASS")
                    .doesNotContain(PASSWORD);
        }
    }

    @Tag("full")
    @Test
    void wrongSettingsStopTheStart() throws Exception {
        try (RunningServer b = node();
                ServerProcess a = process(yaml("").replace("partitions: 16", "partitions: 32"))) {
            assertThat(a.ended()).isEqualTo(StartException.DATA_ERROR);
            assertThat(a.printed()).contains("has 16 partitions, must be opened with as many and not with 32");
            assertThat(b.get("/readyz").status()).isEqualTo(200);
        }
        try (ServerProcess a = process(yaml("file: {directory: here}"))) {
            assertThat(a.ended()).isEqualTo(1);
            assertThat(a.printed()).startsWith("tickwheel: setting ");
        }
    }

    @Tag("full")
    @Test
    void nameThatIsTakenStopsTheStartAndTheOtherGoesOn() throws Exception {
        try (ServerProcess a = process(yaml("node: same"))) {
            assertThat(a.port()).isPositive();
            try (ServerProcess b = process(yaml("node: same"))) {
                assertThat(b.ended()).isEqualTo(1);
                assertThat(b.printed()).contains("another node with the name same is alive");
            }
            // The last one to leave.
            a.terminate();
            assertThat(a.ended()).isZero();
            assertThat(a.printed()).doesNotContain("ERROR");
        }
    }

    @Tag("full")
    @Test
    void serverThatEvictsStopsTheStart() throws Exception {
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        try (ServerProcess a = process(yaml(""))) {
            assertThat(a.ended()).isEqualTo(1);
            assertThat(a.printed()).contains("maxmemory_policy of", "is allkeys-lru, must be noeviction");
        }
    }

    @Test
    void serverThatIsNotThereStopsTheStart() throws Exception {
        redis.kill();
        try (ServerProcess a = process(yaml("").replace("timeout: 30s", "timeout: 2s"))) {
            assertThat(a.ended()).isEqualTo(1);
            assertThat(a.printed()).contains("tickwheel: cannot open redis://127.0.0.1:" + redis.port());
        }
    }
}
