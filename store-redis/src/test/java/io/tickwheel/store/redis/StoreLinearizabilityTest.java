package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.TcpProxy;
import io.tickwheel.store.Durability;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.link.DirectLink;
import io.tickwheel.store.redis.link.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Histories of single keys while two nodes have commands on them and lose calls and replies. */
final class StoreLinearizabilityTest {

    private static final int HISTORIES = Integer.getInteger("tickwheel.histories", 1_500);
    private static final int KEYS = 20;

    /** More than a node has calls under way, so that some share one. */
    private static final int PARTITIONS = 12;

    private static final int[] FAULT_PERCENTS = {0, 10, 30, 60};

    /** Of the nodes' clock; more than a turn takes, so that commands are given up, too. */
    private static final long TURN_NANOS = 20_000_000;

    /** Between turns, for what runs in other threads and processes. */
    private static final long PACE_NANOS = 100_000;

    private static RedisServer server;

    private final long seed = Long.getLong("tickwheel.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<FaultyLink> links = new ArrayList<>();

    /** Commands of two levels do not go in one call; nobody waits for replicas here. */
    private List<Durability> levels = List.of(Durability.MEMORY, Durability.MEMORY, Durability.replicated(1));

    private Runnable pace = () -> {};
    private long nowNanos;
    private long turnNanos;
    private long operations;
    private long faults;
    private long unknown;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.command("FLUSHALL");
    }

    private static RedisAddress address(int port) {
        return RedisAddress.single("redis://127.0.0.1:" + port);
    }

    private static DrivenNode open(String name, int port, UnaryOperator<Link> decorator, LongSupplier monoNanos) {
        RedisOptions options = RedisOptions.defaults(address(port))
                .withPartitions(PARTITIONS)
                .withNode(name)
                .withTimeout(Duration.ofSeconds(5))
                .withLease(Duration.ofMinutes(1));
        return new DrivenNode(options, DrivenNode.roomFor(1_024), Set.of(), decorator, monoNanos);
    }

