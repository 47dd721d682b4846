package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a claim in {@code commands.lua} makes of the bytes of a record, and how queues are counted. */
final class ClaimScriptTest extends CommandsScript {

    private static Command inQueue(String queue, Command command) {
        String code = command.code();
        String key = code.substring(5, 3 + code.charAt(2));
        String field = queue + "\0" + key;
        return new Command(
                code.charAt(0) + "\0" + (char) field.length() + field + code.substring(3 + code.charAt(2)),
                command.slices());
    }

    /** A timer without a route has its content where the route of others is. */
    @Test
    void contentIsNotTakenForARoute() {
        assertAnswers(ANYBODY, List.of(scheduleWith("k", 0, 0, PAST_MS, QUEUE_ROUTE, "\2\4abcdefgh")), "C");
        assertThat(members("n")).containsExactly("\0q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
        assertThat(members("zn0")).isEmpty();
        assertThat(members("n")).isEmpty();
        assertThat(record("k")).endsWith(token(1) + "\0\0\2\4abcdefgh");
    }

    /** One that layout 1 wrote has its content where others have how long their optional fields are. */
    @Test
    void contentIsNotTakenForOptionalFields() {
        String layout1 = head(0, 1, PAST_MS, 1, 1, 0) + "\0\6\2\4abcdefgh";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", layout1);
        server.command("ZADD", PREFIX + "zn0", "" + PAST_MS, "q\0k");
        server.command("HSET", PREFIX + "m", "seq", "1", "live", "1");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
        assertThat(members("zn0")).isEmpty();
        assertThat(record("k")).endsWith(token(1) + "\0\6\2\4abcdefgh");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "254, 255", "255, 256", "511, 512", "65534, 65535", "65535, 65535"})
    void attemptsAreCountedInTwoBytes(int before, int after) {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3)), "C");
        String record = record("k");
        String counted = record.substring(0, ATTEMPTS_AT)
                + (char) (before / 256)
                + (char) (before % 256)
                + record.substring(ATTEMPTS_AT + 2);
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", counted);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
        assertThat(attempts("k")).isEqualTo(after);
        assertThat(record("k").substring(ATTEMPTS_AT + 2)).isEqualTo(token(1) + counted.substring(ATTEMPTS_AT + 2));
    }

    /** Also one whose name begins as that of another, and one that comes again behind another. */
    @Test
    void timersAreCountedForTheirQueues() {
        assertAnswers(
                OWNER,
                List.of(
                        inQueue("ab", schedule("1", PAST_MS)),
                        inQueue("a", schedule("2", PAST_MS)),
                        inQueue("abc", schedule("3", PAST_MS)),
                        inQueue("ab", schedule("4", PAST_MS)),
                        inQueue("ab", schedule("1", LATER_MS))),
                "C",
                "C",
                "C",
                "C",
                "R");
        assertThat(countsByName()).containsExactlyInAnyOrder("pa1", "pab2", "pabc1");
        assertAnswers(
                OWNER,
                List.of(
                        inQueue("a", claim("2", PAST_MS, 1)),
                        inQueue("abc", claim("3", PAST_MS, 1)),
                        inQueue("ab", claim("4", PAST_MS, 1)),
                        inQueue("a", finish("2", 1)),
                        inQueue("abc", finish("3", 1, DEAD))),
                "G",
                "G",
                "G",
                "D",
                "D");
        assertThat(countsByName()).containsExactlyInAnyOrder("pab1", "cab1", "dabc1");
    }

    /** A point is no sign of a pattern. */
    @Test
    void nameOfAQueueIsTakenAsItIs() {
        assertAnswers(
                ANYBODY,
                List.of(
                        inQueue("a.b", schedule("1", PAST_MS)),
                        inQueue("axb", schedule("2", PAST_MS)),
                        inQueue("a-b", schedule("3", PAST_MS)),
                        inQueue("ab", schedule("4", PAST_MS))),
                "C",
                "C",
                "C",
                "C");
        assertThat(countsByName()).containsExactlyInAnyOrder("pa.b1", "paxb1", "pa-b1", "pab1");
    }

    private static List<String> countsByName() {
        List<?> counts = (List<?>) server.command("HGETALL", PREFIX + "q");
        return IntStream.range(0, counts.size() / 2)
                .mapToObj(j -> counts.get(2 * j) + "" + counts.get(2 * j + 1))
                .toList();
    }

    /** Rounds of one call, of which each has fewer timers than the one before, and the same ones. */
    @Test
    void laterRoundsDoNotRepeatWhatEarlierOnesWrote() {
        Set<String> slices = Set.of(slice(PAST_MS), slice(LATER_MS));
        assertThat(run(
                        OWNER,
                        List.of(
                                schedule("k", PAST_MS),
                                schedule("l", PAST_MS),
                                schedule("m", PAST_MS),
                                claim("k", PAST_MS, 1),
                                claim("l", PAST_MS, 2),
                                schedule("m", LATER_MS),
                                finish("k", 1)),
                        slices))
                .extracting(answer -> answer.substring(0, 1))
                .containsExactly("C", "C", "C", "G", "G", "R", "D");
        assertThat(members("f")).containsExactly("q\0l");
        assertThat(members("e")).containsExactly("q\0k");
        assertThat(members("zn0")).isEmpty();
        assertThat(members("z" + slice(LATER_MS))).containsExactly("\0q\0m");
        assertThat(attempts("k")).isOne();
        assertThat(countsByName()).containsExactlyInAnyOrder("pq1", "cq1");
    }
}
