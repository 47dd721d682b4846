package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers are rescheduled, redriven and purged, and commands are meant for one timer and no other. */
final class ChangeScriptTest extends CommandsScript {

    private static final String NO_SEQ = "\0".repeat(7);
    private static final String ANOTHER_SEQ = "\0\0\0\0\0\0\1";

    private void die(String key, byte[] route, int contentBytes) {
        assertAnswers(
                OWNER, List.of(schedule(key, PAST_MS, REPLACE, route, contentBytes), claim(key, PAST_MS, 1)), "C", "G");
        assertAnswers(OWNER, List.of(finish(key, 1, DEAD)), "D");
    }

    private void die(String key) {
        die(key, QUEUE_ROUTE, 3);
    }

    private static String dueBytes(long dueAtMs) {
        return head(0, 0, dueAtMs, 0, 0, 0).substring(5, 13);
    }

    /** The answers of a command that was done. */
    private static List<String> changed(String key, int contentBytes) {
        String record = record(key);
        return List.of("C\0\0\0" + (char) contentBytes + record.substring(0, record.length() - contentBytes));
    }

    // ---- reschedule

    @Test
    void rescheduledTimerIsWrittenDownToTheByte() {
        Command made = scheduleWith("k", 1, 0, PAST_MS, ROUTE_7, "content");
        assertThat(letters(run(OWNER, List.of(made, claim("k", PAST_MS, 1)), Set.of("n0"))))
                .containsExactly("C", "G");
        assertAnswers(OWNER, List.of(withPast(retry("k", 1, PAST_MS + 9), "past")), "D");
        List<String> metaBefore = meta();
        long dueAtMs = 200_000;
        assertThat(run(OWNER, List.of(reschedule("k", dueAtMs)), Set.of("n0", "n3")))
                .isEqualTo(changed("k", 7));
        assertThat(record("k"))
                .isEqualTo(head(128 + 32, 1, dueAtMs, StoppedClock.MICROS, 1, 1) + HASH + "\0\14" + "\2\4\0\0\0\7"
                        + "\3\4past" + "content");
        assertThat(scores("zn3")).containsExactly("\4\0\0\0\7q\0k", "" + dueAtMs);
        assertThat(scores("i")).containsExactly("n3", "" + 3 * 65_536);
        assertThat(members("zn0")).isEmpty();
        assertThat(counts()).isEqualTo("[pq, 1]");
        assertThat(meta()).isEqualTo(metaBefore);
        assertThat(members("n")).as("by the owner itself").isEmpty();
    }

