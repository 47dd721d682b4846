package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerKey;
import io.tickwheel.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of single keys while two nodes have commands on them and lose calls and replies. */
final class StoreLinearizabilityTest {

    private static final int HISTORIES = Integer.getInteger("tickwheel.histories", 4_000);
    private static final int KEYS = 20;
    private static final int PARTITIONS = 12;
    private static final int[] FAULT_PERCENTS = {0, 10, 30, 60};

    /** Of the nodes' clock, when all are open; more than a turn takes, so that commands are given up, too. */
    private static final long TURN_NANOS = 10_000_000;

    private static RedisServer server;

    private final long seed = Long.getLong("tickwheel.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<FaultyLink> links = new ArrayList<>();
    private long nowNanos;
    private long turnNanos;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    private DrivenNode open(String name, UnaryOperator<String> change) {
        RedisOptions options = RedisOptions.defaults(address())
                .withPartitions(PARTITIONS)
                .withNode(name)
                .withTimeout(Duration.ofSeconds(5))
                .withLease(Duration.ofMinutes(1));
        return new DrivenNode(
                options,
                DrivenNode.roomFor(1_024),
                Set.of(),
                lettuce -> {
                    lettuce.close();
                    DirectLink direct = new DirectLink(server.port());
                    direct.crossesSlots = true;
                    FaultyLink link = new FaultyLink(direct, random.split(), change);
                    links.add(link);
                    return link;
                },
                () -> nowNanos += turnNanos);
    }

    /** Plays scenes until a history is not linearizable, or there are as many as wanted. */
    private Optional<String> play(int histories, UnaryOperator<String> change) {
        server.command("FLUSHALL");
        try (DrivenNode one = open("one", change);
                DrivenNode two = open("two", change)) {
            turnNanos = TURN_NANOS;
            int operations = 0;
            for (int played = 0; played < histories; played += KEYS) {
                List<String> keys = new ArrayList<>();
                for (int i = 0; i < KEYS; i++) {
                    keys.add("k" + (played + i));
                }
                int percent = FAULT_PERCENTS[random.nextInt(FAULT_PERCENTS.length)];
                links.forEach(link -> link.faultPercent = percent);
                RaceScene scene = new RaceScene(
                        random.split(), List.of(one, two), keys, () -> links.forEach(FaultyLink::sendLate));
                Map<TimerKey, LinearHistory<KeyModel>> all = scene.play(this::calm);
                for (Map.Entry<TimerKey, LinearHistory<KeyModel>> each : all.entrySet()) {
                    operations += each.getValue().size();
                    if (!each.getValue().isLinearizable(KeyModel.NOTHING)) {
                        return Optional.of("seed " + seed + ", " + each.getKey() + "\n" + each.getValue());
                    }
                }
            }
            int faults = links.stream().mapToInt(link -> link.faults).sum();
            System.out.println(histories + " histories of " + operations + " operations, " + faults + " faults");
            return Optional.empty();
        }
    }

    private void calm() {
        links.forEach(link -> link.faultPercent = 0);
        links.forEach(FaultyLink::sendAllLate);
    }

    @Test
    void everyHistoryIsLinearizable() {
        assertThat(play(HISTORIES, source -> source)).isEmpty();
        assertThat(RedisVerification.verify(
                                address(), RedisOptions.defaults(address()).namespace())
                        .findings())
                .isEmpty();
    }

    /** Without them the test above says nothing. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            remembered answers are ignored | if ARGV[7] == '1' then | if false then
            a late call is carried out | if last ~= '' and tonumber(last) >= tonumber(ARGV[6]) then | if false then
            """)
    void plantedBugIsFound(String name, String right, String wrong) {
        UnaryOperator<String> change = source -> {
            assertThat(source.split(java.util.regex.Pattern.quote(right), -1))
                    .as(right)
                    .hasSize(2);
            return source.replace(right, wrong);
        };
        assertThat(play(HISTORIES, change)).as(name).isPresent();
    }
}
