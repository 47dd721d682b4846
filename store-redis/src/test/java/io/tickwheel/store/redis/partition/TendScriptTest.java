package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How {@code tend.lua} loads a piece of a range from the slices that touch it. */
class TendScriptTest {

    private static final Script TEND = Script.named("tend");
    private static final String PREFIX = "script:{t}:";
    private static final String EPOCH = "7";
    private static final long TO_MS = 100_000;
    private static final int MANY = 1_000;

    private static RedisServer server;
    private static long asked;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Two near slices, and a far one that covers both. */
    @BeforeEach
    void fillSlices() {
        server.command("FLUSHALL");
        server.command("HSET", PREFIX + "m", "owner", "n", "epoch", EPOCH, "big", "0");
        server.command("ZADD", PREFIX + "i", "0", "f0", "0", "n0", "65536", "n1", "131072", "n2");
        server.command("ZADD", PREFIX + "zn0", "10", "b", "20", "d");
        server.command("ZADD", PREFIX + "zn1", "70000", "g", "100000", "h");
        server.command("ZADD", PREFIX + "zf0", "10", "a", "10", "c", "30", "e", "69999", "f", "200000", "i");
    }

    /** What the script has answered. */
    private record Answer(
            List<String> near,
            List<String> over,
            String lowest,
            List<String> gone,
            List<String> touched,
            long reachedMs,
            String mark,
            long looked,
            List<String> members,
            List<String> dues,
            List<String> bytes) {

        static Answer of(List<?> all) {
            assertThat(all.get(1)).as("state").isEqualTo(0L);
            return new Answer(
                    strings(all.get(3)),
                    strings(all.get(4)),
                    (String) all.get(5),
                    strings(all.get(6)),
                    strings(all.get(7)),
                    (Long) all.get(8),
                    (String) all.get(9),
                    (Long) all.get(10),
                    strings(all.get(11)),
                    strings(all.get(12)),
                    strings(all.get(13)));
        }

        private static List<String> strings(Object list) {
            return ((List<?>) list).stream().map(String::valueOf).toList();
        }
    }

    /** What the script is asked for. */
    private static final class Ask {

        private long fromMs;
        private String mark = "";
        private long toMs = TO_MS;
        private int most = MANY;
        private int looks = MANY;
        private String filter = "";
        private List<String> lanes = List.of();
        private List<String> queues = List.of();
        private List<String> slices = List.of("n0", "n1", "f0");
        private long number = ++asked;

        Ask behind(Answer before) {
            fromMs = before.reachedMs;
            mark = before.mark;
            return this;
        }

        Ask from(long value) {
            fromMs = value;
            return this;
        }

        Ask to(long value) {
            toMs = value;
            return this;
        }

        Ask most(int value) {
            most = value;
            return this;
        }

        Ask looks(int value) {
            looks = value;
            return this;
        }

        Ask only(String... values) {
            filter = "+";
            lanes = List.of(values);
            return this;
        }

        Ask allBut(String... values) {
            filter = "-";
            lanes = List.of(values);
            return this;
        }

        Ask queues(String... values) {
            queues = List.of(values);
            return this;
        }

        Ask slices(String... values) {
            slices = List.of(values);
            return this;
        }

        /** As a call that was sent before others, and comes behind them. */
        Ask late(long behind) {
            number -= behind;
            return this;
        }

        Answer call() {
            return Answer.of(reply());
        }

        List<?> reply() {
            List<String> eval = new ArrayList<>(List.of("EVAL", TEND.source(), "" + (6 + slices.size())));
            for (char letter : "mnfirq".toCharArray()) {
                eval.add(PREFIX + letter);
            }
            for (String slice : slices) {
                eval.add(PREFIX + "z" + slice);
            }
            eval.addAll(List.of(EPOCH, "60000", "" + Long.MAX_VALUE, "10"));
            eval.addAll(List.of("" + fromMs, mark, "" + toMs, "" + most, "" + looks));
            eval.addAll(List.of(filter, "" + lanes.size(), "" + queues.size(), "" + number));
            eval.addAll(lanes);
            eval.addAll(queues);
            eval.addAll(slices);
            return (List<?>) server.command(eval.toArray(String[]::new));
        }
    }

