package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code commands.lua} refuses, which a store that asks rightly never sees. */
class CommandsScriptTest {

    private static final String COMMANDS = StoppedClock.source(Script.named("commands"));
    private static final String PREFIX = "script:{t}:";
    private static final String OTHER = "script:{u}:";
    private static final String EMPTY = "script:{v}:";
    private static final String OWNER = "7";
    private static final String ANYBODY = "";
    private static final long PAST_MS = 1_000;
    private static final long LATER_MS = 4_000_000_000_000L;
    private static final long HORIZON_MS = 5_000_000;
    private static final int ATTEMPTS_AT = 28;
    private static final int COMPLETED = 2;
    private static final int DEAD = 4;
    private static final int REPLACE = 0;
    private static final int KEEP = 1;
    private static final int FAIL = 2;
    private static final int EARLIEST = 3;
    private static final int LATEST = 4;
    private static final int ONCE = 5;
    private static final String HASH = "hash-of-";
    /** The optional fields of a timer of route 7. */
    private static final String ROUTED = "\0\6\2\4\0\0\0\7";

    private static final byte[] QUEUE_ROUTE = {0};
    private static final byte[] ROUTE_7 = {4, 0, 0, 0, 7};
    private static final byte[] ROUTE_8 = {4, 0, 0, 0, 8};

    private static final AtomicLong calls = new AtomicLong();
    private static RedisServer server;
    private static String remembered = "2";

