package io.tickwheel.store.redis.partition;

import static io.tickwheel.store.redis.partition.StoppedClock.MICROS;
import static io.tickwheel.store.redis.partition.StoppedClock.MS;
import static io.tickwheel.store.redis.partition.StoppedClock.PUBLISHED;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the scripts of owners, nodes and operators grant and write, while the clock stands still: each bound of time is tried on both
 * sides. What they refuse is in {@link RefusalsTest}.
 */
final class GrantsTest {

    private static final String META = "r:{t}:m";
    private static final String NEAR = "r:{t}:n";
    private static final String NODES = "r:nodes";
    private static final String IDS = "r:ids";
    private static final String CONFIG = "r:config";
    private static final long LEASE_MS = 60_000;

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
    void empty() {
        server.command("FLUSHALL");
    }

    @AfterEach
    void takeAnyMemory() {
        server.command("CONFIG", "SET", "maxmemory", "0");
    }

    /** From now on whatever needs memory is refused. */
    private static void fillServer() {
        server.command("CONFIG", "SET", "maxmemory", "1");
    }

    private static Object call(String script, List<String> keys, Object... arguments) {
        List<String> eval =
                new ArrayList<>(List.of("EVAL", StoppedClock.source(Script.named(script)), "" + keys.size()));
        eval.addAll(keys);
        for (Object argument : arguments) {
            eval.add(argument.toString());
        }
        return server.command(eval.toArray(String[]::new));
    }

    private static void hash(String key, Object... words) {
        List<String> command = new ArrayList<>(List.of("HSET", key));
        for (Object word : words) {
            command.add(word.toString());
        }
        server.command(command.toArray(String[]::new));
    }

    private static Map<String, String> hash(String key) {
        List<?> words = (List<?>) server.command("HGETALL", key);
        Map<String, String> hash = new TreeMap<>();
        for (int at = 0; at < words.size(); at += 2) {
            hash.put((String) words.get(at), (String) words.get(at + 1));
        }
        return hash;
    }

    private static List<?> published() {
        return (List<?>) server.command("LRANGE", PUBLISHED, "0", "-1");
    }

    // ---- partitions

    private static Object own(String node, long deadlineMs) {
        return own(node, deadlineMs, "0");
    }

    private static Object own(String node, long deadlineMs, String wasMade) {
        return call("own", List.of(META, NEAR), node, LEASE_MS, deadlineMs, wasMade);
    }

    /** What other nodes have written since does not make up for it. */
    @Test
    void partitionThatWasMadeAndIsNotThereIsNotTaken() {
        assertThat(own("n1", MS, "1")).isEqualTo(List.of(MS));
        assertThat(own("n1", MS - 1, "1")).as("too late to say").isEqualTo(List.of(MS, "", "", 0L));
        assertThat(hash(META)).isEmpty();
        hash(META, "live", "3", "seq", "7", "lease", "0");
        assertThat(own("n1", MS, "1")).isEqualTo(List.of(MS));
        assertThat(hash(META)).isEqualTo(Map.of("live", "3", "seq", "7", "lease", "0"));
        hash(META, "epoch", "5", "lease", "0");
        assertThat(own("n1", MS, "1")).as("it was given back").isEqualTo(List.of(MS, "" + MICROS));
    }

    @Test
    void whatNobodyOwnsIsTakenUpToTheDeadline() {
        assertThat(own("n1", MS - 1)).isEqualTo(List.of(MS, "", "", 0L));
        assertThat(hash(META)).isEmpty();
        assertThat(own("n1", MS)).isEqualTo(List.of(MS, "" + MICROS));
        assertThat(hash(META)).isEqualTo(Map.of("owner", "n1", "epoch", "" + MICROS, "lease", "" + (MS + LEASE_MS)));
    }

    @Test
    void aLeaseHoldsUpToItsLastMillisecond() {
        hash(META, "owner", "n1", "epoch", "7", "lease", MS + 1, "hz", "5", "tend", "41");
        server.command("ZADD", NEAR, "5", "near");
        assertThat(own("n2", MS)).isEqualTo(List.of(MS, "", "n1", MS + 1));
        hash(META, "lease", MS);
        assertThat(own("n2", MS)).isEqualTo(List.of(MS, "" + MICROS));
        assertThat(hash(META)).isEqualTo(Map.of("owner", "n2", "epoch", "" + MICROS, "lease", "" + (MS + LEASE_MS)));
        assertThat(server.command("EXISTS", NEAR)).isEqualTo(0L);
        assertThat(own("n2", MS)).as("an epoch that lies ahead").isEqualTo(List.of(MS, "" + (MICROS + 1)));
    }