    /** It is one whose reply was given up, and what it takes from the near inserts nobody would load. */
    @Test
    void callBehindALaterOneDoesNothing() {
        new Ask().to(50_000).call();
        server.command("ZADD", PREFIX + "n", "25", "near");
        String meta = String.valueOf(server.command("HGETALL", PREFIX + "m"));
        for (long behind = 1; behind <= 2; behind++) {
            List<?> reply = new Ask().late(behind).reply();
            assertThat(reply).hasSize(2);
            assertThat(reply.get(1)).isEqualTo(2L);
        }
        assertThat(String.valueOf(server.command("HGETALL", PREFIX + "m"))).isEqualTo(meta);
        assertThat(new Ask().call().near).containsExactly("near", "25");
    }

    private static Object horizon() {
        return server.command("HGET", PREFIX + "m", "hz");
    }

    @Test
    void timersOfAllSlicesComeInTheOrderOfTheirDueTimes() {
        Answer answer = new Ask().call();
        assertThat(answer.members).containsExactly("b", "a", "c", "d", "e", "f", "g");
        assertThat(answer.dues).containsExactly("10", "10", "10", "20", "30", "69999", "70000");
        assertThat(answer.reachedMs).isEqualTo(TO_MS);
        assertThat(answer.mark).isEmpty();
        assertThat(answer.looked).isEqualTo(7);
        assertThat(horizon()).isEqualTo("" + TO_MS);
    }

    @Test
    void pieceEndsBehindTheLastTimerThatItBrings() {
        Answer first = new Ask().most(4).call();
        assertThat(first.members).containsExactly("b", "a", "c", "d");
        assertThat(first.reachedMs).isEqualTo(20);
        assertThat(first.looked).isEqualTo(7);
        assertThat(first.mark).isEqualTo("nd");
        assertThat(horizon()).as("of the millisecond, more may come").isEqualTo("21");
        Answer next = new Ask().most(4).behind(first).call();
        assertThat(next.members).containsExactly("e", "f", "g");
        assertThat(next.reachedMs).isEqualTo(TO_MS);
    }

    @Test
    void pieceIsNoLongerWhenOneKindOfSliceIsReadToItsEnd() {
        server.command("DEL", PREFIX + "zn1");
        server.command("ZREM", PREFIX + "zn0", "d");
        Answer answer = new Ask().most(2).call();
        assertThat(answer.members).containsExactly("b", "a");
        assertThat(answer.mark).isEqualTo("fa");
    }

    @Test
    void piecesGoOnWithinAMillisecond() {
        List<String> came = new ArrayList<>();
        Answer answer = new Ask().most(1).call();
        while (answer.reachedMs < TO_MS) {
            came.addAll(answer.members);
            assertThat(came).hasSizeLessThan(MANY);
            answer = new Ask().most(1).behind(answer).call();
        }
        assertThat(came).containsExactly("b", "a", "c", "d", "e", "f", "g");
    }

    @Test
    void pieceGoesOnBehindAMemberThatIsGone() {
        Answer first = new Ask().most(2).call();
        assertThat(first.mark).isEqualTo("fa");
        server.command("ZREM", PREFIX + "zf0", "a");
        assertThat(new Ask().most(1).behind(first).call().members).containsExactly("c");
        server.command("ZADD", PREFIX + "zf0", "40", "a");
        assertThat(new Ask().behind(first).call().members).containsExactly("c", "d", "e", "a", "f", "g");
    }

    /** More than a call may look at are due at one moment, and none of them is wanted but one. */
    @Test
    void crowdOfAMillisecondIsPassedPieceByPiece() {
        List<String> crowd = new ArrayList<>(List.of("ZADD", PREFIX + "zn0"));
        for (int i = 0; i < 1_000; i++) {
            crowd.addAll(List.of("15", "\0stuck\0" + i));
        }
        crowd.addAll(List.of("15", "\0well\0z"));
        server.command(crowd.toArray(String[]::new));
        Answer answer = new Ask().looks(100).only("\0well\0").call();
        int calls = 1;
        while (answer.members.isEmpty()) {
            assertThat(answer.looked).isBetween(1L, 200L);
            assertThat(calls).isLessThan(MANY);
            answer = new Ask().looks(100).only("\0well\0").behind(answer).call();
            calls++;
        }
        assertThat(answer.members).containsExactly("\0well\0z");
        assertThat(calls).isEqualTo(11);
    }