    @Test
    void timerCanBeRescheduledWithinItsSliceAndToAWideOne() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        assertAnswers(OWNER, List.of(reschedule("k", PAST_MS + 1)), "C");
        assertThat(scores("zn0")).containsExactly("\0q\0k", "" + (PAST_MS + 1));
        assertThat(members("i")).containsExactly("n0");
        String far = reschedule("k", 5_000_000).code();
        int farAt = 3 + 3 + 10;
        Command wide = new Command(far.substring(0, farAt) + "\1" + far.substring(farAt + 1), Set.of("n0", "f1"));
        assertAnswers(OWNER, List.of(wide), "C");
        assertThat(scores("zf1")).containsExactly("\0q\0k", "5000000");
        assertThat(scores("i")).containsExactly("f1", "4194304");
        assertThat(record("k").charAt(0)).isEqualTo((char) (128 + 64));
        Command back = change("k", RESCHEDULE, PAST_MS, "", "", PAST_MS);
        assertThat(run(OWNER, List.of(back), Set.of("n0"))).containsExactly("Mf1");
        assertThat(run(OWNER, List.of(back), Set.of("n0", "f1"))).isEqualTo(changed("k", 0));
        assertThat(scores("i")).containsExactly("n0", "0");
    }

    @Test
    void ownerIsToldOfWhatOthersRescheduleIntoWhatIsLoaded() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS), schedule("l", HORIZON_MS)), "C", "C");
        Command away = reschedule("k", HORIZON_MS);
        Command near = change("l", RESCHEDULE, PAST_MS, "", "", PAST_MS, HORIZON_MS);
        assertAnswers(ANYBODY, List.of(away, near), "C", "C");
        assertThat(scores("n")).containsExactly("\0q\0l", "" + PAST_MS);
        assertAnswers(ANYBODY, List.of(reschedule("l", HORIZON_MS - 1)), "C");
        assertThat(scores("n")).containsExactly("\0q\0l", "" + (HORIZON_MS - 1));
        assertThat(server.command("LRANGE", StoppedClock.PUBLISHED, "0", "-1"))
                .asString()
                .contains("none:n");
    }

    @Test
    void noClaimIsGrantedForTheTimeBefore() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), reschedule("k", LATER_MS)), "C", "C");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "E");
        assertAnswers(OWNER, List.of(claim("k", LATER_MS, 1)), "E");
        assertThat(inFlight("k")).isNull();
    }

    /** As layout 1 wrote it. */
    @Test
    void timerWithoutOptionalFieldsStaysOfUnknownRoute() {
        String layout1 = "\0" + "\0\0\0\1" + dueBytes(PAST_MS) + "\0".repeat(7 + 8 + 2) + "content";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", layout1);
        server.command("ZADD", PREFIX + "zn0", "" + PAST_MS, "q\0k");
        server.command("ZADD", PREFIX + "i", "0", "n0");
        server.command("HSET", PREFIX + "m", "seq", "1", "live", "1");
        assertAnswers(OWNER, List.of(reschedule("k", PAST_MS + 1)), "C");
        assertThat(record("k")).isEqualTo(layout1.replace(dueBytes(PAST_MS), dueBytes(PAST_MS + 1)));
        assertThat(scores("zn0")).containsExactly("q\0k", "" + (PAST_MS + 1));
        assertAnswers(OWNER, List.of(claim("k", PAST_MS + 1, 2), finish("k", 2, DEAD)), "G", "D");
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS, ROUTE_7, "other")), "C");
        assertThat(record("k")).endsWith(ROUTED + "other");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\7q\0k");
        assertThat(meta().get(2)).as("nobody knows of large contents").isEqualTo("null");
    }

    // ---- redrive

    @Test
    void redrivenTimerIsWrittenDownToTheByte() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 3), claim("k", PAST_MS, 1)), "C", "G");
        assertAnswers(
                OWNER, List.of(withPast(retry("k", 1, PAST_MS + 9), "first"), claim("k", PAST_MS + 9, 2)), "D", "G");
        assertAnswers(OWNER, List.of(withPast(finish("k", 2, DEAD), "last")), "D");
        assertThat(meta().get(1)).isEqualTo("0");
        assertThat(counts()).isEqualTo("[dq, 1]");
        assertThat(run(ANYBODY, List.of(redrive("k", HORIZON_MS)), Set.of(slice(HORIZON_MS))))
                .isEqualTo(changed("k", 3));
        assertThat(record("k"))
                .isEqualTo(head(128, 1, HORIZON_MS, StoppedClock.MICROS, 1, 0) + "\0\23" + "\2\4\0\0\0\7" + "\3\5first"
                        + "\3\4last" + "\0\0\0");
        assertThat(meta()).containsExactly("" + StoppedClock.MICROS, "1", "0");
        assertThat(counts()).isEqualTo("[pq, 1]");
        assertThat(members("x")).isEmpty();
        assertThat(scores("z" + slice(HORIZON_MS))).containsExactly("\4\0\0\0\7q\0k", "" + HORIZON_MS);
        assertThat(members("n")).isEmpty();
        assertThat(members("i")).containsExactly(slice(HORIZON_MS));
    }

    @Test
    void ownerIsToldOfWhatOthersRedrive() {
        die("k");
        assertAnswers(ANYBODY, List.of(redrive("k", PAST_MS + 5)), "C");
        assertThat(scores("n")).containsExactly("\0q\0k", "" + (PAST_MS + 5));
        assertAnswers(OWNER, List.of(claim("k", PAST_MS + 5, 2)), "G");
        assertThat(attempts("k")).isOne();
    }

    @Test
    void redrivenTimerGetsAnotherContentAndRoute() {
        die("k", ROUTE_7, 3);
        String seq = seq("k");
        String other = new String(ROUTE_8, ISO_8859_1) + "other";
        Command redrive = change("k", REDRIVE, PAST_MS, seq, other, PAST_MS);
        assertThat(run(OWNER, List.of(redrive), Set.of("n0"))).isEqualTo(changed("k", 5));
        assertThat(record("k")).endsWith("\0\6\2\4\0\0\0\10" + "other").hasSize(30 + 8 + 5);
        assertThat(members("zn0")).containsExactly("\4\0\0\0\10q\0k");
        assertThat(seq("k")).isEqualTo(seq);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), finish("k", 2, DEAD)), "G", "D");
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS, QUEUE_ROUTE, "")), "C");
        assertThat(record("k")).endsWith("\0\0").hasSize(32);
        assertThat(members("zn0")).containsExactly("\0q\0k");
    }

    @Test
    void largeContentOfARedriveIsMarked() {
        die("k");
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS, QUEUE_ROUTE, "x".repeat(4_096))), "C");
        assertThat(meta().get(2)).isEqualTo("0");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 2), finish("k", 2, DEAD)), "G", "D");
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS, QUEUE_ROUTE, "x".repeat(4_097))), "C");
        assertThat(meta()).containsExactly("" + StoppedClock.MICROS, "1", "1");
    }

    // ---- purge

    @Test
    void purgedTimerIsForgotten() {
        die("k");
        die("l");
        String record = record("k");
        assertThat(run(ANYBODY, List.of(purge("k")), Set.of()))
                .containsExactly("C\0\0\0\3" + record.substring(0, record.length() - 3));
        assertThat(record("k")).isNull();
        assertThat(members("x")).containsExactly("q\0l");
        assertThat(counts()).isEqualTo("[dq, 1]");
        assertThat(meta().get(1)).isEqualTo("0");
        Command anew = schedule("l", PAST_MS);
        assertAnswers(ANYBODY, List.of(purge("k"), purge("l"), find("l"), anew), "N", "C", "N", "C");
        assertThat(record("l")).startsWith(head(128, 1, PAST_MS, StoppedClock.MICROS + 2, 4, 0));
        assertThat(members("x")).isEmpty();
    }

    // ---- refusals

    /** Every change of a timer that is in another state than the change is for. */
    private void assertRefused(String key, int... kinds) {
        String answer = "W" + withoutContent(key, 3);
        Map<String, Object> before = everything();
        for (int kind : kinds) {
            Command change = change(key, kind, PAST_MS + 7, "", kind == REDRIVE ? "\0other" : "", PAST_MS, PAST_MS + 7);
            for (String epoch : List.of(OWNER, ANYBODY)) {
                assertThat(run(epoch, List.of(change), Set.of("n0"))).containsExactly(answer);
            }
            assertThat(everything()).isEqualTo(before);
        }
    }

    @Test
    void whatIsNotInTheRightStateStaysAsItIs() {
        remembered = "9";
        Map<String, Object> nothing = everything();
        assertAnswers(ANYBODY, List.of(reschedule("k", PAST_MS), redrive("k", PAST_MS), purge("k")), "N", "N", "N");
        assertThat(everything()).isEqualTo(nothing);
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, QUEUE_ROUTE, 3)), "C");
        assertRefused("k", REDRIVE, PURGE);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
        assertRefused("k", RESCHEDULE, REDRIVE, PURGE);
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        assertRefused("k", RESCHEDULE, REDRIVE, PURGE);
        assertAnswers(OWNER, List.of(finish("k", 1)), "D");
        assertRefused("k", RESCHEDULE, REDRIVE, PURGE);
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS), cancel("k")), "C", "C");
        assertRefused("k", RESCHEDULE, REDRIVE, PURGE);
        die("l");
        assertRefused("l", RESCHEDULE);
        assertAnswers(OWNER, List.of(schedule("m", PAST_MS), claim("m", PAST_MS, 1), finish("m", 1, 5)), "C", "G", "D");
        assertRefused("m", RESCHEDULE, REDRIVE, PURGE);
    }

    @Test
    void fullServerReschedulesAndRedrivesNothingAndPurges() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        die("l");
        Map<String, Object> before = everything();
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertAnswers(OWNER, List.of(reschedule("k", PAST_MS + 1), redrive("l", PAST_MS)), "O", "O");
            assertAnswers(OWNER, List.of(reschedule("l", PAST_MS), redrive("k", PAST_MS)), "W", "W");
            assertThat(everything()).isEqualTo(before);
            assertAnswers(OWNER, List.of(redrive("l", PAST_MS), purge("l")), "O", "C");
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(record("l")).isNull();
        assertThat(counts()).isEqualTo("[pq, 1]");
    }

    // ---- for one timer and no other

    private void assertOther(String key, String seq, String answer) {
        Map<String, Object> before = everything();
        List<Command> commands = List.of(
                expecting(seq, cancel(key)),
                expecting(seq, schedule(key, PAST_MS, REPLACE, QUEUE_ROUTE, 3)),
                expecting(seq, schedule(key, PAST_MS, ONCE, QUEUE_ROUTE, 3)),
                expecting(seq, schedule(key, PAST_MS, KEEP, QUEUE_ROUTE, 3)),
                change(key, RESCHEDULE, PAST_MS + 3, seq, ""),
                change(key, REDRIVE, PAST_MS + 3, seq, ""),
                change(key, REDRIVE, PAST_MS + 3, seq, "\0other"),
                change(key, PURGE, 0, seq, ""));
        for (Command command : commands) {
            assertThat(run(OWNER, List.of(command), Set.of("n0"))).containsExactly(answer);
            assertThat(everything()).isEqualTo(before);
        }
    }

    private void assertOther(String key, int headBytes) {
        String answer = "Y" + record(key).substring(0, headBytes);
        String seq = seq(key);
        assertOther(key, NO_SEQ, answer);
        assertOther(key, ANOTHER_SEQ, answer);
        assertOther(key, seq.substring(0, 6) + (char) (seq.charAt(6) ^ 1), answer);
        assertOther(key, (char) (seq.charAt(0) ^ 128) + seq.substring(1), answer);
    }

    @Test
    void nothingIsDoneToAnotherTimerThanTheOneThatWasMeant() {
        remembered = "9";
        assertOther("k", NO_SEQ, "Y");
        assertOther("k", ANOTHER_SEQ, "Y");
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 5)), "C");
        assertOther("k", 38);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1)), "G");
        assertOther("k", 46);
        assertAnswers(OWNER, List.of(finish("k", 1, DEAD)), "D");
        assertOther("k", 38);
        assertAnswers(OWNER, List.of(redrive("k", PAST_MS), cancel("k")), "C", "C");
        assertOther("k", 38);
    }

    @Test
    void theTimerThatWasMeantIsChanged() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        String seq = seq("k");
        assertThat(run(OWNER, List.of(change("k", RESCHEDULE, PAST_MS + 1, seq, "")), Set.of("n0")))
                .isEqualTo(changed("k", 0));
        Command hashed = scheduleWith("k", 1, 0, PAST_MS, QUEUE_ROUTE, seq + "content");
        String code = hashed.code();
        int hasAt = 3 + 3 + 18;
        Command both = new Command(code.substring(0, hasAt) + "\3" + code.substring(hasAt + 1), Set.of("n0"));
        assertAnswers(OWNER, List.of(both), "R");
        assertThat(record("k")).endsWith(HASH + "\0\0content").hasSize(30 + 8 + 2 + 7);
        assertThat(seq("k")).isNotEqualTo(seq);
        assertAnswers(OWNER, List.of(expecting(seq("k"), cancel("k"))), "C");
        assertAnswers(OWNER, List.of(expecting(seq("k"), schedule("k", PAST_MS))), "C");
        assertThat(record("k")).hasSize(32);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), finish("k", 1, DEAD)), "G", "D");
        assertThat(run(OWNER, List.of(change("k", PURGE, 0, seq("k"), "")), Set.of()))
                .singleElement()
                .satisfies(answer -> assertThat(answer).startsWith("C"));
    }

    /** A change for the timer that has that attempt: it is in the command behind its seq. */
    private Command atTime(long attemptAtMs, int what, long dueAtMs, String seq, String content) {
        String code = change("k", what, dueAtMs, seq + dueBytes(attemptAtMs), content, PAST_MS)
                .code();
        int hasAt = 3 + 3 + 9;
        return new Command(
                code.substring(0, hasAt) + (char) (code.charAt(hasAt) + 4) + code.substring(hasAt + 1), Set.of("n0"));
    }

    @Test
    void nothingIsDoneToATimerWhoseAttemptIsAtAnotherTime() {
        die("k");
        String seq = seq("k");
        String answer = "Y" + withoutContent("k", 3);
        Map<String, Object> before = everything();
        for (Command refused : List.of(
                atTime(PAST_MS + 1, REDRIVE, PAST_MS, seq, "\0other"),
                atTime(PAST_MS + (1L << 56), REDRIVE, PAST_MS, seq, ""),
                atTime(PAST_MS, REDRIVE, PAST_MS, ANOTHER_SEQ, ""),
                atTime(PAST_MS + 1, PURGE, 0, seq, ""))) {
            assertThat(run(ANYBODY, List.of(refused), Set.of("n0"))).containsExactly(answer);
            assertThat(everything()).isEqualTo(before);
        }
        assertThat(run(OWNER, List.of(atTime(PAST_MS, REDRIVE, PAST_MS + 7, seq, "\0other")), Set.of("n0")))
                .isEqualTo(changed("k", 5));
        assertThat(record("k")).isEqualTo(head(128, 1, PAST_MS + 7, StoppedClock.MICROS, 1, 0) + "\0\0" + "other");
        assertThat(run(OWNER, List.of(atTime(PAST_MS + 7, RESCHEDULE, PAST_MS + 9, seq, "")), Set.of("n0")))
                .isEqualTo(changed("k", 5));
        assertThat(scores("zn0")).containsExactly("\0q\0k", "" + (PAST_MS + 9));
    }

    // ---- repeats

    /** The reply was lost, and others went on. */
    @Test
    void repeatedChangeHasTheEffectOfOnce() {
        die("k");
        die("l");
        assertAnswers(OWNER, List.of(schedule("m", PAST_MS)), "C");
        Set<String> slices = Set.of("n0");
        List<Command> lost = List.of(
                redrive("k", PAST_MS),
                purge("l"),
                change("m", RESCHEDULE, PAST_MS + 1, seq("m"), ""),
                change("x", PURGE, 0, ANOTHER_SEQ, ""));
        List<String> first = call("2", 1, false, ANYBODY, lost, slices);
        assertThat(letters(first)).containsExactly("C", "C", "C", "Y");
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 5), finish("k", 5, DEAD)), "G", "D");
        die("l");
        assertAnswers(OWNER, List.of(schedule("m", PAST_MS), schedule("x", PAST_MS)), "R", "C");
        Map<String, Object> before = everything();
        assertThat(call("2", 2, true, ANYBODY, lost, slices)).isEqualTo(first);
        assertThat(call("2", 3, true, ANYBODY, lost.subList(0, 1), slices)).isEqualTo(first.subList(0, 1));
        assertThat(everything()).isEqualTo(before);
    }

    /** What it was meant for is gone by what it did itself. */
    @Test
    void repeatedScheduleIsKnownBeforeItsIdIsLookedAt() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        Command lost = expecting(seq("k"), schedule("k", PAST_MS + 1));
        List<String> first = call("2", 1, false, ANYBODY, List.of(lost), Set.of("n0"));
        assertThat(letters(first)).containsExactly("R");
        Map<String, Object> before = everything();
        assertThat(call("2", 2, true, ANYBODY, List.of(lost), Set.of("n0"))).isEqualTo(first);
        assertThat(call("4", 1, false, ANYBODY, List.of(lost), Set.of("n0")))
                .as("known by its record")
                .isEqualTo(first);
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void commandThatWasRefusedByItsIdStaysRefused() {
        Command lost = expecting(ANOTHER_SEQ, cancel("k"));
        assertThat(call("2", 1, false, ANYBODY, List.of(lost), Set.of())).containsExactly("Y");
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "C");
        assertThat(call("2", 2, true, ANYBODY, List.of(lost), Set.of("n0"))).containsExactly("Y");
    }

    // ---- over a dead timer

    @ParameterizedTest
    @ValueSource(ints = {REPLACE, KEEP, FAIL, EARLIEST, LATEST})
    void scheduleOverADeadTimerSaysSoAgain(int rule) {
        die("k");
        Command anew = schedule("k", PAST_MS, rule, ROUTE_7, 2);
        List<String> made = run(ANYBODY, List.of(anew), Set.of("n0"));
        assertThat(made).containsExactly("C\4" + record("k").substring(0, 41));
        assertThat(record("k"))
                .isEqualTo(head(128, 2, PAST_MS, StoppedClock.MICROS + 1, 2, 0) + "\0\11" + "\2\4\0\0\0\7" + "\4\1\4"
                        + "\0\0");
        assertThat(members("zn0")).containsExactly("\4\0\0\0\7q\0k");
        assertThat(run(ANYBODY, List.of(anew), Set.of("n0"))).isEqualTo(made);
        assertAnswers(OWNER, List.of(claim("k", PAST_MS, 1), retry("k", 1, PAST_MS + 1)), "G", "D");
        assertThat(run(ANYBODY, List.of(anew), Set.of("n0")))
                .singleElement()
                .satisfies(answer -> assertThat(answer).startsWith("C\4"));
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS)), "R");
        assertThat(record("k")).as("of the next one").hasSize(32);
    }

    @Test
    void keyThatWasUsedOnceStaysUsedWhenItsTimerIsDead() {
        die("k");
        String record = record("k");
        assertThat(run(ANYBODY, List.of(schedule("k", PAST_MS, ONCE, QUEUE_ROUTE, 0)), Set.of("n0")))
                .containsExactly("K\4" + record.substring(0, record.length() - 3));
        assertThat(run(ANYBODY, List.of(cancel("k")), Set.of()))
                .containsExactly("L" + record.substring(0, record.length() - 3));
        assertThat(record("k")).isEqualTo(record);
    }
}
