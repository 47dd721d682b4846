package io.tickwheel.store.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.testkit.RedisServer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code commands.lua} refuses, which a store that asks rightly never sees. */
class CommandsScriptTest {

    private static final Script COMMANDS = Script.named("commands");
    private static final String PREFIX = "script:{t}:";
    private static final String REMEMBERED = "2";
    private static final String OWNER = "7";
    private static final String ANYBODY = "";
    private static final long PAST_MS = 1_000;
    private static final long LATER_MS = 4_000_000_000_000L;
    private static final long HORIZON_MS = 5_000_000;
    private static final int ATTEMPTS_AT = 28;

    private static RedisServer server;

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
    void onlyTheOwnerClaims() {
        assertAnswers(ANYBODY, List.of(schedule("k", PAST_MS), claim("k", PAST_MS, 1)), "C", "X");
        assertAnswers("6", List.of(claim("k", PAST_MS, 1)), "X");
        assertThat(inFlight("k")).isNull();
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
        assertThat(server.command("ZSCORE", PREFIX + "zn0", "q\0k")).isEqualTo("" + PAST_MS);
        assertThat(attempts("k")).isOne();
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
        assertThat(server.command("ZRANGE", PREFIX + "n", "0", "-1")).isEqualTo(List.of("q\0near"));
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

    // ---- commands

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
        ByteBuffer rest = ByteBuffer.allocate(100)
                .put((byte) 0)
                .put((byte) 0)
                .putLong(dueAtMs)
                .putLong(++operations)
                .put((byte) 0);
        return command('S', key, rest, dueAtMs);
    }

    private static Command cancel(String key) {
        return command('C', key, ByteBuffer.allocate(0), PAST_MS);
    }

    private static Command find(String key) {
        return command('F', key, ByteBuffer.allocate(0));
    }

    private static Command claim(String key, long dueAtMs, long token) {
        return command('L', key, ByteBuffer.allocate(16).putLong(dueAtMs).putLong(token), dueAtMs);
    }

    private static Command finish(String key, long token) {
        return command('D', key, ByteBuffer.allocate(9).putLong(token).put((byte) 2));
    }

    private static Command retry(String key, long token) {
        return command(
                'T', key, ByteBuffer.allocate(17).putLong(token).put((byte) 0).putLong(PAST_MS), PAST_MS);
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
        List<String> eval = new ArrayList<>(List.of("EVAL", COMMANDS.source(), "" + (8 + slices.size())));
        for (char letter : "mrinfxeq".toCharArray()) {
            eval.add(PREFIX + letter);
        }
        slices.forEach(slice -> eval.add(PREFIX + "z" + slice));
        eval.addAll(List.of("" + Long.MAX_VALUE, epoch, "0", REMEMBERED, "60000", "none:", "0", "" + slices.size()));
        eval.addAll(slices);
        commands.forEach(each -> eval.add(each.code()));
        List<?> answers = (List<?>) server.command(ISO_8859_1, eval.toArray(String[]::new));
        return answers.stream().skip(2).map(String::valueOf).toList();
    }

    private static Object inFlight(String key) {
        return server.command("ZSCORE", PREFIX + "f", "q\0" + key);
    }

    private static int attempts(String key) {
        String record = (String) server.command(ISO_8859_1, "HGET", PREFIX + "r", "q\0" + key);
        return record.charAt(ATTEMPTS_AT) * 256 + record.charAt(ATTEMPTS_AT + 1);
    }
}