    @Test
    void onlyTheWantedLanesAreBrought() {
        server.command("DEL", PREFIX + "zn0", PREFIX + "zn1", PREFIX + "zf0");
        server.command(
                "ZADD",
                PREFIX + "zn0",
                "1",
                "\0q\0a",
                "2",
                "\4\0\0\0\7q\0b",
                "3",
                "q\0c",
                "4",
                "\0qq\0d",
                "5",
                "\4\0\0\0\10q\0e",
                "6",
                "\0q\0f");
        assertThat(new Ask().only("\0q\0").call().members).containsExactly("\0q\0a", "\0q\0f");
        assertThat(new Ask().only("q\0", "\4\0\0\0\7q\0").call().members).containsExactly("\4\0\0\0\7q\0b", "q\0c");
        assertThat(new Ask().allBut("q\0", "\4\0\0\0\7q\0", "\0q\0").call().members)
                .containsExactly("\0qq\0d", "\4\0\0\0\10q\0e");
        server.command("ZADD", PREFIX + "zn1", "70000", "\4\0\0\1\0q\0g");
        assertThat(new Ask().only("\4\0\0\1\0q\0").call().members).containsExactly("\4\0\0\1\0q\0g");
        Answer cut = new Ask().only("\0q\0").looks(4).call();
        assertThat(cut.members).containsExactly("\0q\0a");
        assertThat(cut.mark).isEqualTo("n\0qq\0d");
        assertThat(new Ask().only("\0q\0").behind(cut).call().members).containsExactly("\0q\0f");
    }

    @Test
    void pieceKeepsToItsRange() {
        Answer answer = new Ask().from(20).to(70_000).call();
        assertThat(answer.members).containsExactly("d", "e", "f");
        assertThat(answer.reachedMs).isEqualTo(70_000);
        assertThat(horizon()).isEqualTo("70000");
        Answer earlier = new Ask().from(10).to(11).call();
        assertThat(earlier.members).containsExactly("b", "a", "c");
        assertThat(earlier.reachedMs).isEqualTo(11);
        assertThat(horizon()).as("of what was looked through before").isEqualTo("70000");
        assertThat(new Ask().from(11).to(11).call().members).isEmpty();
        assertThat(new Ask().from(11).to(11).call().touched).isEmpty();
        assertThat(new Ask().most(0).call().members).as("of a renewal").isEmpty();
    }

    @Test
    void rangeEndsBeforeTheFirstSliceThatWasNotDeclared() {
        Answer answer = new Ask().slices("n0", "f0").call();
        assertThat(answer.touched).containsExactly("f0", "n0", "n1");
        assertThat(answer.members).containsExactly("b", "a", "c", "d", "e");
        assertThat(answer.reachedMs).isEqualTo(65_536);
        assertThat(answer.mark).isEmpty();
        Answer nothing = new Ask().slices("n0", "n1").call();
        assertThat(nothing.members).isEmpty();
        assertThat(nothing.reachedMs).isZero();
    }

    /** More may follow, of which nothing is known. */
    @Test
    void rangeEndsBeforeTheLastOfThirtyTwoSlices() {
        for (int i = 0; i <= 32; i++) {
            server.command("ZADD", PREFIX + "i", "" + i * 65_536, "n" + i);
        }
        server.command("ZREM", PREFIX + "i", "f0");
        List<String> slices = new ArrayList<>();
        for (int i = 0; i <= 31; i++) {
            slices.add("n" + i);
        }
        String[] declared = slices.toArray(String[]::new);
        Answer few = new Ask().to(31 * 65_536L).slices(declared).call();
        assertThat(few.touched).hasSize(31);
        assertThat(few.reachedMs).isEqualTo(31 * 65_536L);
        Answer many = new Ask().to(33 * 65_536L).slices(declared).call();
        assertThat(many.touched).containsExactly(declared);
        assertThat(many.reachedMs).isEqualTo(31 * 65_536L);
        assertThat(new Ask()
                        .from(32 * 65_536L - 1)
                        .to(32 * 65_536L)
                        .slices(declared)
                        .call()
                        .touched)
                .containsExactly("n31");
    }

