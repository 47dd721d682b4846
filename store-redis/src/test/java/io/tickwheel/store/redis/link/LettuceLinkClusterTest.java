package io.tickwheel.store.redis.link;

import static io.tickwheel.store.redis.link.Loop.push;
import static io.tickwheel.store.redis.link.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.SlotMigration;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.link.Loop.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LettuceLinkClusterTest {

    private static final Durability MEMORY = Durability.MEMORY;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Of two keys. */
    private static final Script BOTH =
            Loop.script("both", "return {redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])}");

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.builder()
                .masters(3)
                .replicasPerMaster(1)
                .nodeTimeout(Duration.ofSeconds(1))
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Loop open() {
        return open(Loop.PATIENT);
    }

    private static Loop open(Duration timeout) {
        String[] uris = cluster.nodes().stream()
                .map(node -> "redis://127.0.0.1:" + node.port())
                .toArray(String[]::new);
        return Loop.open(RedisAddress.cluster(uris), timeout, Loop.PATIENT);
    }

    private static int slot(String key) {
        return cluster.slotOf(key);
    }

    private static RedisServer otherMaster(RedisServer master) {
        return cluster.nodes().stream()
                .filter(each -> each != master && cluster.isMaster(each))
                .findFirst()
                .orElseThrow();
    }

    /** Slots and masters move in other tests: all nodes must agree on where they are. */
    @BeforeEach
    void awaitAgreement() {
        cluster.awaitOk(LIMIT);
    }

    @Test
    void callsGoToTheMasterOfTheirSlot() {
        try (Loop loop = open()) {
            assertThat(loop.link.isCluster()).isTrue();
            List<Kept> sent = new ArrayList<>();
            Set<Long> connections = new HashSet<>();
            for (int i = 0; i < 200; i++) {
                Durability level = i % 2 == 0 ? MEMORY : Durability.replicated(1);
                sent.add(loop.send(push(slot("a" + i), "a" + i, "x", level)));
            }
            loop.link.flush();
            loop.until(loop.link::isQuiet);
            assertThat(sent).allMatch(each -> each.is(DONE));
            sent.forEach(each -> connections.add(each.reply.connection()));
            assertThat(connections).hasSize(6);
        }
    }

    @Test
    void slotThatHasMovedIsFollowedInOrder() {
        String key = "{moved}";
        int slot = slot(key);
        RedisServer from = cluster.masterOf(slot);
        try (Loop loop = open()) {
            Reply before = loop.call(push(slot, key, "0", MEMORY));
            cluster.migrateSlot(slot, from, otherMaster(from));
            List<Kept> sent = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                sent.add(loop.send(push(slot, key, "" + i, MEMORY)));
                if (i == 50) {
                    loop.link.flush();
                    loop.link.deliver(100);
                }
            }
            loop.link.flush();
            loop.until(loop.link::isQuiet);

            for (int i = 0; i < 100; i++) {
                assertThat(sent.get(i).reply.outcome()).isEqualTo(DONE);
                assertThat(sent.get(i).reply.value()).isEqualTo(i + 2L);
                assertThat(sent.get(i).reply.connection()).isNotEqualTo(before.connection());
            }
        }
    }

    @Test
    void slotOnItsWayIsAskedForAtItsTarget() {
        String key = "{way}1";
        String other = "{way}2";
        int slot = slot(key);
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = otherMaster(from);
        try (Loop loop = open()) {
            assertThat(loop.call(push(slot, key, "0", MEMORY)).outcome()).isEqualTo(DONE);
            SlotMigration migration = cluster.beginMigration(slot, from, to);
            migration.moveKeys(1);
            // Neither of these is at the source: the first is at the target, and new ones are made there.
            assertThat(loop.call(push(slot, key, "1", MEMORY)).value()).isEqualTo(2L);
            assertThat(loop.call(push(slot, key, "2", Durability.replicated(1))).value())
                    .isEqualTo(3L);
            List<Kept> sent = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                sent.add(loop.send(push(slot, key, "more", MEMORY)));
            }
            loop.link.flush();
            loop.until(loop.link::isQuiet);
            assertThat(sent).allMatch(each -> each.is(DONE));
            assertThat(sent.get(49).reply.value()).isEqualTo(53L);

            // One key here and one not there.
            Reply half = loop.call(new Kept(slot, BOTH, List.of(key, other)));
            assertThat(half.outcome()).isEqualTo(UNAVAILABLE);
            assertThat(half.reason()).startsWith("TRYAGAIN");

            migration.endMigration();
            assertThat(loop.call(push(slot, key, "3", MEMORY)).value()).isEqualTo(54L);
        }
    }

    @Test
    void orderIsKeptWhileASlotMovesToAndFro() {
        int slot = slot("{fro}");
        List<Kept> answered = new ArrayList<>();
        int[] number = new int[1];
        try (Loop loop = open()) {
            Runnable turn = () -> {
                for (int i = 0; i < 30; i++) {
                    Durability level = number[0] % 3 == 0 ? Durability.replicated(1) : MEMORY;
                    String key = "{fro}" + number[0] % 7 + (level.equals(MEMORY) ? "" : "durable");
                    loop.send(new Kept(slot, Loop.PUSH, key, "" + number[0]++, level, answered));
                }
                loop.link.flush();
                loop.link.deliver(20);
            };
            RedisServer owner = cluster.masterOf(slot);
            for (int round = 0; round < 6; round++) {
                turn.run();
                RedisServer next = otherMaster(owner);
                SlotMigration migration = cluster.beginMigration(slot, owner, next);
                do {
                    turn.run();
                } while (migration.moveKeys(3) > 0 && round % 2 == 0);
                while (migration.moveKeys(100) > 0) {
                    turn.run();
                }
                migration.endMigration();
                owner = next;
                turn.run();
                loop.until(() -> answered.size() > number[0] - 60);
            }
            loop.until(loop.link::isQuiet);

            Set<String> done = new HashSet<>();
            answered.stream().filter(each -> each.is(DONE)).forEach(each -> done.add(each.argument()));
            Set<String> found = new HashSet<>();
            for (Object key : (List<?>) owner.command("CLUSTER", "GETKEYSINSLOT", "" + slot, "100")) {
                List<Integer> numbers = new ArrayList<>();
                for (Object each : (List<?>) owner.command("LRANGE", "" + key, "0", "-1")) {
                    numbers.add(Integer.valueOf("" + each));
                    assertThat(found.add("" + each)).isTrue();
                }
                assertThat(numbers).isSorted();
            }
            assertThat(answered).hasSize(number[0]).allMatch(each -> each.is(DONE) || each.is(UNAVAILABLE));
            assertThat(found)
                    .as("executed, and said not to be")
                    .filteredOn(each -> !done.contains(each))
                    .isEmpty();
            assertThat(done)
                    .as("said to be executed, and gone")
                    .filteredOn(each -> !found.contains(each))
                    .isEmpty();
        }
    }

    @Test
    void masterThatHasDiedIsReplacedByItsReplica() {
        String key = "{died}";
        int slot = slot(key);
        RedisServer old = cluster.masterOf(slot);
        try (Loop loop = open()) {
            Reply before = loop.call(push(slot, key, "a", Durability.replicated(1)));
            assertThat(before.outcome()).isEqualTo(DONE);
            old.kill();
            cluster.awaitMasterChange(slot, old, LIMIT);
            Reply after = loop.untilDone(() -> push(slot, key, "b", MEMORY));
            assertThat(after.value()).isEqualTo(2L);
            assertThat(after.connection()).isGreaterThan(before.connection());
        } finally {
            old.restart();
            cluster.awaitOk(LIMIT);
        }
    }

    /** What a master acknowledged that was not one any more is gone, and must not have been said to be durable. */
    @Test
    void nothingThatWasDurableIsMissingAfterAStaleMasterCameBack() {
        String key = "{stale}";
        int slot = slot(key);
        RedisServer old = cluster.masterOf(slot);
        // It outlasts the failover, so that what is on its way is executed by the stale master.
        try (Loop loop = open(LIMIT)) {
            List<Kept> answered = new ArrayList<>();
            int[] number = new int[1];
            Runnable some = () -> {
                for (int i = 0; i < 20; i++) {
                    loop.send(new Kept(slot, Loop.PUSH, key, "" + number[0]++, Durability.replicated(1), answered));
                }
                loop.link.flush();
            };
            some.run();
            loop.until(() -> answered.size() == 20);
            assertThat(answered).allMatch(each -> each.is(DONE));

            old.pause();
            some.run();
            cluster.awaitMasterChange(slot, old, LIMIT);
            some.run();
            old.resume();
            some.run();
            loop.untilDone(() -> {
                some.run();
                return push(slot, key, "last", Durability.replicated(1));
            });
            loop.until(loop.link::isQuiet);
            cluster.awaitOk(LIMIT);

            Set<Object> kept = new HashSet<>((List<?>) cluster.masterOf(slot).command("LRANGE", key, "0", "-1"));
            assertThat(answered)
                    .filteredOn(each -> each.is(DONE))
                    .extracting(Kept::argument)
                    .allMatch(kept::contains);
            assertThat(kept).contains("last");
        }
    }
}