    private long operations;

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
        remembered = "2";
        server.command("FLUSHALL");
        server.command("HSET", PREFIX + "m", "owner", "n", "epoch", OWNER, "hz", "" + HORIZON_MS);
    }

    @Test
    void nothingIsClaimedBeforeItsTime() {
        assertAnswers(OWNER, List.of(schedule("k", LATER_MS), claim("k", LATER_MS, 1)), "C", "E");
        assertThat(inFlight("k")).isNull();
    }

    @Test
    void timerThatIsDueAtAnotherTimeIsNotClaimed() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS + 1, 1)), "C", "E");
        assertAnswers(OWNER, List.of(claim("other", PAST_MS, 1)), "N");
        assertThat(inFlight("k")).isNull();
    }

    @Test
    void theOwnerIsToldOfWhatIsDueBeforeItsHorizonAndOfNoOther() {
        assertAnswers(
                ANYBODY,
                List.of(schedule("k", HORIZON_MS - 1), schedule("l", HORIZON_MS), schedule("m", PAST_MS)),
                "C",
                "C",
                "C");
        assertThat(near()).containsExactly("\0q\0m", "\0q\0k");
    }

    /** It would load a timer that is not pending there any more. */
    @Test
    void nothingIsToldOfATimerThatHasLeft() {
        assertAnswers(
                ANYBODY,
                List.of(schedule("k", PAST_MS), schedule("l", PAST_MS), schedule("m", PAST_MS)),
                "C",
                "C",
                "C");
        assertAnswers(ANYBODY, List.of(cancel("k"), schedule("m", HORIZON_MS)), "C", "R");
        assertAnswers(OWNER, List.of(claim("l", PAST_MS, 1)), "G");
        assertThat(near()).isEmpty();
    }

    private static List<String> near() {
        List<?> members = (List<?>) server.command("ZRANGE", PREFIX + "n", "0", "-1");
        return members.stream().map(String.class::cast).toList();
    }

    @Test
    void onlyTheOwnerClaims() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "X");
        assertAnswers("6", List.of(claim("k", PAST_MS, 1)), "X");
        assertThat(inFlight("k")).isNull();
    }

    /** What it has sent before may come later. */
    @Test
    void whoHasGivenThePartitionBackClaimsNothing() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        String release = Script.named("release").source();
        assertThat(server.command("EVAL", release, "2", PREFIX + "m", PREFIX + "n", OWNER, "", "0"))
                .isEqualTo(1L);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "X");
        assertThat(server.command("EVAL", release, "2", PREFIX + "m", PREFIX + "n", OWNER, "", "0"))
                .isEqualTo(0L);
    }

    @Test
    void claimIsMadeOnceAndKnownByItsToken() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), claim("k", PAST_MS, 2)), "G", "N");
        assertThat(attempts("k")).isOne();
    }

    @Test
    void claimIsEndedByItsTokenOnly() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(
                ANYBODY, List.of(finish("k", 2), retry("k", 2), release("k", 2), extend("k", 2)), "S", "S", "S", "S");
        assertThat(inFlight("k")).isNotNull();
        assertAnswers(ANYBODY, List.of(finish("k", 1), finish("k", 1)), "D", "S");
        assertThat(inFlight("k")).isNull();
    }

    @Test
    void claimThatHoldsIsNotReaped() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1), reap("k")), "C", "G", "S");
        assertAnswers(OWNER, List.of(reap("k")), "S");
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(ANYBODY, List.of(reap("k")), "S");
        assertAnswers(OWNER, List.of(reap("k")), "D");
        assertThat(inFlight("k")).isNull();
        assertThat(server.command("ZSCORE", PREFIX + "zn0", "\0q\0k")).isEqualTo("" + PAST_MS);
        assertThat(attempts("k")).isOne();
    }

    /** Its node did not hear that it was granted: the claim has run out meanwhile. */
    @Test
    void claimThatIsAskedForAgainHoldsFromThenOn() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), reap("k")), "G", "S");
        assertAnswers(OWNER, List.of(reap("k")), "S");
        assertThat(attempts("k")).isOne();
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), reap("k")), "N", "D");
    }

    @Test
    void extendedClaimHoldsLonger() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(ANYBODY, List.of(extend("k", 1)), "D");
        assertAnswers(OWNER, List.of(reap("k"), claim("k", PAST_MS, 1)), "S", "G");
    }

    @Test
    void extensionInTheCallOfTheClaimKeepsTheClaim() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1), extend("k", 1)), "C", "G", "D");
        assertAnswers(
                OWNER,
                List.of(retry("k", 1), claim("k", PAST_MS, 2), extend("k", 2), extend("k", 1)),
                "D",
                "G",
                "D",
                "S");
        assertAnswers(ANYBODY, List.of(finish("k", 1), finish("k", 2)), "S", "D");
    }

    /** Also together with what needs no memory, and may be carried out. */
    @Test
    void fullServerTakesNoTimer() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertAnswers(OWNER, List.of(schedule("l", PAST_MS), extend("k", 1), find("l")), "O", "D", "N");
            assertThat(call("2", 1, true, ANYBODY, List.of(extend("k", 1)), Set.of()))
                    .containsExactly("D");
            assertAnswers(OWNER, List.of(finish("k", 1), schedule("l", PAST_MS)), "D", "O");
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(inFlight("k")).isNull();
    }

    /** The reply was lost, and another node was faster than the repetition. */
    @Test
    void repeatedCommandHasTheEffectOfOnce() {
        Set<String> slices = Set.of(slice(PAST_MS));
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS), schedule("l", PAST_MS)), "C", "C");
        List<Command> lost = List.of(cancel("k"), schedule("l", PAST_MS + 1), schedule("m", PAST_MS), cancel("x"));
        List<String> first = call("2", 7, false, ANYBODY, lost, slices);
        assertThat(first).extracting(answer -> answer.substring(0, 1)).containsExactly("C", "R", "C", "N");
        assertAnswers(
                ANYBODY,
                List.of(schedule("k", PAST_MS), schedule("l", PAST_MS), cancel("m"), schedule("x", PAST_MS)),
                "C",
                "R",
                "C",
                "C");
        List<String> records = List.of(record("k"), record("l"), record("m"), record("x"));
        assertThat(call("2", 8, true, ANYBODY, lost.subList(0, 2), slices)).isEqualTo(first.subList(0, 2));
        assertThat(call("2", 9, true, ANYBODY, lost.subList(2, 4), slices))
                .as("in two calls, as they may be more than one takes")
                .isEqualTo(first.subList(2, 4));
        assertThat(call("2", 10, true, ANYBODY, lost, slices)).isEqualTo(first);
        assertThat(List.of(record("k"), record("l"), record("m"), record("x"))).isEqualTo(records);
    }

    /** The timer was delivered meanwhile, and forgotten. */
    @Test
    void repeatedScheduleDoesNotDeliverAgain() {
        Command lost = schedule("k", PAST_MS);
        List<String> first = call("2", 1, false, ANYBODY, List.of(lost), Set.of(slice(PAST_MS)));
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), finish("k", 1)), "G", "D");
        for (String key : List.of("l", "m")) {
            assertAnswers(OWNER, List.of(schedule(key, PAST_MS), claim(key, PAST_MS, 1)), "C", "G");
            assertAnswers(OWNER, List.of(finish(key, 1)), "D");
        }
        assertAnswers(OWNER, List.of(find("k")), "N");
        assertThat(call("2", 2, true, ANYBODY, List.of(lost), Set.of(slice(PAST_MS))))
                .isEqualTo(first);
        assertThat(members("zn0")).isEmpty();
    }

    /** It was in a buffer of the server when its connection ended. */
    @Test
    void callThatComesAfterALaterOneOfItsNodeDoesNothing() {
        Set<String> slices = Set.of(slice(PAST_MS));
        Command late = cancel("k");
        assertThat(call("2", 8, true, ANYBODY, List.of(late), slices)).containsExactly("N");
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS)), "C");
        assertThat(call("2", 7, false, ANYBODY, List.of(late), slices)).isEmpty();
        assertThat(members("zn0")).containsExactly("\0q\0k");
        assertThat(call("2", 9, false, ANYBODY, List.of(cancel("k")), slices)).hasSize(1);
        assertThat(members("zn0")).isEmpty();
        assertThat((Long) server.command("PTTL", PREFIX + "a2")).isBetween(1L, 600_000L);
    }

    @Test
    void releasedClaimDoesNotCount() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1), release("k", 1)), "C", "G", "D");
        assertThat(attempts("k")).isZero();
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), retry("k", 2), claim("k", PAST_MS, 3)), "G", "D", "G");
        assertThat(attempts("k")).isEqualTo(2);
    }

    @Test
    void whatFollowsOnATimerWaitsForTheSlice() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        Command away = schedule("k", LATER_MS);
        assertThat(run(OWNER, List.of(away, find("k"), schedule("l", LATER_MS)), Set.of(slice(LATER_MS))))
                .satisfiesExactly(
                        answer -> assertThat(answer).isEqualTo("Mn0"),
                        answer -> assertThat(answer).isEqualTo("Mn0"),
                        answer -> assertThat(answer).startsWith("C"));
        assertAnswers(OWNER, List.of(away, cancel("k")), "R", "C");
        assertThat(server.command("ZRANGE", PREFIX + "i", "0", "-1")).isEqualTo(List.of(slice(LATER_MS)));
    }

    @Test
    void ownerIsToldWhatOthersScheduleIntoWhatIsLoaded() {
        assertAnswers(OWNER, List.of(schedule("own", PAST_MS)), "C");
        assertThat(server.command("EXISTS", PREFIX + "n")).isEqualTo(0L);
        assertAnswers(ANYBODY, List.of(schedule("near", HORIZON_MS - 1), schedule("far", HORIZON_MS)), "C", "C");
        assertThat(server.command("ZRANGE", PREFIX + "n", "0", "-1")).isEqualTo(List.of("\0q\0near"));
    }

    /** The owner takes it for what stands there now. */
    @Test
    void nearInsertStandsForWhatIsPendingNow() {
        for (String key : List.of("k", "l", "m", "o")) {
            assertAnswers(ANYBODY, List.of(schedule(key, PAST_MS, REPLACE, ROUTE_7, 0)), "C");
        }
        assertThat(members("n")).hasSize(4);
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_8, 0)), "R");
        assertThat(members("n")).contains("\4\0\0\0\10q\0k").hasSize(4);
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS + 1, REPLACE, ROUTE_8, 0)), "R");
        assertThat(members("n")).as("replaced by the owner itself").hasSize(3);
        assertAnswers(ANYBODY, List.of(schedule("l", HORIZON_MS, REPLACE, ROUTE_7, 0), cancel("m")), "R", "C");
        assertThat(members("n")).as("replaced by a later one, cancelled").containsExactly("\4\0\0\0\7q\0o");
        assertAnswers(OWNER, List.of(claim("o", PAST_MS, 1)), "G");
        assertThat(members("n")).as("claimed").isEmpty();
    }

    @Test
    void oldestFinishedAreForgotten() {
        for (String key : List.of("k", "l", "m")) {
            assertAnswers(OWNER, List.of(schedule(key, PAST_MS), claim(key, PAST_MS, 1)), "C", "G");
            assertAnswers(OWNER, List.of(finish(key, 1)), "D");
        }
        assertThat(server.command("ZRANGE", PREFIX + "e", "0", "-1")).isEqualTo(List.of("q\0l", "q\0m"));
        assertThat(server.command("HLEN", PREFIX + "r")).isEqualTo(2L);
        assertAnswers(OWNER, List.of(find("k"), find("l")), "N", "V");
    }

    @Test
    void memberOfASliceBeginsWithItsRoute() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS), schedule("l", PAST_MS, REPLACE, ROUTE_7, 0)), "C", "C");
        assertThat(members("zn0")).containsExactly("\0q\0k", "\4\0\0\0\7q\0l");
        assertThat(members("n")).as("near inserts").containsExactly("\0q\0k", "\4\0\0\0\7q\0l");
        assertAnswers(ANYBODY, List.of(schedule("l", PAST_MS, REPLACE, ROUTE_8, 0), cancel("k")), "R", "C");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\10q\0l");
        assertAnswers(OWNER, List.of(claim("l", PAST_MS, 1)), "G");
        assertThat(members("zn0")).isEmpty();
        assertThat(members("f")).containsExactly("q\0l");
    }

    @Test
    void plainRecordHasTwoBytesMore() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS)), "C");
        assertThat(record("k")).hasSize(30 + 2);
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 5)), "R");
        assertThat(record("k")).hasSize(30 + 2 + 6 + 5);
    }

    @Test
    void releasedTimerGetsAnotherRoute() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(ANYBODY, List.of(reroute("k", 2, QUEUE_ROUTE), reroute("k", 1, ROUTE_8)), "S", "D");
        assertThat(attempts("k")).isZero();
        assertThat(members("zn0")).containsExactly("\4\0\0\0\10q\0k");
        assertThat(members("f")).isEmpty();
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 3), reroute("k", 3, QUEUE_ROUTE)), "G", "D");
        assertThat(members("zn0")).containsExactly("\0q\0k");
        assertThat(record("k")).hasSize(30 + 2 + 3);
    }

    @Test
    void retryKeepsTheFirstDueTimeAndWhatItDoesNotKnow() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 0)), "C");
        String plain = record("k");
        String unknown = plain.substring(0, 30) + "\0\12" + "\2\4\0\0\0\7" + "\11\2ab";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", unknown);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), retry("k", 1, PAST_MS + 5)), "G", "D");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS + 5, 2), retry("k", 2, PAST_MS + 9)), "G", "D");
        assertThat(record("k").substring(32)).isEqualTo("\2\4\0\0\0\7" + "\11\2ab" + "\1\10\0\0\0\0\0\0\3\u00e8");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\7q\0k");
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS)), "R");
        assertThat(record("k")).as("of a new timer").hasSize(32);
    }

    @Test
    void rulesOfConflictGoByTheFirstDueTime() {
        assertAnswers(
                OWNER,
                List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1), retry("k", 1, PAST_MS + 100)),
                "C",
                "G",
                "D");
        assertAnswers(
                ANYBODY,
                List.of(
                        schedule("k", PAST_MS + 50, EARLIEST, QUEUE_ROUTE, 0),
                        schedule("k", PAST_MS - 50, LATEST, QUEUE_ROUTE, 0),
                        schedule("k", PAST_MS + 50, LATEST, QUEUE_ROUTE, 0)),
                "K",
                "K",
                "R");
    }

    /** As layout 1 wrote it. */
    @Test
    void timerWithoutOptionalFieldsStaysOfUnknownRoute() {
        String layout1 = "\0" + "\0\0\0\1" + "\0\0\0\0\0\0\3\u00e8" + "\0".repeat(7 + 8 + 2) + "content";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", layout1);
        server.command("ZADD", PREFIX + "zn0", "" + PAST_MS, "q\0k");
        server.command("ZADD", PREFIX + "i", "0", "n0");
        server.command("HSET", PREFIX + "m", "seq", "1", "live", "1");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), release("k", 1)), "G", "D");
        assertThat(record("k")).isEqualTo(layout1);
        assertThat(members("zn0")).containsExactly("q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), retry("k", 2, PAST_MS + 1)), "G", "D");
        assertThat(members("zn0")).containsExactly("q\0k");
        assertThat(record("k")).endsWith("\0\14" + "\2\0" + "\1\10\0\0\0\0\0\0\3\u00e8" + "content");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS + 1, 3), reroute("k", 3, ROUTE_7)), "G", "D");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\7q\0k");
        assertThat(server.command("HGET", PREFIX + "m", "big")).as("unknown").isNull();
        assertAnswers(ANYBODY, List.of(cancel("k")), "C");
        assertThat(members("zn0")).isEmpty();
        assertThat(members("i")).isEmpty();
    }

    @Test
    void largeContentsAreMarked() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS, REPLACE, QUEUE_ROUTE, 4_096)), "C");
        assertThat(server.command("HGET", PREFIX + "m", "big")).isEqualTo("0");
        assertAnswers(ANYBODY, List.of(schedule("l", PAST_MS, REPLACE, QUEUE_ROUTE, 4_097)), "C");
        assertThat(server.command("HGET", PREFIX + "m", "big")).isEqualTo("1");
        assertAnswers(ANYBODY, List.of(schedule("m", PAST_MS)), "C");
        assertThat(server.command("HGET", PREFIX + "m", "big")).isEqualTo("1");
    }

    /** However many are asked for, a reply has about a megabyte. */
    @Test
    void largeContentsAreClaimedInSeveralCalls() {
        List<Command> claims = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            assertAnswers(ANYBODY, List.of(schedule("k" + i, PAST_MS, REPLACE, QUEUE_ROUTE, 300_000)), "C");
            claims.add(claim("k" + i, PAST_MS, i + 1));
        }
        List<String> answers = run(OWNER, claims, Set.of(slice(PAST_MS)));
        assertThat(answers.stream().filter(answer -> answer.startsWith("G"))).hasSize(4);
        assertThat(answers.stream().filter(answer -> answer.equals("A"))).hasSize(16);
    }

    @Test
    void nothingIsReadBehindAMegabyte() {
        List<Command> finds = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            assertAnswers(ANYBODY, List.of(schedule("k" + i, PAST_MS, REPLACE, QUEUE_ROUTE, (1 << 18) - 32)), "C");
            finds.add(find("k" + i));
        }
        assertAnswers(ANYBODY, finds, "V", "V", "V", "V", "V");
        assertAnswers(ANYBODY, List.of(schedule("k3", PAST_MS, REPLACE, QUEUE_ROUTE, (1 << 18) - 31)), "R");
        assertAnswers(ANYBODY, finds, "V", "V", "V", "V", "A");
    }

    /** Each goes by its own owner, counts and slices; what one lacks does not hold up the others. */
    @Test
    void oneCallTakesTheCommandsOfManyPartitions() {
        server.command("HSET", OTHER + "m", "owner", "n", "epoch", "9", "hz", "" + HORIZON_MS);
        Set<String> slices = Set.of(slice(PAST_MS));
        List<String> made = call(
                1,
                false,
                new Part(PREFIX, OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), slices),
                new Part(OTHER, OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), slices),
                new Part(EMPTY, ANYBODY, List.of(find("k"), cancel("k")), Set.of()));
        assertThat(letters(made)).containsExactly("1", "C", "G", "1", "C", "X", "0", "N", "N");
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("cq", "1"));
        assertThat(server.command("HGETALL", OTHER + "q")).isEqualTo(List.of("pq", "1"));
        assertThat(server.command("ZRANGE", OTHER + "n", "0", "-1")).isEqualTo(List.of("\0q\0k"));
        List<String> ended = call(
                2,
                false,
                new Part(OTHER, "9", List.of(schedule("k", LATER_MS), find("k")), Set.of(slice(LATER_MS))),
                new Part(PREFIX, OWNER, List.of(finish("k", 1), schedule("l", PAST_MS)), slices));
        assertThat(letters(ended)).containsExactly("1", "M", "M", "1", "D", "C");
        assertThat(server.command("KEYS", EMPTY + "*")).isEqualTo(List.of());
    }

    /** As the reply was lost: whatever partition it is of. */
    @Test
    void answersOfManyPartitionsAreRemembered() {
        Set<String> slices = Set.of(slice(PAST_MS));
        List<Command> here = List.of(schedule("k", PAST_MS), cancel("x"));
        List<Command> there = List.of(schedule("k", PAST_MS));
        List<String> first =
                call(1, false, new Part(PREFIX, ANYBODY, here, slices), new Part(OTHER, ANYBODY, there, slices));
        assertAnswers(ANYBODY, List.of(cancel("k")), "C");
        assertThat(call(2, true, new Part(OTHER, ANYBODY, there, slices))).isEqualTo(first.subList(3, 5));
        List<String> again = call(3, true, new Part(PREFIX, ANYBODY, here, slices));
        assertThat(again.get(0)).as("live timers").isEqualTo("0");
        assertThat(again.subList(1, 3)).isEqualTo(first.subList(1, 3));
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of());
    }

    // ---- to the byte

    @Test
    void aLifeIsWrittenDownToTheByte() {
        assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), Set.of("n0")))
                .containsExactly("C\0" + head(128, 1, StoppedClock.MICROS, 1, 0) + ROUTED);
        assertThat(record("k")).isEqualTo(head(128, 1, StoppedClock.MICROS, 1, 0) + ROUTED + "\0\0\0");
        assertThat(meta()).containsExactly("" + StoppedClock.MICROS, "1", "0");
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("pq", "1"));
        assertThat(scores("i")).containsExactly("n0", "0");
        assertThat(scores("zn0")).containsExactly("\4\0\0\0\7q\0k", "" + PAST_MS);
        assertThat(server.command("LRANGE", StoppedClock.PUBLISHED, "0", "-1")).isEqualTo(List.of("none:n", "0"));
        assertAnswers(ANYBODY, List.of(schedule("l", PAST_MS), cancel("l")), "C", "C");
        assertThat(server.command("LLEN", StoppedClock.PUBLISHED)).isEqualTo(2L);

        run(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), Set.of("n0"));
        long seq = StoppedClock.MICROS + 2;
        assertThat(run(OWNER, List.of(claim("k", PAST_MS, 1)), Set.of("n0")))
                .containsExactly("G" + head(137, 2, seq, 4, 1) + token(1) + ROUTED + "\0\0\0");
        assertThat(record("k")).isEqualTo(head(137, 2, seq, 4, 1) + token(1) + ROUTED + "\0\0\0");
        assertThat(scores("f")).containsExactly("q\0k", "" + (StoppedClock.MS + 60_000));
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("cq", "1"));
        assertThat(server.command("KEYS", PREFIX + "[zi]*")).isEqualTo(List.of());
        assertThat(run(ANYBODY, List.of(find("k")), Set.of()))
                .containsExactly("V" + head(137, 2, seq, 4, 1) + token(1) + ROUTED);
        assertThat(run(ANYBODY, List.of(cancel("k")), Set.of()))
                .containsExactly("L" + head(137, 2, seq, 4, 1) + token(1) + ROUTED);

        assertThat(run(ANYBODY, List.of(retry("k", 1, PAST_MS)), Set.of("n0")))
                .containsExactly("D" + head(136, 2, seq, 4, 1) + ROUTED);
        assertThat(record("k")).isEqualTo(head(136, 2, seq, 4, 1) + ROUTED + "\0\0\0");
        assertThat(scores("f")).isEmpty();
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertAnswers(OWNER, List.of(finish("k", 2)), "D");
        assertThat(record("k")).isEqualTo(head(138, 2, seq, 4, 2) + ROUTED);
        assertThat(scores("e")).containsExactly("q\0k", "" + StoppedClock.MICROS, "q\0l", "" + StoppedClock.MICROS);
        assertThat(meta()).containsExactly("" + seq, "0", "0");
        assertThat(server.command("EXISTS", PREFIX + "q", PREFIX + "f")).isEqualTo(0L);
    }

    @Test
    void aHashStandsBeforeTheTokenAndTheOptionalFields() {
        Command hashed = scheduleWith("k", 1, 1, 5_000_000, ROUTE_7, "content");
        Set<String> slices = Set.of("f1");
        server.command("HSET", PREFIX + "m", "big", "1");
        assertThat(run(ANYBODY, List.of(hashed), Set.of("f1")))
                .containsExactly("C\0" + head(224, 1, 5_000_000, StoppedClock.MICROS, 1, 0) + HASH + ROUTED);
        assertThat(scores("i")).containsExactly("f1", "4194304");
        String claimed = head(225, 1, 5_000_000, StoppedClock.MICROS, 1, 1) + HASH + token(1) + ROUTED + "content";
        assertThat(run(OWNER, List.of(claim("k", 5_000_000, 1)), slices)).containsExactly("G" + claimed);
        assertThat(run(OWNER, List.of(claim("k", 5_000_000, 1)), slices)).containsExactly("G" + claimed);
        assertThat(run(OWNER, List.of(claim("k", 5_000_000, 2)), slices)).containsExactly("N");
        assertThat(run(ANYBODY, List.of(release("k", 1)), slices))
                .containsExactly("D" + head(224, 1, 5_000_000, StoppedClock.MICROS, 1, 0) + HASH + ROUTED);
        assertThat(run(OWNER, List.of(claim("k", 5_000_001, 2)), slices))
                .containsExactly("E" + head(224, 1, 5_000_000, StoppedClock.MICROS, 1, 0) + HASH + ROUTED);
        run(OWNER, List.of(claim("k", 5_000_000, 2)), slices);
        assertThat(run(ANYBODY, List.of(finish("k", 2, DEAD)), slices)).containsExactly("D");
        assertThat(record("k"))
                .isEqualTo(head(228, 1, 5_000_000, StoppedClock.MICROS, 1, 1) + HASH + ROUTED + "content");
        assertThat(scores("x")).containsExactly("q\0k", "5000000");
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("dq", "1"));
        assertThat(run(ANYBODY, List.of(cancel("k")), slices))
                .first()
                .asString()
                .startsWith("L");
        assertThat(run(ANYBODY, List.of(scheduleWith("k", 0, 1, 5_000_000, QUEUE_ROUTE, "")), slices))
                .containsExactly("C\0" + head(192, 2, 5_000_000, StoppedClock.MICROS + 1, 3, 0) + "\0\0");
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("pq", "1"));
        assertThat(meta()).containsExactly("" + (StoppedClock.MICROS + 1), "1", "1");
        assertThat(run(ANYBODY, List.of(cancel("k")), slices))
                .containsExactly("C" + head(195, 2, 5_000_000, StoppedClock.MICROS + 1, 3, 0) + "\0\0");
        assertThat(scores("e")).containsExactly("q\0k", "" + StoppedClock.MICROS);
        assertThat(run(ANYBODY, List.of(cancel("k")), slices))
                .first()
                .asString()
                .startsWith("C");
        assertThat(run(ANYBODY, List.of(scheduleWith("k", 0, 1, 5_000_000, QUEUE_ROUTE, "")), slices))
                .containsExactly("C\0" + head(192, 3, 5_000_000, StoppedClock.MICROS + 2, 6, 0) + "\0\0");
        assertThat(server.command("EXISTS", PREFIX + "e", PREFIX + "x")).isEqualTo(0L);
    }

    @Test
    void rulesOfConflictGoByWhatStands() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        for (String stood : List.of("\1", "\2")) {
            for (int rule : List.of(KEEP, EARLIEST, LATEST, ONCE)) {
                assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS, rule, QUEUE_ROUTE, 0)), Set.of("n0")))
                        .first()
                        .asString()
                        .as("%s", rule)
                        .startsWith("K" + stood);
            }
            assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS, FAIL, QUEUE_ROUTE, 0)), Set.of("n0")))
                    .first()
                    .asString()
                    .startsWith("F" + stood);
            run(OWNER, List.of(claim("k", PAST_MS, 1)), Set.of("n0"));
        }
        Command again = schedule("k", PAST_MS, EARLIEST, QUEUE_ROUTE, 0);
        assertThat(run(OWNER, List.of(finish("k", 1)), Set.of())).containsExactly("D");
        assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS, ONCE, QUEUE_ROUTE, 0)), Set.of("n0")))
                .first()
                .asString()
                .startsWith("K\0");
        List<String> first = run(ANYBODY, List.of(again), Set.of("n0"));
        assertThat(first).first().asString().startsWith("C\0");
        String stands = record("k");
        assertThat(run(ANYBODY, List.of(again), Set.of("n0"))).as("once more").isEqualTo(first);
        assertThat(record("k")).isEqualTo(stands);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS)), Set.of("n0")))
                .first()
                .asString()
                .startsWith("R\2");
        assertThat(server.command("EXISTS", PREFIX + "f")).isEqualTo(0L);
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("pq", "1"));
        assertThat(meta().get(1)).isEqualTo("1");
        for (int rule : List.of(EARLIEST, LATEST)) {
            long due = rule == EARLIEST ? PAST_MS - 1 : PAST_MS + 1;
            assertThat(run(ANYBODY, List.of(schedule("k", due, rule, QUEUE_ROUTE, 0)), Set.of("n0")))
                    .first()
                    .asString()
                    .startsWith("R\1");
        }
    }

    @Test
    void boundsOfTimeAreKeptToTheMillisecond() {
        long now = StoppedClock.MS;
        assertAnswers(OWNER, List.of(schedule("k", now), claim("k", now, 1)), "C", "G");
        assertAnswers(OWNER, List.of(schedule("l", now + 1)), "C");
        assertAnswers(OWNER, List.of(claim("l", now + 1, 1)), "E");
        server.command("ZADD", PREFIX + "f", "" + (now + 1), "q\0k");
        String slice = slice(now);
        assertThat(run(OWNER, List.of(reap("k")), Set.of(slice))).containsExactly("S");
        server.command("ZADD", PREFIX + "f", "" + now, "q\0k");
        assertThat(run(OWNER, List.of(reap("k")), Set.of(slice)))
                .first()
                .asString()
                .startsWith("D");
        assertThat(bare(now - 1, "", "0")).isEqualTo(List.of(-1L));
        assertThat(bare(now, "", "0")).isEqualTo(List.of(now));
    }

    /** A call without any command, on keys of its own. */
    private static Object bare(long deadlineMs, String number, String mustWrite) {
        return server.command(
                "EVAL",
                COMMANDS,
                "2",
                EMPTY + "a",
                EMPTY + "m",
                "" + deadlineMs,
                mustWrite,
                "2",
                "60000",
                "none:",
                number,
                "0",
                "0");
    }

    @Test
    void somethingIsWrittenWhereItMustBe() {
        bare(LATER_MS, "", "0");
        assertThat(server.command("EXISTS", EMPTY + "m", EMPTY + "a")).isEqualTo(0L);
        bare(LATER_MS, "", "1");
        assertThat(server.command("HGET", EMPTY + "m", "seq")).isEqualTo("0");
        bare(LATER_MS, "17", "0");
        assertThat(server.command("GET", EMPTY + "a")).isEqualTo("0000000000000017");
        assertThat((Long) server.command("PTTL", EMPTY + "a")).isBetween(599_000L, 600_000L);
        assertThat(bare(LATER_MS, "17", "0")).isEqualTo(List.of(-1L));
        assertThat(bare(LATER_MS, "18", "0")).isEqualTo(List.of(StoppedClock.MS));
    }

    @Test
    void finishedTimersAreForgottenByManyOrAnEighth() {
        assertThat(forgotten(800, 815)).isZero();
        assertThat(forgotten(800, 816)).isEqualTo(16);
        assertThat(forgotten(112, 126)).isZero();
        assertThat(forgotten(112, 127)).isEqualTo(15);
        assertThat(forgotten(16, 18)).isZero();
        assertThat(forgotten(16, 19)).isEqualTo(3);
        assertThat(forgotten(2, 503)).as("no more at once").isEqualTo(500);
    }

    /** How many are forgotten where so many are remembered, when the last of them ends. */
    private long forgotten(int most, int finished) {
        server.command("DEL", PREFIX + "e", PREFIX + "r");
        List<String> ended = new ArrayList<>(List.of("ZADD", PREFIX + "e"));
        List<String> records = new ArrayList<>(List.of("HSET", PREFIX + "r"));
        for (int i = 1; i < finished; i++) {
            ended.addAll(List.of("" + i, "q\0" + i));
            records.addAll(List.of("q\0" + i, "record"));
        }
        server.command(ended.toArray(String[]::new));
        server.command(records.toArray(String[]::new));
        remembered = "" + most;
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        assertAnswers(OWNER, List.of(cancel("k")), "C");
        long left = (Long) server.command("ZCARD", PREFIX + "e");
        assertThat(server.command("HLEN", PREFIX + "r")).isEqualTo(left);
        return finished - left;
    }

    private static List<String> scores(String set) {
        return ((List<?>) server.command("ZRANGE", PREFIX + set, "0", "-1", "WITHSCORES"))
                .stream().map(String::valueOf).toList();
    }

    /** How far its numbers are, how many timers are live, and whether there are large contents. */
    private static List<String> meta() {
        return ((List<?>) server.command("HMGET", PREFIX + "m", "seq", "live", "big"))
                .stream().map(String::valueOf).toList();
    }

    /** What a record begins with. */
    private static String head(int flags, int version, long dueAtMs, long seq, long operation, int attempts) {
        ByteBuffer head = ByteBuffer.allocate(30)
                .put((byte) flags)
                .putInt(version)
                .putLong(dueAtMs)
                .put((byte) (seq >> 48))
                .putShort((short) (seq >> 32))
                .putInt((int) seq)
                .putLong(operation)
                .putShort((short) attempts);
        return new String(head.array(), ISO_8859_1);
    }

    private static String head(int flags, int version, long seq, long operation, int attempts) {
        return head(flags, version, PAST_MS, seq, operation, attempts);
    }

    private static String token(long token) {
        return new String(ByteBuffer.allocate(8).putLong(token).array(), ISO_8859_1);
    }

    // ---- commands

    private Command scheduleWith(String key, int hashes, int far, long dueAtMs, byte[] route, String content) {
        ByteBuffer rest = ByteBuffer.allocate(100)
                .put((byte) REPLACE)
                .put((byte) far)
                .putLong(dueAtMs)
                .putLong(++operations)
                .put((byte) hashes)
                .put(route)
                .put((hashes == 1 ? HASH : "").getBytes(ISO_8859_1))
                .put(content.getBytes(ISO_8859_1));
        return command('S', key, rest, dueAtMs);
    }

    private record Command(String code, Set<String> slices) {}

    private static Command command(char letter, String key, ByteBuffer rest, Long... dueTimes) {
        String field = "q\0" + key;
        byte[] tail = new byte[rest.flip().remaining()];
        rest.get(tail);
        Set<String> slices = new TreeSet<>();
        for (long due : dueTimes) {
            slices.add(slice(due));
        }
        return new Command(letter + "\0" + (char) field.length() + field + new String(tail, ISO_8859_1), slices);
    }

    private static String slice(long dueAtMs) {
        return "n" + (dueAtMs >> 16);
    }

    private Command schedule(String key, long dueAtMs) {
        return schedule(key, dueAtMs, REPLACE, QUEUE_ROUTE, 0);
    }

    private Command schedule(String key, long dueAtMs, int rule, byte[] route, int contentBytes) {
        ByteBuffer rest = ByteBuffer.allocate(100 + contentBytes)
                .put((byte) rule)
                .put((byte) 0)
                .putLong(dueAtMs)
                .putLong(++operations)
                .put((byte) 0)
                .put(route)
                .put(new byte[contentBytes]);
        return command('S', key, rest, dueAtMs);
    }

    private static Command reroute(String key, long token, byte[] route) {
        return command('O', key, ByteBuffer.allocate(20).putLong(token).put(route), PAST_MS);
    }

    private Command cancel(String key) {
        return command('C', key, ByteBuffer.allocate(8).putLong(++operations), PAST_MS);
    }

    private static Command find(String key) {
        return command('F', key, ByteBuffer.allocate(0));
    }

    private static Command claim(String key, long dueAtMs, long token) {
        return command('L', key, ByteBuffer.allocate(16).putLong(dueAtMs).putLong(token), dueAtMs);
    }

    private static Command finish(String key, long token) {
        return finish(key, token, COMPLETED);
    }

    private static Command finish(String key, long token, int state) {
        return command('D', key, ByteBuffer.allocate(9).putLong(token).put((byte) state));
    }

    private static Command retry(String key, long token) {
        return retry(key, token, PAST_MS);
    }

    private static Command retry(String key, long token, long dueAtMs) {
        return command(
                'T', key, ByteBuffer.allocate(17).putLong(token).put((byte) 0).putLong(dueAtMs), dueAtMs);
    }

    private static Command release(String key, long token) {
        return command('U', key, ByteBuffer.allocate(8).putLong(token), PAST_MS);
    }

    private static Command extend(String key, long token) {
        return command('X', key, ByteBuffer.allocate(8).putLong(token));
    }

    private static Command reap(String key) {
        return command('R', key, ByteBuffer.allocate(0), PAST_MS);
    }

    // ---- calls

    /** Carries out commands in one call, and compares the letters of the answers. */
    private static void assertAnswers(String epoch, List<Command> commands, String... letters) {
        Set<String> slices = new TreeSet<>();
        commands.forEach(each -> slices.addAll(each.slices()));
        assertThat(run(epoch, commands, slices))
                .extracting(answer -> answer.substring(0, 1))
                .containsExactly(letters);
    }

    private static List<String> run(String epoch, List<Command> commands, Set<String> slices) {
        return call("1", calls.incrementAndGet(), false, epoch, commands, slices);
    }

    /** A call of a node, by its number among the calls of that node. */
    private static List<String> call(
            String node, long number, boolean repeats, String epoch, List<Command> commands, Set<String> slices) {
        return answers(node, number, repeats, new Part(PREFIX, epoch, commands, slices)).stream()
                .skip(1)
                .toList();
    }

    /** The commands of a partition in a call. */
    private record Part(String prefix, String epoch, List<Command> commands, Set<String> slices) {

        void addTo(List<String> keys, List<String> arguments) {
            for (char letter : "mrinfxeq".toCharArray()) {
                keys.add(prefix + letter);
            }
            slices.forEach(slice -> keys.add(prefix + "z" + slice));
            arguments.add("\0\0" + (char) slices.size() + (char) commands.size() + (char) epoch.length() + epoch);
            commands.forEach(each -> arguments.add(each.code()));
        }
    }

    private static List<String> call(long number, boolean repeats, Part... parts) {
        return answers("3", number, repeats, parts);
    }

    private static List<String> letters(List<String> answers) {
        return answers.stream().map(answer -> answer.substring(0, 1)).toList();
    }

    /** How many timers are live and then the answers, for each partition. */
    private static List<String> answers(String node, long number, boolean repeats, Part... parts) {
        List<String> keys = new ArrayList<>(List.of(PREFIX + "a" + node));
        List<String> arguments = new ArrayList<>();
        boolean makes = Stream.of(parts)
                .flatMap(part -> part.commands().stream())
                .anyMatch(each -> each.code().startsWith("S"));
        arguments.addAll(List.of("" + Long.MAX_VALUE, "0", remembered, "60000", "none:", "" + number));
        arguments.addAll(List.of(repeats ? "1" : "0", makes ? "1" : "0"));
        for (Part part : parts) {
            part.addTo(keys, arguments);
        }
        List<String> eval = new ArrayList<>(List.of("EVAL", COMMANDS, "" + keys.size()));
        eval.addAll(keys);
        eval.addAll(arguments);
        List<?> answers = (List<?>) server.command(ISO_8859_1, eval.toArray(String[]::new));
        assertThat(answers.size() == 1).as("refused").isEqualTo(answers.get(0).equals(-1L));
        return answers.stream()
                .skip(1)
                .map(String::valueOf)
                .map(answer -> answer.charAt(0) >= 128 ? "G" + answer : answer)
                .toList();
    }

    private static List<String> members(String set) {
        return ((List<?>) server.command("ZRANGE", PREFIX + set, "0", "-1"))
                .stream().map(String::valueOf).toList();
    }

    private static String record(String key) {
        return (String) server.command(ISO_8859_1, "HGET", PREFIX + "r", "q\0" + key);
    }

    private static Object inFlight(String key) {
        return server.command("ZSCORE", PREFIX + "f", "q\0" + key);
    }

    private static int attempts(String key) {
        String record = record(key);
        return record.charAt(ATTEMPTS_AT) * 256 + record.charAt(ATTEMPTS_AT + 1);
    }
}