    @Test
    void farSliceOfTheBeginningIsTouched() {
        server.command("DEL", PREFIX + "i");
        server.command("ZADD", PREFIX + "i", "0", "f0", "4194304", "f1", "8388608", "f2");
        server.command("ZADD", PREFIX + "zf1", "4194304", "x", "8388607", "y");
        server.command("ZADD", PREFIX + "zf2", "8388608", "z");
        Ask ask = new Ask().from(8_388_607).to(8_388_609).slices("f1", "f2");
        Answer answer = ask.call();
        assertThat(answer.touched).containsExactly("f1", "f2");
        assertThat(answer.members).containsExactly("y", "z");
        assertThat(new Ask().from(4_194_304).to(4_194_305).slices("f1").call().touched)
                .containsExactly("f1");
        assertThat(new Ask().from(4_194_304 + 65_536).to(8_388_608).slices("f1").call().members)
                .containsExactly("y");
        assertThat(new Ask().from(4_194_303).to(4_194_304).slices("f0").call().touched)
                .containsExactly("f0");
    }

    @Test
    void sizesAreToldUnlessAllAreSmall() {
        server.command("HSET", PREFIX + "r", "q\0a", "abc", "q\0b", "abcdef");
        server.command("DEL", PREFIX + "zn0", PREFIX + "zn1", PREFIX + "zf0");
        server.command("ZADD", PREFIX + "zn0", "1", "\0q\0a");
        server.command("ZADD", PREFIX + "n", "2", "\4\0\0\0\7q\0b");
        assertThat(new Ask().call().bytes).isEmpty();
        for (String[] big : new String[][] {{"HSET", PREFIX + "m", "big", "1"}, {"HDEL", PREFIX + "m", "big"}}) {
            server.command(big);
            server.command("ZADD", PREFIX + "n", "2", "\4\0\0\0\7q\0b", "3", "q\0a", "4", "\0q\0b");
            assertThat(new Ask().call().bytes)
                    .as("of near inserts, then of the piece")
                    .containsExactly("6", "3", "6", "3");
        }
    }

    @Test
    void queuesWithNothingPendingAreTold() {
        server.command("HSET", PREFIX + "q", "pa", "1", "cb", "1", "dc", "1");
        assertThat(new Ask().queues("a", "b", "c").call().gone).containsExactly("b", "c");
    }

    /** Pieces of any size, with any filter, bring each timer of a range once and in its order, whatever goes meanwhile. */
    @Test
    void piecesAreTheWhole() {
        Random random = new Random(5);
        for (int round = 0; round < 20; round++) {
            server.command("DEL", PREFIX + "zn0", PREFIX + "zn1", PREFIX + "zf0");
            TreeSet<String> wanted = new TreeSet<>();
            for (int i = 0; i < 60; i++) {
                boolean far = random.nextInt(3) == 0;
                int due = random.nextInt(2) == 0 ? 65_530 + random.nextInt(12) : random.nextInt(90_000);
                String member = "\0q" + random.nextInt(3) + "\0" + i;
                server.command("ZADD", PREFIX + (far ? "zf0" : due < 65_536 ? "zn0" : "zn1"), "" + due, member);
                if (member.startsWith("\0q1")) {
                    wanted.add(member);
                }
            }
            List<String> came = new ArrayList<>();
            List<Long> dues = new ArrayList<>();
            Answer answer = null;
            for (int calls = 0; answer == null || answer.reachedMs < TO_MS; calls++) {
                assertThat(calls).isLessThan(MANY);
                Ask ask = new Ask().most(1 + random.nextInt(9)).looks(1 + random.nextInt(9));
                ask = random.nextBoolean() ? ask.only("\0q1\0") : ask.allBut("\0q0\0", "\0q2\0");
                answer = (answer == null ? ask : ask.behind(answer)).call();
                came.addAll(answer.members);
                answer.dues.forEach(due -> dues.add(Long.parseLong(due)));
                if (!answer.members.isEmpty()) {
                    String gone = answer.members.get(0);
                    server.command("ZREM", PREFIX + "zn0", gone);
                    server.command("ZREM", PREFIX + "zf0", gone);
                }
            }
            assertThat(came).containsExactlyInAnyOrderElementsOf(wanted);
            assertThat(dues).isSorted();
        }
    }
}
