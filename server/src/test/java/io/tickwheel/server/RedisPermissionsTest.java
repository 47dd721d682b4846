package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisBinary;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisVerification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rights that docs/operations.md gives a user of Redis are enough for everything, and each of them is needed. */
final class RedisPermissionsTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "operations.md");
    private static final Path RIGHTS =
            Path.of("..", "store-redis/src/main/resources/io/tickwheel/store/redis/scripts/rights.lua");
    private static final String RULE = "    ACL SETUSER tickwheel ";
    private static final String NAMESPACE = "tickwheel";

    /** Of nodes, by the time at which calls are counted. */
    private static final int OPENINGS = 2;

    /** Used in a cluster only. */
    private static final Set<String> CLUSTER = Set.of("cluster|slots", "asking");

    static Stream<RedisBinary> binaries() {
        return RedisBinary.usable().stream();
    }

    private static List<String> rules() throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith(RULE))
                .flatMap(line -> Stream.of(line.substring(RULE.length()).split(" ", -1)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void documentedRightsAreEnoughAndNeeded(RedisBinary binary) throws Exception {
        try (RedisServer redis = RedisServer.builder().binary(binary).start()) {
            List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "tickwheel"));
            command.addAll(rules());
            redis.command(command.toArray(String[]::new));
            redis.command("CONFIG", "RESETSTAT");
            RedisAddress address =
                    RedisNodes.address(redis).withUsername("tickwheel").withPassword("PASSWORD");
            exercise(address);
            assertThat(RedisVerification.verify(address, NAMESPACE).findings()).isEmpty();
            // A driver tells its name by CLIENT SETINFO, and does not mind a refusal.
            assertThat((List<?>) redis.command("ACL", "LOG"))
                    .as("denied")
                    .allMatch(entry -> ((List<?>) entry).contains("client"));
            String looked = Files.readString(RIGHTS);
            String used = String.valueOf(redis.command("INFO", "commandstats"));
            for (String rule : rules()) {
                String name = rule.substring(1).toLowerCase(Locale.ROOT);
                if (rule.startsWith("+") && !CLUSTER.contains(name)) {
                    Matcher calls = Pattern.compile("cmdstat_" + Pattern.quote(name) + ":calls=(\\d+)")
                            .matcher(used);
                    assertThat(calls.find()).as(name + " is not needed").isTrue();
                    // Each node that opens looks whether it may.
                    int looks = looked.contains("'" + name.toUpperCase(Locale.ROOT) + "'") ? OPENINGS : 0;
                    assertThat(Long.parseLong(calls.group(1)))
                            .as(name + " is not needed")
                            .isGreaterThan(looks);
                }
            }
        }
    }

    /** Everything that nodes do: own, hand over, take and answer commands, deliver, try again, give up, forget. */
    private static void exercise(RedisAddress address) throws InterruptedException {
        ServerConfig config = RedisNodes.config(address, NAMESPACE, store -> store.withFinishedRemembered(1));
        try (Receiver receiver = new Receiver();
                RunningServer a = new RunningServer(config)) {
            receiver.willAnswer(new Receiver.Answer(500), new Receiver.Answer(410));
            // So large that the sizes of contents are asked for.
            String body = "{\"delay\":\"200ms\",\"retry\":{\"maxAttempts\":2,\"backoff\":\"50ms\"},\"payload\":\""
                    + "x".repeat(5_000) + "\",\"target\":{\"url\":\"" + receiver.url("/") + "\"}}";
            // The second node looks for those of them that it takes over.
            int moved = 20;
            for (int i = 0; i < moved; i++) {
                assertThat(a.put("moved", "k" + i, body.replace("200ms", "3s")).status())
                        .isEqualTo(201);
            }
            try (RunningServer b = new RunningServer(config)) {
                exercise(a, b, receiver, body, moved);
            }
        }
    }

    private static void exercise(RunningServer a, RunningServer b, Receiver receiver, String body, int moved)
            throws InterruptedException {
        int timers = 40;
        for (int i = 0; i < timers; i++) {
            RunningServer node = i % 2 == 0 ? a : b;
            Reply reply = node.put("due", "k" + i, body);
            assertThat(reply.status()).as(reply.body()).isEqualTo(201);
            assertThat(node.put("far", "k" + i, "{\"delay\":\"48h\"}").status()).isEqualTo(201);
            if (i % 4 < 3) {
                assertThat(node.delete("far", "k" + i).status()).isEqualTo(200);
            }
        }
        for (int i = 0; i < timers + moved + 1; i++) {
            receiver.next();
        }
        assertThat(a.live()).isPositive();
        assertThat(a.get("/v1/queues/far/timers").status()).isEqualTo(200);
        assertThat(b.get("/v1/queues/far/load").status()).isEqualTo(200);
        assertThat(b.get("far", "k3").status()).isEqualTo(200);
        assertThat(b.put("far", "r", "{\"delay\":\"48h\",\"durability\":\"replicated(1)\"}")
                        .field("code"))
                .isEqualTo("storage_unavailable");
    }
}
