package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Timers are completed by attempts whose claims the caller does not hold. */
final class CompleteScriptTest extends CommandsScript {

    private static final String PAST = past(1);

    private long operations = 1_000;

    private static String past(int number) {
        return "\0" + (char) number + "-past";
    }

    private Command complete(String key, String seq, long token, int number) {
        return complete(key, seq, token, number, ++operations);
    }

    private static Command complete(String key, String seq, long token, int number, long operation) {
        ByteBuffer rest = ByteBuffer.allocate(100)
                .putLong(operation)
                .put(seq.getBytes(ISO_8859_1))
                .putLong(token)
                .putShort((short) number)
                .put((byte) 3)
                .put((byte) past(number).length())
                .put(past(number).getBytes(ISO_8859_1));
        return command('A', key, rest, PAST_MS);
    }

    private void claimed(String key, long token) {
        assertAnswers(
                OWNER, List.of(schedule(key, PAST_MS, REPLACE, ROUTE_7, 3), claim(key, PAST_MS, token)), "C", "G");
    }

    private void runOut(String key) {
        server.command("ZADD", PREFIX + "f", "0", "q\0" + key);
        assertAnswers(OWNER, List.of(reap(key)), "D");
    }

    private void assertRefused(String key, Command command) {
        Map<String, Object> before = everything();
        String answer = "W" + withoutContent(key, 3);
        for (String epoch : List.of(OWNER, ANYBODY)) {
            assertThat(run(epoch, List.of(command), Set.of("n0"))).containsExactly(answer);
        }
        assertThat(everything()).isEqualTo(before);
    }

    private void assertCompleted(String key, int attempts) {
        assertThat(record(key)).startsWith(head(128 + COMPLETED, 1, PAST_MS, StoppedClock.MICROS, 1, attempts));
        assertThat(record(key)).endsWith("\3\7" + past(attempts));
        assertThat(members("e")).containsExactly("q\0" + key);
        assertThat(members("f")).isEmpty();
        assertThat(members("zn0")).isEmpty();
        assertThat(members("i")).isEmpty();
        assertThat(members("n")).isEmpty();
        assertThat(counts()).isEqualTo("[]");
        assertThat(meta().get(1)).isEqualTo("0");
    }

    @Test
    void claimThatHasNotRunOutIsCompletedByItsToken() {
        claimed("k", 1);
        List<String> answers = run(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), Set.of());
        assertThat(answers).containsExactly("C" + record("k"));
        assertThat(record("k"))
                .isEqualTo(head(128 + COMPLETED, 1, PAST_MS, StoppedClock.MICROS, 1, 1) + "\0\17" + "\2\4\0\0\0\7"
                        + "\3\7" + PAST);
        assertCompleted("k", 1);
        assertAnswers(OWNER, List.of(finish("k", 1), extend("k", 1)), "S", "S");
    }

    @Test
    void timerWhoseClaimHasRunOutIsCompleted() {
        claimed("k", 1);
        runOut("k");
        assertThat(attempts("k")).isOne();
        assertThat(run(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), Set.of()))
                .as("its slice must be declared")
                .containsExactly("Mn0");
        assertThat(run(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), Set.of("n0")))
                .containsExactly("C" + record("k"));
        assertCompleted("k", 1);
    }

    @Test
    void timerWhoseClaimWasGivenBackIsCompleted() {
        claimed("k", 1);
        assertAnswers(OWNER, List.of(release("k", 1)), "D");
        assertAnswers(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), "C");
        assertCompleted("k", 1);
    }

    @Test
    void attemptsOfBeforeAreRemembered() {
        claimed("k", 1);
        Command retried = withPast(retry("k", 1), PAST);
        assertAnswers(OWNER, List.of(retried, claim("k", PAST_MS, 2)), "D", "G");
        runOut("k");
        assertAnswers(ANYBODY, List.of(complete("k", seq("k"), 2, 2)), "C");
        assertThat(record("k")).endsWith("\3\7" + PAST + "\3\7" + past(2));
        assertCompleted("k", 2);
    }

    @Test
    void claimOfSomebodyElseHoldsOn() {
        claimed("k", 1);
        runOut("k");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertRefused("k", complete("k", seq("k"), 1, 1));
        // Given back in order, so that the next attempt has the same number.
        assertAnswers(OWNER, List.of(release("k", 2), claim("k", PAST_MS, 3)), "D", "G");
        assertRefused("k", complete("k", seq("k"), 2, 2));
        assertRefused("k", complete("k", seq("k"), 1, 1));
        assertAnswers(OWNER, List.of(finish("k", 3)), "D");
        assertRefused("k", complete("k", seq("k"), 3, 2));
    }

    @Test
    void attemptThatHasEndedCompletesNothing() {
        claimed("k", 1);
        assertAnswers(OWNER, List.of(withPast(retry("k", 1), PAST)), "D");
        assertRefused("k", complete("k", seq("k"), 1, 1));
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2)), "G");
        assertAnswers(OWNER, List.of(withPast(finish("k", 2, DEAD), past(2))), "D");
        assertRefused("k", complete("k", seq("k"), 2, 2));
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS)), "C");
        assertRefused("k", complete("k", seq("k"), 1, 1));
        assertRefused("k", complete("k", seq("k"), 2, 2));
    }

    @Test
    void wrongAttemptCompletesNothing() {
        claimed("k", 1);
        assertRefused("k", complete("k", seq("k"), 2, 1));
        runOut("k");
        assertRefused("k", complete("k", seq("k"), 1, 3));
        assertThat(run(ANYBODY, List.of(complete("k", "\0\0\0\0\0\0\1", 1, 1)), Set.of("n0")))
                .containsExactly("Y" + withoutContent("k", 3));
        assertAnswers(ANYBODY, List.of(complete("none", "\0\0\0\0\0\0\1", 1, 1)), "Y");
        assertThat(members("zn0")).hasSize(1);
    }

    /** Its last attempt has succeeded, though its holder is gone. */
    @Test
    void cancelledTimerIsCompletedWhileItsLastAttemptHolds() {
        claimed("k", 1);
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertAnswers(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), "C");
        assertCompleted("k", 1);
        claimed("l", 2);
        assertAnswers(ANYBODY, List.of(cancel("l")), "W");
        server.command("ZADD", PREFIX + "f", "0", "q\0l");
        assertAnswers(OWNER, List.of(reap("l")), "S");
        assertRefused("l", complete("l", seq("l"), 2, 1));
    }

    @Test
    void ownerOfANearInsertIsNotToldOfWhatIsCompleted() {
        claimed("k", 1);
        assertAnswers(OWNER, List.of(release("k", 1)), "D");
        server.command("ZADD", PREFIX + "n", "" + PAST_MS, "\4\0\0\0\7q\0k");
        assertAnswers(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), "C");
        assertThat(members("n")).isEmpty();
    }

    /** The reply to it was lost, and the key has another timer by now. */
    @Test
    void repeatIsAnsweredAsTheFirstTime() {
        claimed("k", 1);
        Command once = complete("k", seq("k"), 1, 1);
        long call = calls.incrementAndGet();
        List<String> first = call("7", call, false, ANYBODY, List.of(once), Set.of("n0"));
        assertThat(letters(first)).containsExactly("C");
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS)), "C");
        assertThat(call("7", call + 1, true, ANYBODY, List.of(once), Set.of("n0")))
                .isEqualTo(first);
        assertThat(record("k").charAt(0) % 8).isZero();
    }

    @Test
    void completionNeedsNoMemory() {
        claimed("k", 1);
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertAnswers(ANYBODY, List.of(complete("k", seq("k"), 1, 1)), "C");
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
