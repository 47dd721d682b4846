package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code commands.lua} writes and answers, to the byte, while the clock of the server stands still. */
final class CommandsBytesTest extends CommandsScript {

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
        assertThat(run(ANYBODY, List.of(retry("k", 1, PAST_MS)), Set.of("n0")))
                .containsExactly("D" + head(136, 2, seq, 4, 1) + ROUTED);
        assertThat(record("k")).isEqualTo(head(136, 2, seq, 4, 1) + ROUTED + "\0\0\0");
        assertThat(scores("f")).isEmpty();
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertAnswers(OWNER, List.of(finish("k", 2)), "D");
        assertThat(record("k")).isEqualTo(head(138, 2, seq, 4, 2) + ROUTED);
        assertThat(run(ANYBODY, List.of(cancel("k")), Set.of()))
                .containsExactly("L" + head(138, 2, seq, 4, 2) + ROUTED);
        assertThat(scores("e")).containsExactly("q\0k", "" + StoppedClock.MICROS, "q\0l", "" + StoppedClock.MICROS);
        assertThat(meta()).containsExactly("" + seq, "0", "0");
        assertThat(server.command("EXISTS", PREFIX + "q", PREFIX + "f")).isEqualTo(0L);
    }

    @Test
    void aLastAttemptIsWrittenDownToTheByte() {
        run(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3), claim("k", PAST_MS, 1)), Set.of("n0"));
        long seq = StoppedClock.MICROS;
        String ending = head(128 + 6, 1, seq, 1, 1) + token(1) + ROUTED;
        assertThat(run(ANYBODY, List.of(cancel("k")), Set.of())).containsExactly("W" + ending);
        assertThat(record("k")).isEqualTo(ending);
        assertThat(scores("f")).containsExactly("q\0k", "" + (StoppedClock.MS + 60_000));
        assertThat(meta()).containsExactly("" + seq, "0", "0");
        assertAnswers(OWNER, List.of(retry("k", 1)), "S");
        assertThat(record("k")).isEqualTo(head(128 + 3, 1, seq, 1, 1) + ROUTED);
        assertThat(scores("e")).containsExactly("q\0k", "" + StoppedClock.MICROS);
        assertThat(server.command("EXISTS", PREFIX + "q", PREFIX + "f", PREFIX + "x"))
                .isEqualTo(0L);
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
                .containsExactly("C\4" + head(192, 2, 5_000_000, StoppedClock.MICROS + 1, 3, 0) + "\0\3\4\1\4");
        assertThat(server.command("HGETALL", PREFIX + "q")).isEqualTo(List.of("pq", "1"));
        assertThat(meta()).containsExactly("" + (StoppedClock.MICROS + 1), "1", "1");
        assertThat(run(ANYBODY, List.of(cancel("k")), slices))
                .containsExactly("C" + head(195, 2, 5_000_000, StoppedClock.MICROS + 1, 3, 0) + "\0\3\4\1\4");
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
    void nothingEndsAClaimOfATimerThatIsNotKnown() {
        List<Command> ends = List.of(
                finish("k", 1),
                retry("k", 1),
                postpone("k", 1, PAST_MS),
                release("k", 1),
                reroute("k", 1, ROUTE_7),
                extend("k", 1),
                reap("k"));
        for (Command end : ends) {
            assertThat(run(OWNER, List.of(end), Set.of("n0"))).containsExactly("S");
        }
        assertThat(server.command("KEYS", PREFIX + "[^am]*")).isEqualTo(List.of());
    }

    @Test
    void slicesOfACallAreNotTakenForOneAnother() {
        List<Command> all = List.of(
                schedule("k", PAST_MS),
                scheduleWith("l", 0, 1, PAST_MS, ROUTE_7, ""),
                schedule("m", 70_000),
                scheduleWith("o", 0, 1, 5_000_000, ROUTE_7, ""));
        Set<String> slices = Set.of("n0", "n1", "f0", "f1");
        assertThat(letters(run(OWNER, all, slices))).containsExactly("C", "C", "C", "C");
        assertThat(members("zn0")).containsExactly("\0q\0k");
        assertThat(members("zn1")).containsExactly("\0q\0m");
        assertThat(members("zf0")).containsExactly("\4\0\0\0\7q\0l");
        assertThat(members("zf1")).containsExactly("\4\0\0\0\7q\0o");
        assertThat(letters(run(OWNER, List.of(claim("o", 5_000_000, 1)), slices)))
                .containsExactly("G");
        assertThat(members("zf1")).isEmpty();
    }

    @Test
    void claimForAnotherTimeIsAnsweredByTheRecord() {
        run(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), Set.of("n0"));
        assertThat(run(OWNER, List.of(claim("k", PAST_MS + 1, 1)), Set.of("n0")))
                .containsExactly("E" + withoutContent("k", 3));
    }

    @Test
    void retriedTimerGoesToAWideSlice() {
        run(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3), claim("k", PAST_MS, 1)), Set.of("n0"));
        String narrow = retry("k", 1, 5_000_000).code();
        int farAt = 3 + 3 + 8;
        Command wide = new Command(narrow.substring(0, farAt) + "\1" + narrow.substring(farAt + 1), Set.of());
        assertThat(run(OWNER, List.of(wide), Set.of("n0"))).containsExactly("Mf1");
        assertThat(letters(run(OWNER, List.of(wide), Set.of("f1")))).containsExactly("D");
        assertThat(scores("zf1")).containsExactly("\4\0\0\0\7q\0k", "5000000");
        assertThat(record("k").charAt(0)).isEqualTo((char) (128 + 64));
        assertThat(members("i")).containsExactly("f1");
    }

    @Test
    void attemptsAreCountedUpToTheLastNumber() {
        run(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), Set.of("n0"));
        for (int attempts : List.of(65_533, 65_534, 65_535)) {
            String tried = head(128, 1, StoppedClock.MICROS, 1, attempts) + ROUTED + "\0\0\0";
            server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", tried);
            assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
            assertThat(record("k")).startsWith(head(129, 1, StoppedClock.MICROS, 1, Math.min(attempts + 1, 65_535)));
            assertAnswers(OWNER, List.of(retry("k", 1)), "D");
        }
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
        Command over = schedule("k", PAST_MS);
        List<String> replaced = run(ANYBODY, List.of(over), Set.of("n0"));
        assertThat(replaced).first().asString().startsWith("R\2");
        assertThat(run(ANYBODY, List.of(over), Set.of("n0"))).as("once more").isEqualTo(replaced);
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
        assertThat(bare(LATER_MS, "", "0")).as("without a number").isEqualTo(List.of(StoppedClock.MS));
    }

    /** What is remembered begins behind it, with bytes that may be digits. */
    @Test
    void numberOfACallHasSixteenDigits() {
        Command numbered = command('C', "k", ByteBuffer.allocate(8).putLong(0x3939_3939_3939_3939L));
        assertThat(call("2", 8, false, ANYBODY, List.of(numbered), Set.of())).containsExactly("N");
        assertThat((String) server.command("GET", PREFIX + "a2")).startsWith("0000000000000008" + "99999999");
        assertThat(call("2", 9, true, ANYBODY, List.of(numbered), Set.of())).containsExactly("N");
        assertThat(call("2", 9, true, ANYBODY, List.of(numbered), Set.of())).isEmpty();
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

    private static String head(int flags, int version, long seq, long operation, int attempts) {
        return head(flags, version, PAST_MS, seq, operation, attempts);
    }
}
