package io.tickwheel.store.redis.partition;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The claim of a plan ends by its run, both or neither. */
final class SpawnScriptTest extends CommandsScript {

    private static final String RUN = "k\u001f1";
    private static final long NEXT_MS = 200_000;
    private static final long RUN_MS = 70_000;
    private static final int CANCELLED = 3;
    private static final int ENDING = 6;

    private Command spawn(long token) {
        return next("k", token, NEXT_MS, "next", "1", RUN_MS, QUEUE_ROUTE, "", "run");
    }

    private void claimPlan() {
        assertAnswers(OWNER, List.of(schedule("k", PAST_MS, REPLACE, ROUTE_7, 7), claim("k", PAST_MS, 1)), "C", "G");
    }

    private static String headOf(String key, int contentBytes) {
        String record = record(key);
        return record.substring(0, record.length() - contentBytes);
    }

    private static String length(String head) {
        return "\0" + (char) head.length();
    }

    private static int state(String key) {
        return record(key).charAt(0) % 8;
    }

    // ---- the step

    @Test
    void stepIsWrittenDownToTheByte() {
        Command made = scheduleWith("k", 1, 0, PAST_MS, ROUTE_7, "content");
        assertThat(letters(run(OWNER, List.of(made, claim("k", PAST_MS, 1)), Set.of("n0"))))
                .containsExactly("C", "G");
        assertAnswers(
                OWNER, List.of(withPast(retry("k", 1, PAST_MS + 9), "past"), claim("k", PAST_MS + 9, 2)), "D", "G");
        Command next = next("k", 2, NEXT_MS, "the next one", "1", RUN_MS, ROUTE_8, HASH, "the run");
        List<String> answers = run(OWNER, List.of(next), next.slices());
        assertThat(record("k"))
                .isEqualTo(head(128 + 32, 1, NEXT_MS, StoppedClock.MICROS, 1, 0) + HASH + "\0\14" + "\2\4\0\0\0\7"
                        + "\3\4past" + "the next one");
        assertThat(record(RUN))
                .isEqualTo(head(128 + 32, 1, RUN_MS, StoppedClock.MICROS + 1, 2, 0) + HASH + "\0\6" + "\2\4\0\0\0\10"
                        + "the run");
        String plan = headOf("k", 12);
        assertThat(answers).containsExactly("D" + length(plan) + plan + "C\0" + headOf(RUN, 7));
        assertThat(scores("zn3")).containsExactly("\4\0\0\0\7q\0k", "" + NEXT_MS);
        assertThat(scores("zn1")).containsExactly("\4\0\0\0\10q\0" + RUN, "" + RUN_MS);
        assertThat(scores("i")).containsExactly("n1", "65536", "n3", "" + 3 * 65_536);
        assertThat(inFlight("k")).isNull();
        assertThat(counts()).isEqualTo("[pq, 2]");
        assertThat(meta()).containsExactly("" + (StoppedClock.MICROS + 1), "2", "0");
        assertThat(members("n")).as("by the owner itself").isEmpty();
    }

    @Test
    void skippedRunJustMovesThePlan() {
        claimPlan();
        Command next = next("k", 1, NEXT_MS, "");
        List<String> answers = run(OWNER, List.of(next), next.slices());
        assertThat(answers).containsExactly("D" + length(record("k")) + record("k"));
        assertThat(record("k")).hasSize(30 + 2 + 6);
        assertThat(attempts("k")).isZero();
        assertThat(scores("i")).containsExactly("n3", "" + 3 * 65_536);
        assertThat(counts()).isEqualTo("[pq, 1]");
        assertThat(meta().get(1)).isEqualTo("1");
        assertAnswers(OWNER, List.of(next("k", 1, NEXT_MS, "")), "Y");
    }

