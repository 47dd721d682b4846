package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
    private static final int LEASES = 8;

    private static SimulatedRedis redis;

    @BeforeAll
    static void start() {
        redis = new SimulatedRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private final HealthyWorld healthy = new HealthyWorld(redis, PARTITIONS, LEASE, this::note);

    /** When the lease of each slot was renewed last, and by which node. */
    private final Map<Integer, Long> renewedNanos = new HashMap<>();

    private final Map<Integer, String> owners = new HashMap<>();

    private void note(SimulatedCall call) {
        if (call.call.script != null && call.call.script.name().equals("tend")) {
            renewedNanos.put(call.call.slot, healthy.world.nowNanos());
            owners.put(call.call.slot, call.link.node);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void everyLeaseIsRenewedBeforeHalfOfItIsOver(int schedulesAStep) {
        SimulatedNode node = healthy.open("n1");
        Duration step = HealthyWorld.step(LEASE);
        int scheduled = 0;
        for (Duration time = Duration.ZERO; time.compareTo(LEASE.multipliedBy(LEASES)) < 0; time = time.plus(step)) {
            for (int i = 0; i < schedulesAStep; i++) {
                // More than there is room for, and of one key again and again: what is replaced is loaded anew.
                TimerKey key = new TimerKey("q", "k" + scheduled++ % 40);
                node.schedule(key, healthy.nowMs() + 200, OnConflict.REPLACE, Durability.MEMORY, null);
            }
            healthy.pass(step, node);
            renewedNanos.forEach((slot, nanos) -> assertThat(healthy.world.nowNanos() - nanos)
                    .as("nanoseconds since the lease of slot %s was renewed", slot)
                    .isLessThan(LEASE.toNanos() / 2));
        }
        assertThat(renewedNanos).hasSize(PARTITIONS);
    }

    /** Its partition is another node's by then, which would have to take it for dead. */
    @Test
    void attemptThatTakesLongKeepsItsClaimThoughItsPartitionGoesToAnotherNode() {
        SimulatedNode first = healthy.open("n1");
        first.holdsAttempts = true;
        for (int i = 0; i < 8; i++) {
            first.schedule(new TimerKey("q", "k" + i), healthy.nowMs(), OnConflict.REPLACE, Durability.MEMORY, null);
        }
        healthy.pass(LEASE, first);
        assertThat(healthy.world.ledger.grants()).isEqualTo(8);
        SimulatedNode second = healthy.open("n2");
        healthy.pass(LEASE.multipliedBy(10), first, second);
        assertThat(owners).containsValue("n2");
        assertThat(healthy.world.ledger.grants()).as("attempts").isEqualTo(8);
    }
}
