package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code commands.lua} refuses, which a store that asks rightly never sees. */
final class CommandsScriptTest extends CommandsScript {

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
    void postponedClaimDoesNotCountAndKeepsTheFirstDueTime() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(OWNER, List.of(postpone("k", 2, PAST_MS + 5), postpone("k", 1, PAST_MS + 5)), "S", "D");
        assertThat(attempts("k")).isZero();
        assertThat(inFlight("k")).isNull();
        assertThat(scores("zn0")).containsExactly("\0q\0k", "" + (PAST_MS + 5));
        assertThat(record("k").substring(32)).isEqualTo("\1\10\0\0\0\0\0\0\3\u00e8");
    }

    @Test
    void contentIsReadOnlyWhereItIsAskedFor() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), "C");
        List<String> answers = run(ANYBODY, List.of(find("k"), read("l")), Set.of());
        assertThat(answers).containsExactly("V" + record("k").substring(0, 38), "N");
        assertThat(run(ANYBODY, List.of(read("k")), Set.of())).containsExactly("V" + record("k"));
        assertThat(record("k")).endsWith("\0\0\0").hasSize(41);
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
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
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
}