    @Test
    void planAndRunGoToWideSlices() {
        claimPlan();
        String narrow = spawn(1).code();
        int farAt = 3 + 3 + 16 + 2 + 5;
        int runFarAt = farAt + 1 + 8 + 4 + 4;
        String wide = narrow.substring(0, farAt) + "\1" + narrow.substring(farAt + 1, runFarAt) + "\1"
                + narrow.substring(runFarAt + 1);
        assertThat(letters(run(OWNER, List.of(new Command(wide, Set.of())), Set.of("f0"))))
                .containsExactly("D");
        assertThat(scores("zf0")).containsExactly("\0q\0" + RUN, "" + RUN_MS, "\4\0\0\0\7q\0k", "" + NEXT_MS);
        assertThat(List.of(record("k").charAt(0), record(RUN).charAt(0)))
                .containsExactly((char) (128 + 64), (char) (128 + 64));
        assertAnswers(OWNER, List.of(find("k")), "V");
    }

    @Test
    void ownerIsToldOfBothWhenItWasAnother() {
        claimPlan();
        assertAnswers(ANYBODY, List.of(spawn(1)), "D");
        assertThat(scores("n")).containsExactly("\0q\0" + RUN, "" + RUN_MS, "\4\0\0\0\7q\0k", "" + NEXT_MS);
        assertThat(server.command("LRANGE", StoppedClock.PUBLISHED, "0", "-1"))
                .asString()
                .contains("none:n");
    }

    @Test
    void firstDueTimeGoes() {
        claimPlan();
        assertAnswers(OWNER, List.of(postpone("k", 1, PAST_MS + 5), claim("k", PAST_MS + 5, 2)), "D", "G");
        assertThat(record("k").length()).isEqualTo(30 + 8 + 2 + 6 + 10 + 7);
        assertAnswers(OWNER, List.of(spawn(2)), "D");
        assertThat(record("k")).endsWith(ROUTED + "next");
        assertThat(record("k")).hasSize(30 + 2 + 6 + 4);
    }

