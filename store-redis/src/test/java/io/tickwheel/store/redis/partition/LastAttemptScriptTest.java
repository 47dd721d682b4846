package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A timer that is cancelled while it is claimed stays in flight until its attempt ends, and then nothing follows. */
final class LastAttemptScriptTest extends CommandsScript {

    private static final int CANCELLED = 3;
    private static final int ENDING = 6;

    private void cancelDuringTheAttempt(byte[] route) {
        remembered = "9";
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, route, 5), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
    }

    private void cancelDuringTheAttempt() {
        cancelDuringTheAttempt(QUEUE_ROUTE);
    }

    private static int state() {
        return record("k").charAt(0) % 8;
    }

    private static void assertEnded(int state, int attempts) {
        assertThat(state()).isEqualTo(state);
        assertThat(attempts("k")).isEqualTo(attempts);
        assertThat(inFlight("k")).isNull();
        assertThat(members("e")).containsExactly("q\0k");
        assertThat(members("zn0")).isEmpty();
        assertThat(record("k")).as("without token and content").hasSize(32);
        assertThat(meta().get(1)).isEqualTo("0");
        assertThat(counts()).isEqualTo("[]");
    }

    @Test
    void itStaysInFlightWithoutContentAndIsNotCounted() {
        cancelDuringTheAttempt(ROUTE_7);
        assertThat(state()).isEqualTo(ENDING);
        assertThat(record("k")).as("with its token, its route and no content").hasSize(30 + 8 + 2 + 6);
        assertThat(inFlight("k")).isNotNull();
        assertThat(members("e")).isEmpty();
        assertThat(meta().get(1)).as("live timers").isEqualTo("0");
        assertThat(counts()).isEqualTo("[]");
        String record = record("k");
        assertAnswers(ANYBODY, List.of(cancel("k"), find("k")), "W", "V");
        assertThat(record("k")).isEqualTo(record);
        assertThat(meta().get(1)).isEqualTo("0");
        assertThat(run(ANYBODY, List.of(find("k"), cancel("k")), Set.of())).containsExactly("V" + record, "W" + record);
    }

    @Test
    void whatItsAttemptDoesCompletesIt() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(finish("k", 2), finish("k", 1), finish("k", 1)), "S", "D", "S");
        assertEnded(COMPLETED, 1);
        assertAnswers(ANYBODY, List.of(cancel("k")), "L");
    }

    @ParameterizedTest
    @ValueSource(ints = {DEAD, 5})
    void anyOtherEndLeavesItCancelled(int state) {
        cancelDuringTheAttempt();
        Command end = finish("k", 1, state);
        assertThat(run(OWNER, List.of(end, end), Set.of()))
                .as("asked again, what stands there")
                .containsExactly("S", "S" + (char) CANCELLED);
        assertEnded(CANCELLED, 1);
        assertThat(members("x")).isEmpty();
        assertAnswers(ANYBODY, List.of(cancel("k")), "C");
    }

    /** So whoever asks again, as the reply was lost, knows whether it did. */
    @Test
    void endThatIsAskedForAgainSaysWhatStandsThere() {
        remembered = "9";
        Command end = finish("k", 1, DEAD);
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "G");
        assertThat(run(OWNER, List.of(end, end), Set.of())).containsExactly("D", "S" + (char) DEAD);
        assertThat(run(OWNER, List.of(finish("nobody", 1, DEAD)), Set.of())).containsExactly("S");
    }

    @Test
    void noAttemptFollows() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(retry("k", 2), retry("k", 1)), "S", "S");
        assertEnded(CANCELLED, 1);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 3)), "N");
    }

    @Test
    void attemptThatDidNotBeginDoesNotCount() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(release("k", 2)), "S");
        assertThat(state()).isEqualTo(ENDING);
        assertAnswers(OWNER, List.of(release("k", 1)), "S");
        assertEnded(CANCELLED, 0);
    }

    @Test
    void attemptThatIsPostponedDoesNotCount() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(postpone("k", 2, PAST_MS), postpone("k", 1, PAST_MS)), "S", "S");
        assertEnded(CANCELLED, 0);
    }

    @Test
    void attemptOfUnknownRouteDoesNotCount() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(reroute("k", 2, ROUTE_8)), "S");
        assertThat(state()).isEqualTo(ENDING);
        assertAnswers(OWNER, List.of(reroute("k", 1, ROUTE_8)), "S");
        assertEnded(CANCELLED, 0);
    }

    /** The reply to the claim was lost: nobody has begun the attempt, and nobody will. */
    @Test
    void claimThatIsAskedForAgainIsNotGranted() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "N");
        assertThat(state()).isEqualTo(ENDING);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "N");
        assertEnded(CANCELLED, 0);
    }

    @Test
    void tokenOfATimerWithAHashStandsBehindIt() {
        remembered = "9";
        Command hashed = scheduleWith("k", 1, 0, PAST_MS, ROUTE_7, "content");
        assertThat(letters(run(OWNER, List.of(hashed, claim("k", PAST_MS, 1), cancel("k")), Set.of("n0"))))
                .containsExactly("C", "G", "W");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "N");
        assertThat(state()).isEqualTo(ENDING);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "N");
        assertThat(state()).isEqualTo(CANCELLED);
        assertThat(record("k")).endsWith(HASH + ROUTED).hasSize(30 + 8 + 8);
    }

    /** Its record then has all that it may have but a hash and a wide slice. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timerOverALastAttemptMakesItsOwn(boolean isAskedAgain) {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 2)), "C", "G");
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertThat(record("k").charAt(0)).isEqualTo((char) (128 + 8 * 3 + ENDING));
        if (isAskedAgain) {
            assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "N");
            assertEnded(CANCELLED, 0);
        } else {
            assertAnswers(OWNER, List.of(finish("k", 1), finish("k", 2)), "S", "D");
            assertEnded(COMPLETED, 1);
        }
    }

    @Test
    void itsClaimHoldsOnUntilItRunsOut() {
        cancelDuringTheAttempt();
        assertAnswers(OWNER, List.of(extend("k", 2), reap("k")), "S", "S");
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(OWNER, List.of(extend("k", 1), reap("k")), "D", "S");
        assertThat(Double.parseDouble((String) inFlight("k"))).isGreaterThan(1_000_000);
        assertThat(state()).isEqualTo(ENDING);
        server.command("ZADD", PREFIX + "f", "1", "q\0k");
        assertAnswers(ANYBODY, List.of(reap("k")), "S");
        assertThat(state()).as("another than the owner").isEqualTo(ENDING);
        assertAnswers(OWNER, List.of(reap("k")), "S");
        assertEnded(CANCELLED, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {REPLACE, KEEP, FAIL, EARLIEST, LATEST})
    void itsKeyIsScheduledAnew(int rule) {
        cancelDuringTheAttempt();
        Command anew = schedule("k", PAST_MS, rule, QUEUE_ROUTE, 0);
        List<String> made = run(ANYBODY, List.of(anew), Set.of(slice(PAST_MS)));
        assertThat(made).singleElement().satisfies(answer -> assertThat(answer).startsWith("C\3"));
        assertThat(inFlight("k")).isNull();
        assertThat(meta().get(1)).isEqualTo("1");
        assertThat(counts()).isEqualTo("[pq, 1]");
        assertThat(run(ANYBODY, List.of(anew), Set.of(slice(PAST_MS))))
                .as("asked again")
                .isEqualTo(made);
        assertAnswers(OWNER, List.of(finish("k", 1)), "S");
        assertThat(state()).isZero();
    }

    @Test
    void keyThatWasUsedOnceStaysUsed() {
        cancelDuringTheAttempt();
        List<String> kept = run(ANYBODY, List.of(schedule("k", PAST_MS, ONCE, QUEUE_ROUTE, 0)), Set.of());
        assertThat(kept).containsExactly("K\3" + record("k"));
        assertThat(state()).isEqualTo(ENDING);
        assertThat(inFlight("k")).isNotNull();
    }
}
