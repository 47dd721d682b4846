package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whom {@code tend.lua} serves, until when, and what it does with leases, claims and near inserts, to the millisecond. */
final class TendOwnerScriptTest {

    private static final String TEND = StoppedClock.source(Script.named("tend"));
    private static final String PREFIX = "script:{t}:";
    private static final String EPOCH = "7";
    private static final long NOW_MS = StoppedClock.MS;
    private static final long LEASE_MS = 60_000;
    private static final long NO_DEADLINE_MS = Long.MAX_VALUE;

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
    void ownPartition() {
        server.command("FLUSHALL");
        server.command("HSET", PREFIX + "m", "owner", "n", "epoch", EPOCH, "live", "5", "big", "0");
    }

    /** Of a range of which no slice is declared. */
    private static List<String> tend(String epoch, long deadlineMs, int most, long number) {
        List<String> eval = new ArrayList<>(List.of("EVAL", TEND, "6"));
        for (char letter : "mnfirq".toCharArray()) {
            eval.add(PREFIX + letter);
        }
        eval.addAll(List.of(epoch, "" + LEASE_MS, "" + deadlineMs, "" + most, "0", "nmark", "100", "9", "9"));
        eval.addAll(List.of("", "0", "0", "" + number));
        return ((List<?>) server.command(eval.toArray(String[]::new)))
                .stream().map(String::valueOf).toList();
    }

    private static List<String> tend(int most) {
        return tend(EPOCH, NO_DEADLINE_MS, most, 1);
    }

    private static String scores(String set) {
        return String.valueOf(server.command("ZRANGE", PREFIX + set, "0", "-1", "WITHSCORES"));
    }

    @Test
    void nobodyButTheOwnerIsServed() {
        String now = "" + NOW_MS;
        server.command("ZADD", PREFIX + "n", "1", "near");
        assertThat(tend("8", NO_DEADLINE_MS, 10, 1)).containsExactly(now, "1");
        assertThat(server.command("HGET", PREFIX + "m", "lease")).isNull();
        server.command("HDEL", PREFIX + "m", "epoch");
        assertThat(tend(EPOCH, NO_DEADLINE_MS, 10, 1)).as("by nobody").containsExactly(now, "3");
        assertThat(scores("n")).isEqualTo("[near, 1]");
    }

    @Test
    void partitionWithoutTimersHasNoneThatLive() {
        server.command("HDEL", PREFIX + "m", "live");
        assertThat(tend(10)).startsWith("" + NOW_MS, "0", "0");
    }

    @Test
    void callIsServedUpToItsDeadlineAndInItsOrder() {
        assertThat(tend(EPOCH, NOW_MS - 1, 10, 3)).containsExactly("" + NOW_MS, "2");
        assertThat(tend(EPOCH, NOW_MS, 10, 3)).startsWith("" + NOW_MS, "0", "5");
        assertThat(server.command("HMGET", PREFIX + "m", "lease", "tend"))
                .isEqualTo(List.of("" + (NOW_MS + LEASE_MS), "3"));
        assertThat(tend(EPOCH, NO_DEADLINE_MS, 10, 3)).as("again").containsExactly("" + NOW_MS, "2");
        assertThat(tend(EPOCH, NO_DEADLINE_MS, 10, 4)).startsWith("" + NOW_MS, "0");
    }

    /** It begins in a slice that was not declared. */
    @Test
    void rangeThatCannotBeReadKeepsItsMark() {
        server.command("ZADD", PREFIX + "i", "0", "n0");
        server.command("ZADD", PREFIX + "zn0", "10", "k");
        assertThat(tend(10).subList(2, 14))
                .containsExactly("5", "[]", "[]", "n0", "[]", "[n0]", "0", "nmark", "0", "[]", "[]", "[]");
        assertThat(server.command("HEXISTS", PREFIX + "m", "hz")).isEqualTo(0L);
    }

    @Test
    void claimsThatHaveRunOutAreTold() {
        server.command("ZADD", PREFIX + "f", "" + (NOW_MS - 1), "a", "" + NOW_MS, "b", "" + (NOW_MS + 1), "c");
        assertThat(tend(10).get(4)).isEqualTo("[a, b]");
        assertThat(tend(EPOCH, NO_DEADLINE_MS, 1, 2).get(4)).as("one at most").isEqualTo("[a]");
    }

    /** It was made before the clock was set back. */
    @Test
    void claimThatHoldsTooLongCountsFromNow() {
        String before = "" + (NOW_MS + 4 * LEASE_MS - 1);
        server.command("ZADD", PREFIX + "f", before, "a", "" + (NOW_MS + 4 * LEASE_MS), "b");
        server.command("ZADD", PREFIX + "f", "" + (NOW_MS + 5 * LEASE_MS), "c");
        assertThat(tend(1).get(4)).isEqualTo("[]");
        String now = "" + (NOW_MS + LEASE_MS);
        assertThat(scores("f"))
                .as("one at most")
                .isEqualTo("[b, " + now + ", a, " + before + ", c, " + (NOW_MS + 5 * LEASE_MS) + "]");
        tend(EPOCH, NO_DEADLINE_MS, 10, 2);
        assertThat(scores("f")).isEqualTo("[b, " + now + ", c, " + now + ", a, " + before + "]");
    }

    @Test
    void nearInsertsAreTakenAFewAtATime() {
        server.command("ZADD", PREFIX + "n", "3", "c", "1", "a", "2", "b");
        assertThat(tend(2).get(3)).isEqualTo("[a, 1, b, 2]");
        assertThat(scores("n")).isEqualTo("[c, 3]");
    }

    @Test
    void lowestSliceIsTold() {
        server.command("ZADD", PREFIX + "i", "65536", "n1", "4194304", "f1");
        assertThat(tend(10).get(5)).isEqualTo("n1");
    }
}