    /** As layout 1 wrote it. */
    @Test
    void planWithoutOptionalFieldsStaysOfUnknownRoute() {
        String layout1 = "\1\0\0\0\1" + head(0, 0, PAST_MS, 0, 0, 0).substring(5, 13) + "\0".repeat(7 + 8) + "\0\1"
                + token(1) + "content";
        server.command(ISO_8859_1, "HSET", PREFIX + "r", "q\0k", layout1);
        server.command("ZADD", PREFIX + "f", "" + LATER_MS, "q\0k");
        server.command("HSET", PREFIX + "m", "seq", "1", "live", "1");
        server.command("HSET", PREFIX + "q", "cq", "1");
        assertAnswers(OWNER, List.of(spawn(1)), "D");
        assertThat(record("k")).isEqualTo(head(0, 1, NEXT_MS, 0, 0, 0) + "next");
        assertThat(scores("zn3")).containsExactly("q\0k", "" + NEXT_MS);
        assertThat(counts()).isEqualTo("[pq, 2]");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoLoadsLearnsOfALargeContent(boolean ofTheRun) {
        claimPlan();
        assertThat(meta().get(2)).isEqualTo("0");
        String large = "x".repeat(4_097);
        Command next = next(
                "k",
                1,
                NEXT_MS,
                ofTheRun ? "" : large,
                "1",
                RUN_MS,
                QUEUE_ROUTE,
                "",
                ofTheRun ? large.substring(0, 99) : "");
        Command larger = new Command(next.code() + (ofTheRun ? large : ""), next.slices());
        assertAnswers(OWNER, List.of(larger), "D");
        assertThat(meta().get(2)).isEqualTo("1");
    }

    // ---- the run that is there

    @Test
    void liveRunStays() {
        claimPlan();
        assertAnswers(OWNER, List.of(schedule(RUN, PAST_MS, REPLACE, QUEUE_ROUTE, 3)), "C");
        String pending = record(RUN);
        assertThat(run(OWNER, List.of(spawn(1)), spawn(1).slices()))
                .containsExactly("D" + length(headOf("k", 4)) + headOf("k", 4) + "K\1" + headOf(RUN, 3));
        assertThat(record(RUN)).isEqualTo(pending);
        assertThat(counts()).isEqualTo("[pq, 2]");
        assertAnswers(OWNER, List.of(reschedule("k", PAST_MS)), "M");
        Command back = change("k", RESCHEDULE, PAST_MS, "", "", PAST_MS, NEXT_MS);
        assertAnswers(OWNER, List.of(back, claim("k", PAST_MS, 5), claim(RUN, PAST_MS, 6)), "C", "G", "G");
        String claimed = record(RUN);
        assertThat(run(OWNER, List.of(spawn(5)), spawn(5).slices()).get(0)).contains("K\2" + headOf(RUN, 3));
        assertThat(record(RUN)).isEqualTo(claimed);
        assertThat(inFlight(RUN)).isNotNull();
        assertThat(counts()).isEqualTo("[cq, 1, pq, 1]");
        assertThat(meta().get(1)).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(ints = {COMPLETED, CANCELLED, DEAD, ENDING})
    void runThatIsNotLiveIsMadeAnew(int state) {
        remembered = "9";
        claimPlan();
        assertAnswers(OWNER, List.of(schedule(RUN, PAST_MS, REPLACE, QUEUE_ROUTE, 3)), "C");
        if (state == CANCELLED) {
            assertAnswers(OWNER, List.of(cancel(RUN)), "C");
        } else {
            assertAnswers(OWNER, List.of(claim(RUN, PAST_MS, 2)), "G");
            assertAnswers(
                    OWNER, List.of(state == ENDING ? cancel(RUN) : finish(RUN, 2, state)), state == ENDING ? "W" : "D");
        }
        String previous = state == DEAD ? "\4" : state == ENDING ? "\3" : "\0";
        assertThat(run(OWNER, List.of(spawn(1)), spawn(1).slices()))
                .containsExactly("D" + length(headOf("k", 4)) + headOf("k", 4) + "C" + previous + headOf(RUN, 3));
        assertThat(record(RUN).substring(1, 5)).as("version").isEqualTo("\0\0\0\2");
        assertThat(state(RUN)).isZero();
        assertThat(members("x")).isEmpty();
        assertThat(members("e")).isEmpty();
        assertThat(members("f")).isEmpty();
        assertThat(counts()).isEqualTo("[pq, 2]");
        assertThat(meta().get(1)).isEqualTo("2");
    }

    // ---- what is refused

    private static Arguments refused(String what, String answer, BiConsumer<SpawnScriptTest, String> make) {
        return Arguments.of(what, answer, make);
    }

    /** What stands there, and how the answer begins; the token of the command is 1. */
    static Stream<Arguments> refusals() {
        return Stream.of(
                refused("a key that is not known", "Y", (test, key) -> {}),
                refused(
                        "a pending timer",
                        "Y",
                        (test, key) -> assertAnswers(
                                OWNER, List.of(test.schedule(key, PAST_MS, REPLACE, QUEUE_ROUTE, 3)), "C")),
                refused("a claim with another token", "Y", (test, key) -> test.claimAs(key, 2)),
                refused("a last attempt with another token", "Y", (test, key) -> {
                    test.claimAs(key, 2);
                    assertAnswers(ANYBODY, List.of(test.cancel(key)), "W");
                }),
                refused("a completed timer", "Y", (test, key) -> test.end(key, finish(key, 1))),
                refused("a dead timer", "Y", (test, key) -> test.end(key, finish(key, 1, DEAD))),
                refused("a claim that was given back", "Y", (test, key) -> test.end(key, release(key, 1))),
                refused("a timer that is tried again", "Y", (test, key) -> test.end(key, retry(key, 1))));
    }

    private void claimAs(String key, long token) {
        assertAnswers(
                OWNER, List.of(schedule(key, PAST_MS, REPLACE, QUEUE_ROUTE, 3), claim(key, PAST_MS, token)), "C", "G");
    }

    private void end(String key, Command end) {
        claimAs(key, 1);
        assertAnswers(OWNER, List.of(end), "D");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void refusalChangesNothing(String what, String answer, BiConsumer<SpawnScriptTest, String> make) {
        make.accept(this, "k");
        Map<String, Object> before = everything();
        String standing = record("k") == null ? "" : withoutContent("k", 3);
        for (Command each : List.of(spawn(1), next("k", 1, NEXT_MS, "next"))) {
            assertThat(run(OWNER, List.of(each), each.slices())).containsExactly(answer + standing);
            assertThat(everything()).isEqualTo(before);
        }
    }

    @Test
    void planThatWasCancelledEnds() {
        remembered = "9";
        claimPlan();
        assertAnswers(ANYBODY, List.of(cancel("k")), "W");
        List<String> answers = run(OWNER, List.of(spawn(1)), spawn(1).slices());
        assertThat(answers).containsExactly("Y" + record("k"));
        assertThat(state("k")).isEqualTo(CANCELLED);
        assertThat(attempts("k")).isZero();
        assertThat(record(RUN)).isNull();
        assertThat(inFlight("k")).isNull();
        assertThat(members("e")).containsExactly("q\0k");
        assertThat(counts()).isEqualTo("[]");
        assertThat(meta().get(1)).isEqualTo("0");
    }

    @Test
    void lateCallIsRefusedAsAWhole() {
        claimPlan();
        assertThat(call("2", 7, false, OWNER, List.of(extend("k", 1)), Set.of()))
                .containsExactly("D");
        Map<String, Object> before = everything();
        assertThat(call("2", 6, false, OWNER, List.of(spawn(1)), spawn(1).slices()))
                .isEmpty();
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void fullServerMakesNoRunAndKeepsTheClaim() {
        claimPlan();
        assertAnswers(OWNER, List.of(schedule("l", PAST_MS), claim("l", PAST_MS, 3)), "C", "G");
        assertAnswers(OWNER, List.of(schedule("l\u001f1", RUN_MS)), "C");
        Map<String, Object> before = everything();
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertAnswers(OWNER, List.of(spawn(1)), "O");
            assertThat(everything()).isEqualTo(before);
            assertAnswers(OWNER, List.of(spawn(2)), "Y");
            assertThat(everything()).isEqualTo(before);
            assertAnswers(
                    OWNER,
                    List.of(
                            next("k", 1, NEXT_MS, "skipped"),
                            next("l", 3, NEXT_MS, "kept", "1", RUN_MS, QUEUE_ROUTE, "", "run")),
                    "D",
                    "D");
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
        assertThat(record("k")).endsWith("skipped");
        assertThat(record("l")).endsWith("kept");
        assertThat(record(RUN)).isNull();
        assertThat(counts()).isEqualTo("[pq, 3]");
    }

    // ---- with others in a call

    @Test
    void bothSlicesMustBeDeclared() {
        claimPlan();
        Map<String, Object> before = everything();
        assertThat(run(OWNER, List.of(spawn(1)), Set.of("n0", "n1"))).containsExactly("Mn3");
        assertThat(run(OWNER, List.of(spawn(1)), Set.of("n0", "n3"))).containsExactly("Mn1");
        assertThat(everything()).isEqualTo(before);
        Command kept = next("k", 1, NEXT_MS, "next", "1", RUN_MS, QUEUE_ROUTE, "", "run");
        assertThat(letters(run(OWNER, List.of(schedule(RUN, PAST_MS), kept), Set.of("n0", "n3"))))
                .as("nothing is made in the slice of the run")
                .containsExactly("C", "D");
    }

    @Test
    void whatFollowsOnEitherTimerWaitsWithIt() {
        claimPlan();
        List<Command> commands = List.of(spawn(1), find("k"), find(RUN), cancel("l"), find("k"));
        assertThat(run(OWNER, commands, Set.of("n1"))).containsExactly("Mn3", "Mn3", "Mn3", "N", "Mn3");
        assertAnswers(OWNER, List.of(schedule(RUN, PAST_MS)), "C");
        // The run is to leave a slice that is not declared, and its plan waits for that.
        List<Command> behind = List.of(cancel(RUN), spawn(1), find("k"), find(RUN));
        assertThat(run(OWNER, behind, Set.of("n1", "n3"))).containsExactly("Mn0", "Mn0", "Mn0", "Mn0");
        assertThat(letters(run(OWNER, behind, Set.of("n0", "n1", "n3")))).containsExactly("C", "D", "V", "V");
        assertThat(state(RUN)).isZero();
    }

    @Test
    void commandsOnBothAreCarriedOutInTheirOrder() {
        claimPlan();
        assertAnswers(
                OWNER,
                List.of(
                        find(RUN),
                        spawn(1),
                        find(RUN),
                        spawn(1),
                        schedule(RUN, NEXT_MS, KEEP, QUEUE_ROUTE, 0),
                        cancel("k")),
                "N",
                "D",
                "V",
                "Y",
                "K",
                "C");
        assertThat(counts()).isEqualTo("[pq, 1]");
        assertThat(meta().get(1)).isEqualTo("1");
    }

    @Test
    void manyPlansInACallMakeARunEach() {
        for (int i = 0; i < 30; i++) {
            claimAs("p" + i, 1);
        }
        List<Command> all = Stream.iterate(0, i -> i + 1)
                .limit(30)
                .map(i -> next("p" + i, 1, NEXT_MS, "n" + i, "1", RUN_MS, QUEUE_ROUTE, "", "r" + i))
                .toList();
        assertThat(letters(run(OWNER, all, Set.of("n1", "n3")))).hasSize(30).containsOnly("D");
        for (int i = 0; i < 30; i++) {
            assertThat(record("p" + i)).endsWith("n" + i);
            assertThat(record("p" + i + "\u001f1")).endsWith("r" + i);
        }
        assertThat(counts()).isEqualTo("[pq, 60]");
        assertThat(meta().get(1)).isEqualTo("60");
    }

    /** The first one is always carried out, so that all are in the end. */
    @Test
    void planWithALargeContentWaitsUntilThereWasEnough() {
        for (String key : List.of("k", "l", "o")) {
            assertAnswers(OWNER, List.of(schedule(key, PAST_MS, REPLACE, QUEUE_ROUTE, 700_000)), "C");
            assertAnswers(OWNER, List.of(claim(key, PAST_MS, 1)), "G");
        }
        List<Command> all = Stream.of("k", "l", "o")
                .map(key -> next(key, 1, NEXT_MS, "", "1", RUN_MS, QUEUE_ROUTE, "", ""))
                .toList();
        assertThat(letters(run(OWNER, all, Set.of("n1", "n3")))).containsExactly("D", "D", "A");
        assertThat(record("o\u001f1")).isNull();
        assertThat(record("o")).hasSize(30 + 8 + 2 + 700_000);
        assertAnswers(OWNER, List.of(all.get(2)), "D");
    }

    /** The reply was lost, and both were changed since. */
    @Test
    void repeatIsAnsweredAsTheFirstTime() {
        claimPlan();
        Command spawn = spawn(1);
        List<String> first = call("2", 1, false, OWNER, List.of(spawn), spawn.slices());
        assertThat(letters(first)).containsExactly("D");
        assertAnswers(ANYBODY, List.of(change("k", RESCHEDULE, PAST_MS, "", "", PAST_MS, NEXT_MS)), "C");
        Command cancel = cancel(RUN);
        assertAnswers(ANYBODY, List.of(new Command(cancel.code(), Set.of("n1"))), "C");
        Map<String, Object> before = everything();
        assertThat(call("2", 2, true, OWNER, List.of(spawn), Set.of())).isEqualTo(first);
        assertThat(everything()).isEqualTo(before);
        assertThat(call("2", 3, true, OWNER, List.of(spawn), Set.of())).isEqualTo(first);
    }
}