    /** It was given before the clock was set back. Also a full server writes it down. */
    @Test
    void aLeaseOfMoreThanFourTimesItsLengthCountsFromNow() {
        hash(META, "owner", "n1", "epoch", "7", "lease", MS + 4 * LEASE_MS);
        assertThat(own("n2", MS)).isEqualTo(List.of(MS, "", "n1", MS + 4 * LEASE_MS));
        assertThat(hash(META)).containsEntry("lease", "" + (MS + 4 * LEASE_MS));
        hash(META, "lease", MS + 4 * LEASE_MS + 1);
        fillServer();
        assertThat(own("n2", MS)).isEqualTo(List.of(MS, "", "n1", MS + LEASE_MS));
        assertThat(hash(META)).containsEntry("lease", "" + (MS + LEASE_MS));
    }

    @Test
    void whatHasNoOwnerIsTakenWhateverItsLease() {
        hash(META, "epoch", "7", "lease", MS + 5 * LEASE_MS);
        assertThat(own("n1", MS - 1)).isEqualTo(List.of(MS, "", "", MS + 5 * LEASE_MS));
        assertThat(own("n1", MS)).isEqualTo(List.of(MS, "" + MICROS));
    }

    @Test
    void aPartitionThatIsGivenBackIsOffered() {
        for (String channel : List.of("", "channel")) {
            hash(META, "owner", "n1", "epoch", "7", "lease", MS + 1, "hz", "5");
            server.command("ZADD", NEAR, "5", "near");
            assertThat(call("release", List.of(META, NEAR), "7", channel, "63")).isEqualTo(1L);
            assertThat(hash(META)).isEqualTo(Map.of("epoch", "8", "lease", "0"));
            assertThat(server.command("EXISTS", NEAR)).isEqualTo(0L);
        }
        assertThat(published()).isEqualTo(List.of("channel", "63"));
    }

    private static List<?> tend(long deadlineMs, int limit) {
        return (List<?>) call(
                "tend",
                List.of(META, NEAR, "r:{t}:f", "r:{t}:i", "r:{t}:r", "r:{t}:q"),
                "7",
                LEASE_MS,
                deadlineMs,
                limit,
                "0",
                "",
                "1000",
                "100",
                "100",
                "",
                "0",
                "0",
                "42");
    }

    private static Object claims() {
        return server.command("ZRANGE", "r:{t}:f", "0", "-1", "WITHSCORES");
    }

    @Test
    void aLeaseIsRenewedUpToTheDeadline() {
        hash(META, "owner", "n1", "epoch", "7", "live", "5", "tend", "41");
        server.command("ZADD", "r:{t}:i", "65536", "n1", "131072", "n2");
        assertThat(tend(MS - 1, 10)).isEqualTo(List.of(MS, 2L));
        List<?> answer = tend(MS, 10);
        assertThat(answer.subList(0, 3)).isEqualTo(List.of(MS, 0L, 5L));
        assertThat(answer.get(5)).as("the lowest slice").isEqualTo("n1");
        assertThat(hash(META))
                .containsEntry("lease", "" + (MS + LEASE_MS))
                .containsEntry("tend", "42")
                .containsEntry("hz", "1000");
        server.command("DEL", "r:{t}:i");
        hash(META, "tend", "41");
        server.command("HDEL", META, "live");
        assertThat(tend(MS, 10).get(2)).isEqualTo(0L);
    }

    /** A claim that lies far ahead was made before the clock was set back: it counts from now. */
    @Test
    void claimsThatHaveRunOutAreToldUpToALimit() {
        hash(META, "owner", "n1", "epoch", "7");
        long ahead = MS + 4 * LEASE_MS;
        server.command("ZADD", "r:{t}:f", "" + (MS - 1), "a", "" + MS, "b", "" + (MS + 1), "c");
        server.command("ZADD", "r:{t}:f", "" + (ahead - 1), "d", "" + ahead, "e", "" + (ahead + 1), "f");
        server.command("ZADD", NEAR, "1", "one", "2", "two");
        fillServer();
        List<?> answer = tend(MS, 1);
        assertThat(answer.get(3)).isEqualTo(List.of("one", "1"));
        assertThat(answer.get(4)).isEqualTo(List.of("a"));
        assertThat(claims())
                .asString()
                .isEqualTo(""
                        + List.of(
                                "a", MS - 1, "b", MS, "c", MS + 1, "e", MS + LEASE_MS, "d", ahead - 1, "f", ahead + 1));
    }