    /** A node whose calls are carried out when it turns, and whose clock goes on as it looks at it. */
    private DrivenNode openFaulty(String name, UnaryOperator<String> change) {
        return open(
                name,
                server.port(),
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

    /** Plays scenes until a history is not linearizable, or a script ends with an error, or there are as many as wanted. */
    private Optional<String> play(int histories, List<DrivenNode> nodes, Runnable disturbance, Runnable calm) {
        for (int played = 0; played < histories; played += KEYS) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                keys.add("k" + (played + i));
            }
            int percent = FAULT_PERCENTS[random.nextInt(FAULT_PERCENTS.length)];
            links.forEach(link -> link.faultPercent = percent);
            RaceScene scene = new RaceScene(random.split(), nodes, keys, levels, disturbance, pace);
            Map<TimerKey, LinearHistory<KeyModel>> all = scene.play(calm);
            unknown += scene.unknown;
            Optional<FaultyLink> failed =
                    links.stream().filter(link -> !link.error.isEmpty()).findFirst();
            if (failed.isPresent()) {
                return Optional.of("seed " + seed + ", a script ended with an error: " + failed.get().error);
            }
            for (Map.Entry<TimerKey, LinearHistory<KeyModel>> each : all.entrySet()) {
                operations += each.getValue().size();
                if (!each.getValue().isLinearizable(KeyModel.NOTHING)) {
                    return Optional.of("seed " + seed + ", " + each.getKey() + "\n" + each.getValue());
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> playFaulty(int histories, UnaryOperator<String> change) {
        try (DrivenNode one = openFaulty("one", change);
                DrivenNode two = openFaulty("two", change)) {
            turnNanos = TURN_NANOS;
            return play(histories, List.of(one, two), () -> links.forEach(FaultyLink::sendLate), this::calm);
        }
    }

    private void calm() {
        links.forEach(link -> link.faultPercent = 0);
        links.forEach(FaultyLink::sendAllLate);
    }

    private void conclude(int histories) {
        System.out.println("Linearizable: " + histories + " histories of " + operations + " operations, " + faults
                + " faults, " + unknown + " unknown outcomes");
        assertThat(RedisVerification.verify(
                                address(server.port()),
                                RedisOptions.defaults(address(server.port())).namespace())
                        .findings())
                .isEmpty();
    }

    @Test
    void everyHistoryIsLinearizable() {
        assertThat(playFaulty(HISTORIES, source -> source)).isEmpty();
        faults = links.stream().mapToLong(link -> link.faults).sum();
        assertThat(unknown).isPositive();
        conclude(HISTORIES);
    }

    /** Real connections: requests are carried out, their replies are swallowed, and the connection is cut. */
    @Test
    void everyHistoryIsLinearizableWhileConnectionsAreCut() {
        int histories = HISTORIES / 6;
        try (TcpProxy first = TcpProxy.to(server.port());
                TcpProxy second = TcpProxy.to(server.port());
                DrivenNode one = open("one", first.port(), link -> link, System::nanoTime);
                DrivenNode two = open("two", second.port(), link -> link, System::nanoTime)) {
            List<Cutter> cutters = List.of(new Cutter(first), new Cutter(second));
            levels = List.of(Durability.MEMORY);
            pace = () -> LockSupport.parkNanos(PACE_NANOS);
            Runnable disturbance = () -> cutters.get(random.nextInt(2)).disturb();
            assertThat(play(histories, List.of(one, two), disturbance, () -> cutters.forEach(Cutter::calm)))
                    .isEmpty();
        }
        assertThat(faults).isPositive();
        conclude(histories);
    }

    /** Cuts connections behind requests whose replies it has swallowed. */
    private final class Cutter {

        /** The node is connected again when so much has passed: each connection begins with what INFO says. */
        private static final long BYTES_OF_CONNECTIONS = 15_000;

        private final TcpProxy proxy;
        private boolean swallows;
        private long before;

        Cutter(TcpProxy proxy) {
            this.proxy = proxy;
        }

        void disturb() {
            if (!swallows && proxy.bytesToClient() > before + BYTES_OF_CONNECTIONS) {
                swallows = true;
                before = proxy.bytesSwallowed();
                proxy.swallowReplies();
            } else if (swallows && proxy.bytesSwallowed() > before) {
                calm();
                faults++;
            }
        }

        void calm() {
            if (swallows) {
                swallows = false;
                proxy.cut();
                before = proxy.bytesToClient();
            }
        }
    }

    /** Without them the tests above say nothing. */
    @Tag("full")
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            remembered answers are ignored     | if ARGV[7] == '1' then                          | if false then
            a late call is carried out         | if last ~= '' and tonumber(last) >= tonumber(ARGV[6]) then | if false then
            a claimed timer is cancelled       | (t.state == CANCELLED and 'C' or t.state == ENDING and 'W' or 'L') | 'C'
            a last attempt is followed by another | elseif t.state == ENDING then             | elseif false then
            a last attempt that failed counts  | elseif stood == ENDING and state ~= COMPLETED   | elseif false
            a postponed attempt counts         | if kind ~= 'T' and kind ~= 'R' then             | if kind ~= 'T' and kind ~= 'P' and kind ~= 'R' then
            KEEP replaces                      | (rule == 1 or rule == 2                         | (rule == 2
            EARLIEST replaces on a tie         | rule == 3 and first <= due                      | rule == 3 and first < due
            versions do not rise               | t and t.version + 1 or 1                        | t and t.version or 1
            a moved timer is claimed           | if unpackFrom('>i8', record, 6) ~= due or due > now then | if due > now then
            a claim is not known again         | if not isOwner then                             | if not isOwner or state == CLAIMED then
            an expected id is not minded       | sub(record, 14, 20) ~= sub(bytes, at, at + 6)   | false
            a change is carried out again      | (kind == 'C' or kind == 'E' or                  | (kind == 'C' or
            a redrive keeps the attempts       | t.state, t.attempts = PENDING, 0                | t.state = PENDING
            a reschedule keeps the due time before attempts | t.extra = retagged(t.extra, FIRST_DUE) | t.far = t.far
            a purge leaves the record          | call('HDEL', r, unpack(purged))                 | call('HLEN', r)
            a retry is not remembered          | t.extra = remember(t.extra, sub(bytes, at + 17)) | t.far = t.far
            nobody hears of the dead           | or state == DEAD and 4) or 0                    | or false) or 0
            a cancelled plan comes again       | elseif t.state ~= CLAIMED then                  | elseif false then
            a plan that comes again was tried  | t.state, t.attempts, t.far, t.due = PENDING, 0, | t.state, t.far, t.due = PENDING,
            a plan comes again with what it had | sub(bytes, contentAt, contentAt + length - 1)  | sub(record, t.content)
            a run that is claimed is replaced  | local makes = run and stood ~= 1 and stood ~= 2 | local makes = run and stood ~= 1
            a spawn is carried out again       | (kind == 'C' or kind == 'E' or kind == 'N') and at | (kind == 'C' or kind == 'E') and at
            a claim given back was an attempt  | t.attempts = t.attempts - 1                     | t.attempts = t.attempts
            """)
    void plantedBugIsFound(String name, String right, String wrong) {
        Optional<String> found = playFaulty(4 * HISTORIES, source -> {
            assertThat(source.split(Pattern.quote(right), -1)).as(right).hasSize(2);
            return source.replace(right, wrong);
        });
        assertThat(found).as(name).isPresent();
        System.out.println("Found after " + operations + " operations: " + name);
    }
}
