package io.tickwheel.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Failures of an address run out, and come back with time. */
final class FailedLoginsTest {

    private static final long SECOND = 1_000_000_000L;

    private final FailedLogins failures = new FailedLogins();

    private void exhaust(String address, long nowNanos) {
        for (int i = 0; i < FailedLogins.AT_ONCE; i++) {
            assertThat(failures.failed(address, nowNanos)).isZero();
        }
    }

    @Test
    void oneMoreIsCountedEveryThreeSeconds() {
        long now = Long.MAX_VALUE - SECOND;
        exhaust("10.0.0.1", now);
        assertThat(failures.failed("10.0.0.1", now)).isEqualTo(3);
        assertThat(failures.failed("10.0.0.1", now + 2 * SECOND)).isEqualTo(1);
        assertThat(failures.failed("10.0.0.1", now + 3 * SECOND)).isZero();
        assertThat(failures.failed("10.0.0.1", now + 3 * SECOND)).isEqualTo(3);
        assertThat(failures.failed("10.0.0.2", now)).isZero();
        exhaust("10.0.0.1", now + 3 * SECOND + 60 * SECOND);
    }

    @Test
    void anAddressThatWasQuietForLongMayTryNoMoreThanOthers() {
        assertThat(failures.failed("10.0.0.1", 0)).isZero();
        long later = 3_600 * SECOND;
        exhaust("10.0.0.1", later);
        assertThat(failures.failed("10.0.0.1", later)).isEqualTo(3);
    }

    @Test
    void oneThatComesAMomentTooEarlyIsNotLookedAt() {
        exhaust("10.0.0.1", 0);
        assertThat(failures.failed("10.0.0.1", 3 * SECOND - 1)).isEqualTo(1);
        assertThat(failures.failed("10.0.0.1", 3 * SECOND)).isZero();
    }

    @Test
    void aNetworkOfIpv6IsOneAddress() {
        exhaust("2001:db8:0:1:0:0:0:1", 0);
        assertThat(failures.failed("2001:db8:0:1:ffff:1:2:3", 0)).isPositive();
        assertThat(failures.failed("2001:db8:0:2:0:0:0:1", 0)).isZero();
    }

    @Test
    void onlySoManyAddressesAreRemembered() {
        for (int i = 0; i < 3 * FailedLogins.MOST_ADDRESSES; i++) {
            assertThat(failures.failed("10.1." + i / 256 + "." + i % 256, 0)).isZero();
        }
        assertThat(failures.addresses()).isEqualTo(FailedLogins.MOST_ADDRESSES);
    }

    @Test
    void anAddressThatGoesOnFailingIsNotForgottenForOthers() {
        exhaust("10.0.0.1", 0);
        for (int i = 0; i < 2 * FailedLogins.MOST_ADDRESSES; i++) {
            if (i % 1_000 == 0) {
                assertThat(failures.failed("10.0.0.1", 0)).isEqualTo(3);
            }
            assertThat(failures.failed("10.1." + i / 256 + "." + i % 256, 0)).isZero();
        }
        assertThat(failures.failed("10.0.0.1", 0)).isEqualTo(3);
    }
}
