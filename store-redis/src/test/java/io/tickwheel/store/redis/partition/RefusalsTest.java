package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the scripts of owners, nodes and operators refuse, and that a refusal changes nothing; and what they grant while the clock of the
 * server runs. {@link GrantsTest} tries each bound while it stands still; the refusals of commands are in {@link CommandsScriptTest}.
 */
final class RefusalsTest {

    private static final String META = "r:{t}:m";
    private static final String NEAR = "r:{t}:n";
    private static final String NODES = "r:nodes";
    private static final String IDS = "r:ids";
    private static final String CONFIG = "r:config";
    private static final long LEASE_MS = 60_000;
    private static final String EPOCH = "7";
    private static final String LATER = "4000000000000";
    private static final String PAST = "1000";

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void fill() {
        server.command("FLUSHALL");
        server.command("HSET", META, "owner", "n1", "epoch", EPOCH, "lease", "" + (nowMs() + 30_000), "tend", "41");
        server.command("ZADD", NEAR, "5", "near");
        server.command("HSET", CONFIG, "format", "3", "partitions", "64", "id", "abc", "lease", "" + LEASE_MS);
        server.command("ZADD", NODES, "" + nowMs(), "n1");
        server.command("HSET", IDS, "n1", "i1");
    }

    private static long nowMs() {
        List<?> time = (List<?>) server.command("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000 + Long.parseLong((String) time.get(1)) / 1_000;
    }

    // ---- calls

    private static Object call(String script, List<String> keys, String... arguments) {
        List<String> eval = new ArrayList<>(List.of("EVAL", Script.named(script).source(), "" + keys.size()));
        eval.addAll(keys);
        eval.addAll(List.of(arguments));
        return server.command(eval.toArray(String[]::new));
    }

    private static List<?> own(String node, String deadline) {
        return (List<?>) call("own", List.of(META, NEAR), node, "" + LEASE_MS, deadline, "0");
    }

    private static Object release(String epoch) {
        return call("release", List.of(META, NEAR), epoch, "", "0");
    }

    private static List<?> tend(String epoch, String deadline, long number) {
        return (List<?>) call(
                "tend",
                List.of(META, NEAR, "r:{t}:f", "r:{t}:i", "r:{t}:r", "r:{t}:q"),
                epoch,
                "" + LEASE_MS,
                deadline,
                "10",
                "0",
                "",
                "1000",
                "100",
                "100",
                "",
                "0",
                "0",
                "" + number);
    }

    private static List<?> beat(
            String node, String incarnation, String leaves, String format, String partitions, String id) {
        return beat(node, incarnation, LEASE_MS, leaves, format, partitions, id);
    }

    private static List<?> beat(
            String node, String incarnation, long leaseMs, String leaves, String format, String partitions, String id) {
        return (List<?>) call(
                "beat",
                List.of(NODES, IDS, CONFIG),
                node,
                incarnation,
                "" + leaseMs,
                leaves,
                "r:channel:",
                format,
                partitions,
                id,
                "",
                "");
    }

    private static List<?> config(String format, String partitions, String id) {
        return (List<?>) call("config", List.of(CONFIG, NODES, IDS), format, partitions, "2", "v3-", "" + LEASE_MS, id);
    }

    /** A call that must be refused. */
    private interface Refused {

        /** Returns what it answered. */
        Object call();
    }

    private static Arguments refused(String what, Object answer, Refused call) {
        return Arguments.of(what, answer, call);
    }

    /** All but the time, which answers begin with. */
    private static Object behindTime(List<?> answer) {
        return answer.subList(1, answer.size());
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                refused(
                        "own, while another one has it",
                        "n1",
                        () -> own("n2", LATER).get(2)),
                refused("own, after the deadline", "", () -> own("n2", PAST).get(1)),
                refused(
                        "own, after the deadline, by the owner",
                        "",
                        () -> own("n1", PAST).get(1)),
                refused("release, of an epoch before", 0L, () -> release("6")),
                refused("release, of an epoch to come", 0L, () -> release("8")),
                refused("release, of no epoch", 0L, () -> release("")),
                refused("tend, of an epoch before", List.of(1L), () -> behindTime(tend("6", LATER, 42))),
                refused("tend, of an epoch to come", List.of(1L), () -> behindTime(tend("8", LATER, 42))),
                refused("tend, after the deadline", List.of(2L), () -> behindTime(tend(EPOCH, PAST, 42))),
                refused("tend, as late as the last one", List.of(2L), () -> behindTime(tend(EPOCH, LATER, 41))),
                refused("tend, later than the last one", List.of(2L), () -> behindTime(tend(EPOCH, LATER, 40))),
                refused(
                        "beat, by another process of that name",
                        List.of(1L, "i1"),
                        () -> beat("n1", "i2", "0", "3", "64", "abc").subList(1, 3)),
                refused(
                        "beat, to leave, by another process of that name",
                        1L,
                        () -> beat("n1", "i2", "1", "3", "64", "abc").get(1)),
                refused(
                        "beat, of another format",
                        List.of(2L, "abc", "", ""),
                        () -> behindTime(beat("n1", "i1", "0", "2", "64", "abc"))),
                refused(
                        "beat, of other partitions",
                        List.of(2L, "abc", "", ""),
                        () -> behindTime(beat("n1", "i1", "0", "3", "65", "abc"))),
                refused(
                        "beat, of another namespace",
                        List.of(2L, "abc", "", ""),
                        () -> behindTime(beat("n1", "i1", "0", "3", "64", "abd"))),
                refused(
                        "beat, of a shorter lease than that of the others",
                        List.of(3L, "" + LEASE_MS, "n1"),
                        () -> behindTime(beat("n2", "i2", 1, "0", "3", "64", "abc"))),
                refused(
                        "beat, of a longer lease than that of the others",
                        List.of(3L, "" + LEASE_MS, "n1"),
                        () -> behindTime(beat("n2", "i2", 2 * LEASE_MS, "0", "3", "64", "abc"))),
                refused("config, of other partitions", List.of("3", "64", "abc", ""), () -> config("3", "65", "new")),
                refused(
                        "config, of a namespace that is there",
                        List.of("3", "64", "abc", ""),
                        () -> config("3", "64", "new")),
                refused(
                        "accept, of what is not gone",
                        List.of(0L, "abc"),
                        () -> call("accept", List.of(CONFIG), "abc", "new")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void refusalChangesNothing(String what, Object answer, Refused call) {
        Map<String, String> before = contents();
        assertThat(call.call()).isEqualTo(answer);
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void whatNobodyOwnsIsNeitherTendedNorGivenBack() {
        server.command("DEL", META);
        Map<String, String> before = contents();
        assertThat(behindTime(tend(EPOCH, LATER, 42))).isEqualTo(List.of(3L));
        assertThat(release(EPOCH)).isEqualTo(0L);
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void whatIsGoneInPartIsToldToEveryNode() {
        server.command("HSET", CONFIG, "gone", "5", "lost:abc", "1");
        Map<String, String> before = contents();
        assertThat(behindTime(beat("n1", "i1", "0", "3", "64", "abc"))).isEqualTo(List.of(2L, "abc", "5", "1"));
        assertThat(contents()).isEqualTo(before);
    }

    /** Each key with all that is in it. */
    private static Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        for (Object key : (List<?>) server.command("KEYS", "*")) {
            contents.put((String) key, (String) server.command(ISO_8859_1, "DUMP", (String) key));
        }
        return contents;
    }

    /** What it had sent before and comes later must not count. */
    @Test
    void whoHasGivenAPartitionBackIsNotTheOwnerAnyMore() {
        assertThat(release(EPOCH)).isEqualTo(1L);
        assertThat(server.command("HGET", META, "owner")).isNull();
        assertThat(server.command("EXISTS", NEAR)).isEqualTo(0L);
        assertThat(lease()).isZero();
        Map<String, String> before = contents();
        assertThat(behindTime(tend(EPOCH, LATER, 42))).isEqualTo(List.of(1L));
        assertThat(release(EPOCH)).isEqualTo(0L);
        assertThat(contents()).isEqualTo(before);
    }

    private static long lease() {
        return Long.parseLong((String) server.command("HGET", META, "lease"));
    }
}
