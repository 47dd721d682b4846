package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.RedisVerification.Report;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Planted;
import io.tickwheel.store.redis.link.DirectLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RedisVerificationTest {

    private static final List<TimerState> STATES = List.of(TimerState.values());

    private static RedisServer server;
    private static DirectLink link;

    private Planted planted;
    private Planted.Timer pending;
    private Planted.Timer claimed;
    private Planted.Timer dead;
    private Planted.Timer completed;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
        link = new DirectLink(server.port());
    }

    @AfterAll
    static void stop() {
        link.close();
        server.close();
    }

    @BeforeEach
    void plant() throws Exception {
        planted = new Planted(server.port(), new Layout("test", 3));
        pending = plant("pending", TimerState.PENDING);
        claimed = plant("claimed", TimerState.CLAIMED);
        dead = plant("dead", TimerState.DEAD);
        completed = plant("completed", TimerState.COMPLETED);
        planted.count();
    }

    @AfterEach
    void disconnect() {
        planted.close();
    }

    private Planted.Timer plant(String key, TimerState state) {
        Planted.Timer timer = planted.timer("q", key, state, true, Planted.NOW_MS, 100);
        planted.plant(timer);
        return timer;
    }

    private String key(int partition, String name) {
        return Layout.text(planted.key(partition, name));
    }

    private static String field(Planted.Timer timer) {
        return timer.key().queue() + "\0" + timer.key().key();
    }

    private Report verify() throws Exception {
        planted.await();
        List<Integer> steps = new ArrayList<>();
        List<Integer> totals = new ArrayList<>();
        Report report = RedisVerification.verify(link, "test", (done, total) -> {
            steps.add(done);
            totals.add(total);
        });
        assertThat(steps)
                .as("partitions that were told to be verified")
                .isEqualTo(IntStream.rangeClosed(1, report.partitions()).boxed().toList());
        assertThat(totals).containsOnly(report.partitions());
        return report;
    }

    /** Expects just that one, of the partition of a timer. */
    private void assertFinds(Planted.Timer timer, String name, String field, String what) throws Exception {
        Report report = verify();
        assertThat(report.isSound()).isFalse();
        assertThat(report.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.partition()).hasValue(timer.partition());
            assertThat(finding.key()).isEqualTo(key(timer.partition(), name));
            assertThat(finding.field()).isEqualTo(field.replace('\0', '/'));
            assertThat(finding.what()).contains(what);
        });
    }

    private String slice(Planted.Timer timer) {
        return "z" + timer.slice();
    }

    private void redis(String... command) {
        server.command(command);
    }

    private void setRecord(Planted.Timer timer) {
        planted.send(planted.redis.hset(
                planted.key(timer.partition(), "r"), Planted.field(timer.key()), Planted.record(timer)));
    }

    private Planted.Timer with(Planted.Timer timer, TimerState state, long dueAtMs, long seq) {
        return new Planted.Timer(timer.key(), state, timer.far(), dueAtMs, seq, timer.partition(), 100);
    }

    @Test
    void whatIsSoundIsFoundSound() throws Exception {
        Random random = new Random(9);
        for (int i = 0; i < 3_000; i++) {
            TimerState state = STATES.get(random.nextInt(STATES.size()));
            planted.plant(planted.timer(
                    "q" + i % 3,
                    "größer" + i,
                    state,
                    random.nextBoolean(),
                    random.nextLong(-(1L << 45), 1L << 45) >> random.nextInt(40),
                    random.nextInt(300)));
        }
        planted.count();
        Report report = verify();
        assertThat(report.findings()).isEmpty();
        assertThat(report.isSound()).isTrue();
        assertThat(report.partitions()).isEqualTo(3);
        assertThat(report.pending()).isEqualTo(count(TimerState.PENDING));
        assertThat(report.claimed()).isEqualTo(count(TimerState.CLAIMED));
        assertThat(report.dead()).isEqualTo(count(TimerState.DEAD));
        assertThat(report.finished()).isEqualTo(3_004 - report.pending() - report.claimed() - report.dead());
        assertThat(report.slices())
                .isEqualTo(planted.timers.stream()
                        .filter(timer -> timer.state() == TimerState.PENDING)
                        .map(timer -> key(timer.partition(), slice(timer)))
                        .distinct()
                        .count());
        assertThat(report.restless()).isZero();
    }

    /** A directory of so many slices is looked at in several pieces. */
    @Test
    void whatIsSoundIsFoundSoundHoweverManySlicesThereAre() throws Exception {
        int slices = 4_100;
        for (int i = 0; i < slices; i++) {
            Planted.Timer timer = planted.timer("q", "of slice " + i, TimerState.PENDING, true, (long) i << 22, 0);
            while (timer.partition() != claimed.partition()) {
                String key = timer.key().key() + "'";
                timer = planted.timer("q", key, TimerState.PENDING, true, timer.dueAtMs(), 0);
            }
            planted.plant(timer);
        }
        planted.count();
        Report report = RedisVerification.verify(RedisAddress.single("redis://127.0.0.1:" + server.port()), "test");
        assertThat(report.findings()).isEmpty();
        assertThat(report.slices()).as("and one of another timer").isEqualTo(slices + 1);
    }

    private long count(TimerState state) {
        return planted.timers.stream().filter(timer -> timer.state() == state).count();
    }

    @Test
    void emptyNamespaceIsSound() throws Exception {
        redis("FLUSHALL");
        redis("HSET", "test:{0}:config", "format", "3", "partitions", "256");
        assertThat(verify().isSound()).isTrue();
    }

    @Test
    void namespaceThatIsNotThereIsRefused() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> RedisVerification.verify(link, "other", (done, total) -> {}))
                .withMessageContaining("other");
        redis("HSET", "test:{0}:config", "format", "4");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> RedisVerification.verify(link, "test", (done, total) -> {}))
                .withMessageContaining("'4'");
    }

    @Test
    void itGoesByTheAddressToo() {
        RedisAddress address = RedisAddress.single("redis://127.0.0.1:" + server.port());
        assertThat(RedisVerification.verify(address, "test").isSound()).isTrue();
    }

    @Test
    void pendingTimerThatIsInNoSliceIsFound() throws Exception {
        // Another one takes its place, so that nothing else is wrong than what is to be found.
        Planted.Timer other = with(pending, TimerState.PENDING, pending.dueAtMs() + (1L << 22), pending.seq());
        setRecord(other);
        redis("ZREM", key(pending.partition(), slice(pending)), pending.member());
        redis("ZREM", key(pending.partition(), "i"), pending.slice());
        redis("HSET", key(pending.partition(), "m"), "live", live(pending.partition(), -1));
        assertFinds(pending, "r", field(pending), "is PENDING, and not in " + slice(other));
    }

    private String live(int partition, int change) {
        return Long.toString(planted.timers.stream()
                        .filter(timer ->
                                timer.partition() == partition && !timer.state().isFinished())
                        .count()
                + change);
    }

    @Test
    void claimedTimerThatIsNotInFlightIsFound() throws Exception {
        redis("ZREM", key(claimed.partition(), "f"), field(claimed));
        redis("HSET", key(claimed.partition(), "m"), "live", live(claimed.partition(), -1));
        assertFinds(claimed, "r", field(claimed), "is CLAIMED, and not in f");
    }

    @Test
    void deadTimerThatIsNoDeadLetterIsFound() throws Exception {
        redis("ZREM", key(dead.partition(), "x"), field(dead));
        assertFinds(dead, "r", field(dead), "is DEAD, and not in x");
    }

    @Test
    void finishedTimerThatIsNotRememberedIsFound() throws Exception {
        redis("ZREM", key(completed.partition(), "e"), field(completed));
        assertFinds(completed, "r", field(completed), "is COMPLETED, and not in e");
    }

    @Test
    void wrongScoresAreFound() throws Exception {
        redis("ZADD", key(pending.partition(), slice(pending)), "17", pending.member());
        assertFinds(pending, slice(pending), field(pending), "has the score 17, must have " + Planted.NOW_MS);
        plantAgain();
        redis("ZADD", key(dead.partition(), "x"), "17", field(dead));
        assertFinds(dead, "x", field(dead), "has the score 17");
        plantAgain();
        redis("ZADD", key(pending.partition(), "i"), "17", pending.slice());
        assertFinds(pending, "i", pending.slice(), "has the score 17");
    }

    private void plantAgain() throws Exception {
        planted.close();
        plant();
    }

    @Test
    void membersWithoutRecordAreFound() throws Exception {
        for (String set : List.of(slice(pending), "f", "x", "e")) {
            plantAgain();
            String field = "q\0ghost";
            redis("ZADD", key(pending.partition(), set), "1", field);
            boolean live = set.equals("f") || set.startsWith("z");
            redis("HSET", key(pending.partition(), "m"), "live", live(pending.partition(), live ? 1 : 0));
            assertFinds(pending, set, field, "has no record");
        }
    }

    @Test
    void timerInTwoPlacesIsFound() throws Exception {
        redis("ZADD", key(pending.partition(), "x"), "1", field(pending));
        assertFinds(pending, "x", field(pending), "is PENDING, must be in " + slice(pending));
    }

    @Test
    void memberOfAnotherRouteThanItsRecordIsFound() throws Exception {
        redis("ZADD", key(pending.partition(), slice(pending)), "" + pending.dueAtMs(), "\0" + field(pending));
        redis("HSET", key(pending.partition(), "m"), "live", live(pending.partition(), 1));
        assertFinds(pending, slice(pending), field(pending), "has the route 0, must have -1");
    }

    @Test
    void sliceThatTheDirectoryDoesNotNameIsFound() throws Exception {
        redis("ZREM", key(pending.partition(), "i"), pending.slice());
        assertFinds(pending, slice(pending), "", "is not in the directory");
    }

    @Test
    void sliceThatIsNotThereIsFound() throws Exception {
        redis("ZADD", key(1, "i"), "0", "n0");
        Report report = verify();
        assertThat(report.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.field()).isEqualTo("n0");
            assertThat(finding.what()).isEqualTo("is a slice that is not there");
        });
    }

    @Test
    void wrongCountsAreFound() throws Exception {
        redis("HSET", key(pending.partition(), "m"), "live", "77");
        assertFinds(pending, "m", "live", "is 77, must be " + live(pending.partition(), 0));
        plantAgain();
        redis("HSET", key(pending.partition(), "q"), "pq", "5");
        assertFinds(pending, "q", "pq", "is 5, must be 1");
        plantAgain();
        redis("HSET", key(pending.partition(), "q"), "dnobody", "2");
        assertFinds(pending, "q", "dnobody", "is 2, must be not there");
        plantAgain();
        redis("HDEL", key(claimed.partition(), "q"), "cq");
        assertFinds(claimed, "q", "cq", "is not there, must be 1");
    }

    @Test
    void seqBehindTheLastOneIsFound() throws Exception {
        long seq = pending.seq() * 2;
        setRecord(with(pending, TimerState.PENDING, pending.dueAtMs(), seq));
        assertFinds(pending, "r", field(pending), "has the seq " + seq);
    }

    @Test
    void whatIsNoRecordIsFound() throws Exception {
        redis("HSET", key(completed.partition(), "r"), field(completed), "abc");
        assertFinds(completed, "r", field(completed), "is no record");
    }

    @Test
    void recordOfAnotherPartitionIsFound() throws Exception {
        int wrong = (completed.partition() + 1) % 3;
        Planted.Timer moved =
                new Planted.Timer(completed.key(), TimerState.COMPLETED, true, Planted.NOW_MS, 1, wrong, 0);
        redis("HDEL", key(completed.partition(), "r"), field(completed));
        redis("ZREM", key(completed.partition(), "e"), field(completed));
        redis("HSETNX", key(wrong, "m"), "seq", "1");
        planted.plant(moved);
        assertFinds(moved, "r", field(completed), "is of another partition");
    }

    @Test
    void keysOfNoLayoutAreFound() throws Exception {
        for (String key : List.of(
                "test:{unknown}:r",
                "test:{unknown}:config",
                "test:{0}:configs",
                key(1, "nodes"),
                key(1, "y"),
                key(1, "zq7"),
                "test:loose")) {
            plantAgain();
            redis("SET", key, "1");
            redis("SET", "tester:{unknown}:r", "of somebody else");
            assertThat(verify().findings()).singleElement().satisfies(finding -> {
                assertThat(finding.key()).isEqualTo(key);
                assertThat(finding.what()).isEqualTo("is no key of the layout");
            });
        }
    }

    @Test
    void nearInsertsOfNoUseAreOnlyCounted() throws Exception {
        redis("HSET", key(pending.partition(), "m"), "hz", Long.toString(Planted.NOW_MS + 1));
        redis("ZADD", key(pending.partition(), "n"), Long.toString(Planted.NOW_MS), field(pending));
        redis("ZADD", key(pending.partition(), "n"), "1", "q\0gone");
        assertThat(verify().nearInserts()).isEqualTo(2);
        assertThat(verify().idleNearInserts()).isZero();
        redis("ZADD", key(dead.partition(), "n"), "1", field(dead));
        redis("HSET", key(pending.partition(), "m"), "hz", Long.toString(Planted.NOW_MS));
        assertThat(verify().idleNearInserts()).isEqualTo(2);
        assertThat(verify().isSound()).isTrue();
    }

    @Test
    void findingsAreBounded() throws Exception {
        for (int i = 0; i < 1_203; i++) {
            planted.send(planted.redis.zadd(planted.key(0, "x"), 1, Planted.bytes("q\0ghost" + i)));
        }
        Report report = verify();
        assertThat(report.findings()).hasSize(1_000);
        assertThat(report.moreFindings()).isEqualTo(203);
    }
}