    @Test
    void allClaimsThatHaveRunOutAreTold() {
        hash(META, "owner", "n1", "epoch", "7");
        server.command("ZADD", "r:{t}:f", "" + (MS - 1), "a", "" + MS, "b", "" + (MS + 1), "c");
        assertThat(tend(MS, 10).get(4)).isEqualTo(List.of("a", "b"));
    }

    // ---- nodes

    private static List<?> beat(String node, String incarnation, String leaves, String gone) {
        return beat(node, incarnation, LEASE_MS, leaves, gone);
    }

    private static List<?> beat(String node, String incarnation, Object leaseMs, String leaves, String gone) {
        return beat(node, incarnation, leaseMs, leaves, gone, "");
    }

    private static List<?> beat(
            String node, String incarnation, Object leaseMs, String leaves, String gone, String made) {
        return (List<?>) call(
                "beat",
                List.of(NODES, IDS, CONFIG),
                node,
                incarnation,
                leaseMs,
                leaves,
                "channel:",
                "3",
                "64",
                "abc",
                gone,
                made);
    }

    @Test
    void partitionsThatWereMadeForGoodAreWrittenDown() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc", "lease", "" + LEASE_MS);
        List<?> alone = List.of(MS, 0L, List.of("n"), List.of("i"));
        assertThat(beat("n", "i", "0", "")).isEqualTo(alone);
        fillServer();
        String first = "1" + "0".repeat(62) + "1";
        assertThat(beat("n", "i", LEASE_MS, "0", "", "63,0"))
                .isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i"), first));
        String both = "1010" + "0".repeat(59) + "1";
        assertThat(beat("n", "i", LEASE_MS, "0", "", "2")).last().isEqualTo(both);
        assertThat(beat("n", "i", LEASE_MS, "0", "", "2")).last().isEqualTo(both);
        assertThat(beat("n", "i", "0", "")).last().isEqualTo(both);
        assertThat(hash(CONFIG)).containsEntry("made", both);
        takeAnyMemory();
        hash(CONFIG, "id", "abd");
        beat("n", "i", LEASE_MS, "0", "", "5");
        assertThat(hash(CONFIG)).as("of another namespace").containsEntry("made", both);
    }

    private static Object nodes() {
        return server.command("ZRANGE", NODES, "0", "-1", "WITHSCORES");
    }

    @Test
    void aNodeIsAliveUntilItHasBeenSilentForItsTime() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc");
        server.command("ZADD", NODES, "" + (MS - LEASE_MS), "dead", "" + (MS - LEASE_MS + 1), "alive");
        hash(IDS, "dead", "i0", "alive", "i1");
        assertThat(beat("n", "i2", "0", "")).isEqualTo(List.of(MS, 0L, List.of("alive", "n"), List.of("i1", "i2")));
        assertThat(hash(IDS)).isEqualTo(Map.of("alive", "i1", "n", "i2"));
        assertThat(nodes()).isEqualTo(List.of("alive", "" + (MS - LEASE_MS + 1), "n", "" + MS));
        assertThat(published())
                .as("of a node that is new")
                .isEqualTo(List.of("channel:alive", "nodes", "channel:n", "nodes"));
        assertThat(beat("n", "i2", "0", "")).hasSize(4);
        assertThat(published()).as("of one that is not").hasSize(4);
        assertThat(beat("n", "i3", "0", "")).isEqualTo(List.of(MS, 1L, "i2", "" + MS));
        assertThat(beat("n", "i2", "1", "")).isEqualTo(List.of(MS, 0L, List.of("alive"), List.of("i1")));
        assertThat(published().subList(4, 6)).as("of one that leaves").isEqualTo(List.of("channel:alive", "nodes"));
        assertThat(hash(IDS)).isEqualTo(Map.of("alive", "i1"));
    }

    @Test
    void aHeartbeatThatLiesAheadCountsFromNow() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc");
        server.command("ZADD", NODES, "" + (MS + LEASE_MS - 1), "fast", "" + (MS + LEASE_MS), "back");
        assertThat(beat("n", "i2", "0", ""))
                .isEqualTo(List.of(MS, 0L, List.of("back", "n", "fast"), List.of("", "i2", "")));
        assertThat(nodes()).isEqualTo(List.of("back", "" + MS, "n", "" + MS, "fast", "" + (MS + LEASE_MS - 1)));
    }

    /** Nobody else has its incarnation, or nobody has been heard of that has it. */
    @Test
    void aNameOfNobodyIsTaken() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc");
        hash(IDS, "n", "i1");
        assertThat(beat("n", "i2", "0", "")).isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i2")));
        server.command("DEL", IDS);
        assertThat(beat("n", "i3", "0", "")).isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i3")));
    }

    /** Whoever has the shorter lease would take the others for dead. */
    @Test
    void aNodeIsTakenByTheLeaseOfThoseThatAreAlive() {
        long other = LEASE_MS * 2;
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc", "lease", "" + other);
        server.command(
                "ZADD", NODES, "" + (MS - other), "dead", "" + (MS - other + 1), "alive", "" + (MS + other), "ahead");
        hash(IDS, "dead", "i0", "alive", "i1");
        assertThat(beat("n", "i2", "0", "")).isEqualTo(List.of(MS, 3L, "" + other, "alive", "ahead"));
        assertThat(nodes()).isEqualTo(List.of("alive", "" + (MS - other + 1), "ahead", "" + MS));
        assertThat(beat("n", "i2", "1", "")).as("of one that leaves").hasSize(4);
        assertThat(beat("alive", "i3", "0", ""))
                .as("of a name that is in use")
                .isEqualTo(List.of(MS, 3L, "" + other, "alive", "ahead"));
        assertThat(hash(CONFIG)).containsEntry("lease", "" + other);
        server.command("ZREM", NODES, "ahead");
        assertThat(beat("alive", "i1", "0", ""))
                .as("of the only one")
                .isEqualTo(List.of(MS, 0L, List.of("alive"), List.of("i1")));
        assertThat(hash(CONFIG)).containsEntry("lease", "" + LEASE_MS);
        assertThat(beat("n", "i2", other, "0", ""))
                .as("of one with a longer lease")
                .isEqualTo(List.of(MS, 3L, "" + LEASE_MS, "alive"));
        server.command("ZADD", NODES, "" + (MS - other + 1), "alive");
        assertThat(beat("n", "i2", other, "0", ""))
                .as("by its own lease it is alive")
                .isEqualTo(List.of(MS, 3L, "" + LEASE_MS, "alive"));
        server.command("ZADD", NODES, "" + (MS - other), "alive");
        assertThat(beat("n", "i2", other, "0", "")).isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i2")));
        assertThat(hash(CONFIG)).containsEntry("lease", "" + other);
    }

    @Test
    void theFirstLeaseIsWrittenDownOnAFullServerToo() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abc");
        fillServer();
        assertThat(beat("n", "i", "0", "")).isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i")));
        assertThat(hash(CONFIG)).containsEntry("lease", "" + LEASE_MS);
    }

    @Test
    void anIdThatAFailoverHasLostIsWrittenAgain() {
        hash(CONFIG, "format", "3", "partitions", "64");
        fillServer();
        assertThat(beat("n", "i", "0", "")).isEqualTo(List.of(MS, 0L, List.of("n"), List.of("i")));
        assertThat(hash(CONFIG)).containsEntry("id", "abc");
    }

    @Test
    void aPartitionThatIsGoneIsWrittenDownOnce() {
        hash(CONFIG, "format", "3", "partitions", "64", "id", "abd");
        assertThat(beat("n", "i", "0", "5")).isEqualTo(List.of(MS, 2L, "abd", "", ""));
        assertThat(hash(CONFIG)).as("of another namespace").doesNotContainKey("gone");
        hash(CONFIG, "id", "abc");
        assertThat(beat("n", "i", "0", "5")).isEqualTo(List.of(MS, 2L, "abc", "5", ""));
        assertThat(beat("n", "i", "0", "6")).isEqualTo(List.of(MS, 2L, "abc", "5", ""));
        hash(CONFIG, "lost:abc", "1");
        assertThat(beat("n", "i", "0", "6")).isEqualTo(List.of(MS, 2L, "abc", "5", "1"));
        assertThat(hash(CONFIG)).containsEntry("gone", "5");
        assertThat(server.command("EXISTS", NODES, IDS)).isEqualTo(0L);
        server.command("DEL", CONFIG);
        assertThat(beat("n", "i", "0", "5")).isEqualTo(List.of(MS, 2L, "", "", ""));
        assertThat(hash(CONFIG)).isEmpty();
    }

    // ---- settings

    private static Object config(String format, String id) {
        return call("config", List.of(CONFIG, NODES, IDS), format, "64", "2", "v3-", LEASE_MS, id);
    }

    @Test
    void aNamespaceIsOpenedByWhoMayMakeIt() {
        assertThat(config("3", "")).isEqualTo(List.of("", "", "", ""));
        assertThat(hash(CONFIG)).isEmpty();
        assertThat(config("3", "abc")).isEqualTo(List.of("3", "64", "abc", ""));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "3", "partitions", "64", "id", "abc"));
        hash(CONFIG, "gone", "5");
        for (String id : List.of("", "abd")) {
            assertThat(config("3", id)).isEqualTo(List.of("3", "64", "abc", "5"));
        }
        server.command("HDEL", CONFIG, "id");
        assertThat(config("3", "")).isEqualTo(List.of("", "", "", ""));
        hash(CONFIG, "partitions", "65");
        assertThat(config("3", "abd")).isEqualTo(List.of("3", "65", "", "5"));
        assertThat(hash(CONFIG)).doesNotContainKey("id");
    }

    @Test
    void theFormerFormatStaysWhileANodeOfItIsAlive() {
        hash(CONFIG, "format", "2", "partitions", "64");
        server.command("ZADD", NODES, "" + (MS - LEASE_MS), "dead", "" + (MS - LEASE_MS + 1), "old", "" + MS, "new");
        hash(IDS, "dead", "i1", "old", "v3", "new", "v3-i2");
        assertThat(config("3", "abc")).isEqualTo(List.of("2", "64", "", "", "old"));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "2", "partitions", "64"));
        server.command("HDEL", IDS, "old");
        assertThat(config("3", "abc")).as("of no incarnation").isEqualTo(List.of("2", "64", "", "", "old"));
        server.command("ZREM", NODES, "old");
        assertThat(config("3", "abc")).isEqualTo(List.of("3", "64", "abc", ""));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "3", "partitions", "64", "id", "abc"));
    }

    @Test
    void anIdIsGivenToWhatHasNoneAlsoByAFullServer() {
        hash(CONFIG, "format", "3", "partitions", "64");
        fillServer();
        assertThat(config("3", "abc")).isEqualTo(List.of("3", "64", "abc", ""));
        assertThat(hash(CONFIG)).containsEntry("id", "abc");
    }

    @Test
    void aFormatThatIsNeitherStays() {
        hash(CONFIG, "format", "1", "partitions", "64");
        assertThat(config("3", "abc")).isEqualTo(List.of("1", "64", "", ""));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "1", "partitions", "64"));
    }

    // ---- operators

    private static Object accept(String gone) {
        return call("accept", List.of(CONFIG), gone, "new");
    }

    @Test
    void whatIsGoneIsReplaced() {
        assertThat(accept("abc")).isEqualTo(List.of(1L, "new"));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("id", "new", "lost:abc", "1"));
        server.command("DEL", CONFIG);
        hash(CONFIG, "format", "3", "id", "abc", "gone", "5", "made", "1");
        fillServer();
        assertThat(accept("abc")).isEqualTo(List.of(1L, "new"));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "3", "id", "new", "lost:abc", "1"));
    }

    @Test
    void whatHasTakenThePlaceOfWhatIsGoneStays() {
        hash(CONFIG, "format", "3", "id", "abd", "gone", "5", "made", "1");
        fillServer();
        assertThat(accept("abc")).isEqualTo(List.of(1L, "abd"));
        assertThat(hash(CONFIG))
                .isEqualTo(Map.of("format", "3", "id", "abd", "gone", "5", "made", "1", "lost:abc", "1"));
        server.command("HDEL", CONFIG, "gone");
        assertThat(accept("abe")).isEqualTo(List.of(1L, "abd"));
        assertThat(hash(CONFIG)).containsEntry("lost:abe", "1");
    }

    @Test
    void whatIsThereIsNotReplaced() {
        hash(CONFIG, "format", "3");
        assertThat(accept("abc")).isEqualTo(List.of(0L, ""));
        hash(CONFIG, "id", "abc");
        assertThat(accept("abc")).isEqualTo(List.of(0L, "abc"));
        assertThat(hash(CONFIG)).isEqualTo(Map.of("format", "3", "id", "abc"));
    }
}
