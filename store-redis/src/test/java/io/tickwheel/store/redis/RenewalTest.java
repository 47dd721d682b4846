package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The leases of a node that is well never come near their end: each is renewed, for its whole time, before half of that is over. With
 * nothing to do, and with more timers than there is room for.
 */
final class RenewalTest {

    private static final int PARTITIONS = 3;
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int STEPS_A_LEASE = 60;
    private static final int LEASES = 20;

    private static SimulatedRedis redis;

    @BeforeAll
    static void start() {
        redis = new SimulatedRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private final RedisOptions options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:1"))
            .withNamespace("renewals")
            .withPartitions(PARTITIONS)
            .withLease(LEASE)
            .withTimeout(LEASE)
            .withDurability(Durability.MEMORY);
    private final RedisWorld world = new RedisWorld(redis, RedisBug.NONE, new SplittableRandom(7), options, false);
    private final Map<Integer, Long> renewedNanos = new HashMap<>();

    /** Which node has renewed the lease of a slot last. */
    private final Map<Integer, String> tended = new HashMap<>();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void everyLeaseIsRenewedBeforeHalfOfItIsOver(int schedulesAStep) {
        world.isHealed = true;
        world.masters.forEach(each -> each.replicated = each.journalSize());
        SimulatedNode node = new SimulatedNode(world, "n1", options);
        int scheduled = 0;
        for (int step = 0; step < LEASES * STEPS_A_LEASE; step++) {
            for (int i = 0; i < schedulesAStep; i++) {
                long nowMs = world.masters.get(0).micros(world.nowNanos()) / 1_000;
                // More than there is room for, and of one key again and again: what is replaced is loaded anew.
                TimerKey key = new TimerKey("q", "k" + scheduled++ % 40);
                node.schedule(key, nowMs + 200, OnConflict.REPLACE, Durability.MEMORY);
            }
            settle(node);
            world.advance(LEASE.toNanos() / STEPS_A_LEASE);
            renewedNanos.forEach((slot, nanos) -> assertThat(world.nowNanos() - nanos)
                    .as("nanoseconds since the lease of slot %s was renewed", slot)
                    .isLessThan(LEASE.toNanos() / 2));
        }
        assertThat(renewedNanos).hasSize(PARTITIONS);
    }

    /** Its partition is another node's by then, which would have to take it for dead. */
    @Test
    void attemptThatTakesLongKeepsItsClaimThoughItsPartitionGoesToAnotherNode() {
        world.isHealed = true;
        world.masters.forEach(each -> each.replicated = each.journalSize());
        SimulatedNode first = new SimulatedNode(world, "n1", options);
        first.holdsAttempts = true;
        long nowMs = world.masters.get(0).micros(world.nowNanos()) / 1_000;
        for (int i = 0; i < 8; i++) {
            first.schedule(new TimerKey("q", "k" + i), nowMs, OnConflict.REPLACE, Durability.MEMORY);
        }
        pass(LEASE, first);
        assertThat(world.ledger.grants()).isEqualTo(8);
        SimulatedNode second = new SimulatedNode(world, "n2", options);
        pass(LEASE.multipliedBy(10), first, second);
        assertThat(owners()).as("owners of partitions").contains("n2");
        assertThat(world.ledger.grants()).as("attempts").isEqualTo(8);
    }

    private void pass(Duration time, SimulatedNode... nodes) {
        long stepNanos = LEASE.toNanos() / STEPS_A_LEASE;
        for (long nanos = 0; nanos < time.toNanos(); nanos += stepNanos) {
            settle(nodes);
            world.advance(stepNanos);
        }
    }

    private Set<String> owners() {
        Set<String> owners = new TreeSet<>();
        tended.forEach((slot, node) -> owners.add(node));
        return owners;
    }

    /** Lets the server carry out what it was asked, and the nodes take the answers, until there is nothing more. */
    private void settle(SimulatedNode... nodes) {
        boolean hasMore = true;
        while (hasMore) {
            hasMore = false;
            for (SimulatedNode node : nodes) {
                node.turn();
                List<SimulatedCall> calls = node.link.executable();
                calls.forEach(node.link::taken);
                world.execute(calls);
                calls.forEach(this::note);
                List<SimulatedCall> answers = node.link.arrivable();
                answers.forEach(node.link::arrive);
                hasMore |= !calls.isEmpty() || !answers.isEmpty();
            }
        }
    }

    private void note(SimulatedCall call) {
        if (call.call.script != null && call.call.script.name().equals("tend")) {
            renewedNanos.put(call.call.slot, world.nowNanos());
            tended.put(call.call.slot, call.link.node);
        }
    }
}
