package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LeaseTest {

    private static final long LEASE_NANOS = 1_000;
    private static final long CONNECTION = 3;

    private int losses;
    private final Lease lease = new Lease(0, () -> losses++);

    @Test
    void whatIsToBeGivenBackIsHeldAndNotOwned() {
        lease.begin("7", false, 0);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.isOwned()).isFalse();
        assertThat(lease.isLeaving()).isTrue();
        lease.begin("8", true, 0);
        assertThat(lease.isOwned()).isTrue();
        assertThat(lease.isLeaving()).isFalse();
        assertThat(lease.epoch()).isEqualTo("8");
    }

    @Test
    void whoLosesItIsToldOnce() {
        lease.lose("it had none");
        assertThat(losses).isZero();
        lease.begin("7", true, 0);
        lease.count(12);
        assertThat(lease.live()).isEqualTo(12);
        lease.lose("another has it");
        lease.lose("another has it");
        assertThat(losses).isOne();
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.epoch()).isEmpty();
        assertThat(lease.live()).as("of others").isZero();
    }

    /** Else a promoted replica that has not heard of a partition yet would pass for a namespace that was wiped out. */
    @Test
    void otherServerOfAClusterMustHaveHadItOnlyWhenItWasOwnedForLong() {
        lease.begin("7", true, 0);
        lease.renewed(CONNECTION, 5 * LEASE_NANOS);
        assertThat(lease.wasThere(CONNECTION, false, LEASE_NANOS)).isTrue();
        assertThat(lease.wasThere(CONNECTION + 1, false, LEASE_NANOS)).isFalse();
        assertThat(lease.wasThere(CONNECTION + 1, true, LEASE_NANOS)).isFalse();
        lease.renewed(CONNECTION, 5 * LEASE_NANOS + 1);
        assertThat(lease.wasThere(CONNECTION + 1, true, LEASE_NANOS)).isTrue();
        assertThat(lease.wasThere(CONNECTION + 1, false, LEASE_NANOS)).isFalse();
        lease.begin("8", true, 5 * LEASE_NANOS);
        assertThat(lease.wasThere(CONNECTION + 1, true, LEASE_NANOS)).as("anew").isFalse();
        assertThat(lease.isOld(LEASE_NANOS)).as("anew").isFalse();
    }
}
