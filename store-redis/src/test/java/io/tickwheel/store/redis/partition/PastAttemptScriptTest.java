package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The attempts that have ended are remembered in the record, in their order. */
final class PastAttemptScriptTest extends CommandsScript {

    private static final int CANCELLED = 3;

    /** As long as the shortest one is. */
    private static final int LEAST_BYTES = 21;

    private static String past(int number) {
        return past(number, LEAST_BYTES);
    }

    private static String past(int number, int bytes) {
        return String.valueOf((char) number).repeat(bytes);
    }

    /** The optional field of an attempt. */
    private static String field(String past) {
        return "\3" + (char) past.length() + past;
    }

    /** What stands behind an attempt when there is an excerpt. */
    private static String excerpt(String text) {
        return "\0\0" + text;
    }

    private static String extra(String fields) {
        return "" + (char) (fields.length() >> 8) + (char) (fields.length() & 255) + fields;
    }

    private void claimed(byte[] route) {
        remembered = "9";
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, route, 3), claim("k", PAST_MS, 1)), "C", "G");
    }

    @ParameterizedTest
    @ValueSource(ints = {COMPLETED, DEAD, 5})
    void attemptThatEndsATimerIsRemembered(int state) {
        String content = state == DEAD ? "\0\0\0" : "";
        claimed(QUEUE_ROUTE);
        assertAnswers(
                OWNER,
                List.of(withPast(finish("k", 2, state), past(9)), withPast(finish("k", 1, state), past(1))),
                "S",
                "D");
        assertThat(record("k"))
                .isEqualTo(head(128 + state, 1, PAST_MS, StoppedClock.MICROS, 1, 1) + extra(field(past(1))) + content);
        assertAnswers(OWNER, List.of(withPast(finish("k", 1, state), past(1))), "S");
        assertThat(record("k")).as("asked again").contains(extra(field(past(1))));
        assertAnswers(OWNER, List.of(schedule("l", PAST_MS, REPLACE, ROUTE_7, 3), claim("l", PAST_MS, 1)), "C", "G");
        assertAnswers(OWNER, List.of(withPast(finish("l", 1, state), past(2, 221))), "D");
        assertThat(record("l").substring(30)).isEqualTo(extra("\2\4\0\0\0\7" + field(past(2, 221))) + content);
    }

    @Test
    void attemptBeforeAnotherOneIsRemembered() {
        claimed(ROUTE_7);
        assertAnswers(OWNER, List.of(withPast(retry("k", 2, PAST_MS + 5), past(9))), "S");
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS + 5), past(1))), "D");
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS + 5), past(1))), "S");
        assertAnswers(
                OWNER, List.of(claim("k", PAST_MS + 5, 2), withPast(retry("k", 2, PAST_MS + 9), past(2))), "G", "D");
        String due = "\1\10\0\0\0\0\0\0\3\u00e8";
        assertThat(record("k").substring(30))
                .isEqualTo(extra("\2\4\0\0\0\7" + due + field(past(1)) + field(past(2))) + "\0\0\0");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\7q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS + 9, 3), finish("k", 3)), "G", "D");
        assertThat(record("k").substring(30))
                .as("the last one is not to be remembered")
                .isEqualTo(extra("\2\4\0\0\0\7" + due + field(past(1)) + field(past(2))));
    }

    @Test
    void whatIsNoAttemptLeavesTheOthersAsTheyAre() {
        claimed(ROUTE_7);
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS), past(1))), "D");
        String routed = extra("\2\4\0\0\0\7" + field(past(1)));
        assertThat(record("k").substring(30)).isEqualTo(routed + "\0\0\0");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), release("k", 2)), "G", "D");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 3), postpone("k", 3, PAST_MS)), "G", "D");
        assertThat(record("k").substring(30)).isEqualTo(routed + "\0\0\0");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 4), reroute("k", 4, ROUTE_8)), "G", "D");
        assertThat(record("k").substring(30)).isEqualTo(extra(field(past(1)) + "\2\4\0\0\0\10") + "\0\0\0");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\10q\0k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 5), reroute("k", 5, QUEUE_ROUTE)), "G", "D");
        assertThat(record("k").substring(30)).isEqualTo(extra(field(past(1))) + "\0\0\0");
        assertThat(members("zn0")).containsExactly("\0q\0k");
    }

    /** Whatever stands between them, and however long they are. */
    @ParameterizedTest
    @ValueSource(ints = {LEAST_BYTES, 22, 221})
    void theLastEightAreRemembered(int bytes) {
        claimed(QUEUE_ROUTE);
        String record = record("k");
        String unknown = "\11\2ab";
        server.command(
                ISO_8859_1,
                "HSET",
                PREFIX + "r",
                "q\0k",
                record.substring(0, 38) + extra(unknown + "\2\4\0\0\0\7") + "\0\0\0");
        StringBuilder fields = new StringBuilder();
        for (int number = 1; number <= 11; number++) {
            boolean last = number == 11;
            Command end = last ? finish("k", number, DEAD) : retry("k", number, PAST_MS);
            assertAnswers(OWNER, List.of(withPast(end, past(number, bytes))), "D");
            if (!last) {
                assertAnswers(OWNER, List.of(claim("k", PAST_MS, number + 1)), "G");
            }
            fields.append(field(past(number, bytes)));
            if (number > 8) {
                fields.delete(0, 2 + bytes);
            }
            assertThat(record("k")).endsWith(extra(unknown + "\2\4\0\0\0\7" + fields) + "\0\0\0");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {COMPLETED, DEAD, 5})
    void excerptIsRememberedBehindItsAttempt(int state) {
        String content = state == DEAD ? "\0\0\0" : "";
        claimed(QUEUE_ROUTE);
        String first = field(past(1)) + field(excerpt("a"));
        String second = field(past(2, 221)) + field(excerpt("b".repeat(200)));
        assertAnswers(
                OWNER,
                List.of(withPast(withPast(retry("k", 1, PAST_MS), past(1)), excerpt("a")), claim("k", PAST_MS, 2)),
                "D",
                "G");
        Command end = withPast(withPast(finish("k", 2, state), past(2, 221)), excerpt("b".repeat(200)));
        assertAnswers(OWNER, List.of(end), "D");
        assertThat(record("k")).endsWith(extra(first + second) + content);
    }

    /** It goes with its attempt, be it the first, and leaves the next one its own. */
    @Test
    void theLastEightAreRememberedWithTheirExcerpts() {
        claimed(QUEUE_ROUTE);
        List<String> all = new ArrayList<>();
        for (int number = 1; number <= 26; number++) {
            int bytes = number % 5 == 0 ? 221 : LEAST_BYTES;
            Command end = withPast(retry("k", number, PAST_MS), past(number, bytes));
            String fields = field(past(number, bytes));
            if (number % 3 != 0) {
                String excerpt = excerpt("x".repeat(number == 16 ? 200 : number));
                end = withPast(end, excerpt);
                fields += field(excerpt);
            }
            all.add(fields);
            assertAnswers(OWNER, List.of(end, claim("k", PAST_MS, number + 1)), "D", "G");
            String last = String.join("", all.subList(Math.max(0, number - 8), number));
            assertThat(record("k")).endsWith(extra(last) + "\0\0\0");
        }
    }

    @Test
    void theLastEightOfTheShortestAreRemembered() {
        claimed(QUEUE_ROUTE);
        StringBuilder last = new StringBuilder();
        for (int number = 1; number <= 9; number++) {
            Command end = withPast(retry("k", number, PAST_MS), past(number));
            assertAnswers(OWNER, List.of(end, claim("k", PAST_MS, number + 1)), "D", "G");
            last.append(number > 1 ? field(past(number)) : "");
        }
        assertThat(record("k")).endsWith(extra(last.toString()) + "\0\0\0");
    }

    /** It has bytes that an excerpt may have, too, and so have attempts with some numbers. */
    @Test
    void routeBehindTheFirstAttemptStays() {
        claimed(ROUTE_7);
        assertAnswers(
                OWNER,
                List.of(withPast(retry("k", 1, PAST_MS), past(1)), claim("k", PAST_MS, 2), reroute("k", 2, ROUTE_8)),
                "D",
                "G",
                "D");
        String past256 = "\1\0" + past(1).substring(2);
        for (int token = 3; token < 13; token++) {
            Command end = withPast(retry("k", token, PAST_MS), past256);
            assertAnswers(OWNER, List.of(claim("k", PAST_MS, token), end), "G", "D");
        }
        assertThat(record("k").substring(30))
                .isEqualTo(extra("\2\4\0\0\0\10" + field(past256).repeat(8)) + "\0\0\0");
    }

    @ParameterizedTest
    @ValueSource(ints = {COMPLETED, DEAD, 5})
    void lastAttemptOfACancelledTimerIsRemembered(int state) {
        claimed(QUEUE_ROUTE);
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertAnswers(OWNER, List.of(withPast(finish("k", 1, state), past(1))), state == COMPLETED ? "D" : "S");
        int ended = state == COMPLETED ? COMPLETED : CANCELLED;
        assertThat(record("k"))
                .isEqualTo(head(128 + ended, 1, PAST_MS, StoppedClock.MICROS, 1, 1) + extra(field(past(1))));
    }

    @Test
    void lastAttemptThatWouldBeTriedAgainIsRemembered() {
        claimed(QUEUE_ROUTE);
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertAnswers(OWNER, List.of(withPast(retry("k", 2, PAST_MS), past(9))), "S");
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS), past(1))), "S");
        assertThat(record("k"))
                .isEqualTo(head(128 + CANCELLED, 1, PAST_MS, StoppedClock.MICROS, 1, 1) + extra(field(past(1))));
        Map<String, Object> before = everything();
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS), past(1))), "S");
        assertThat(everything()).isEqualTo(before);
    }

    /** As layout 1 wrote it. */
    @Test
    void timerWithoutOptionalFieldsStaysOfUnknownRoute() {
        String layout1 = "\0" + "\0\0\0\1" + "\0\0\0\0\0\0\3\u00e8" + "\0".repeat(7 + 8 + 2) + "content";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", layout1, "q\0l", layout1);
        server.command("ZADD", PREFIX + "zn0", "" + PAST_MS, "q\0k", "" + PAST_MS, "q\0l");
        server.command("ZADD", PREFIX + "i", "0", "n0");
        server.command("HSET", PREFIX + "m", "seq", "1", "live", "2");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 9), retry("k", 9, PAST_MS)), "G", "D");
        assertThat(record("k").substring(30)).as("nothing is to be remembered").isEqualTo("content");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), withPast(retry("k", 1, PAST_MS), past(1))), "G", "D");
        assertThat(record("k").substring(30)).isEqualTo(extra("\2\0" + field(past(1))) + "content");
        assertThat(record("k").charAt(0)).isEqualTo((char) 128);
        assertThat(members("zn0")).containsExactly("q\0k", "q\0l");
        assertAnswers(OWNER, List.of(claim("l", PAST_MS, 1), withPast(finish("l", 1, DEAD), past(1))), "G", "D");
        assertThat(record("l").substring(30)).isEqualTo(extra("\2\0" + field(past(1))) + "content");
        assertThat(record("l").charAt(0)).isEqualTo((char) (128 + DEAD));
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertAnswers(OWNER, List.of(withPast(finish("k", 2, 5), past(2))), "S");
        assertThat(record("k").substring(30)).isEqualTo(extra("\2\0" + field(past(1)) + field(past(2))));
    }
}
