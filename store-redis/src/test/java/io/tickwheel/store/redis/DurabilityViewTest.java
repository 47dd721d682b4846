package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.link.HeldCalls;
import org.junit.jupiter.api.Test;

final class DurabilityViewTest {

    private static final long PERIOD_NANOS = 1_000;

    private final HeldCalls link = new HeldCalls();
    private final DurabilityView view = new DurabilityView(link, Durability.MEMORY, PERIOD_NANOS);

    /** A server that was restarted with other settings, or another master. */
    @Test
    void levelIsOfferedWhileTheServersCanPromiseIt() {
        assertThat(view.offers(Durability.fsync(0))).as("before one has looked").isFalse();
        view.look();
        assertThat(view.offers(Durability.fsync(0))).isTrue();
        assertThat(view.offers(Durability.fsync(2))).isTrue();
        link.cannot = "it has no append-only file";
        view.work(0);
        assertThat(view.offers(Durability.fsync(0))).isFalse();
        assertThat(view.offers(Durability.MEMORY)).isTrue();
        assertThat(view.offers(Durability.replicated(1))).isTrue();
        assertThat(view.offers(Durability.SYNC)).as("of a disk").isFalse();
        link.cannot = null;
        view.work(PERIOD_NANOS - 1);
        assertThat(view.offers(Durability.fsync(0))).as("it looks now and then").isFalse();
        view.work(PERIOD_NANOS);
        assertThat(view.offers(Durability.fsync(0))).isTrue();
    }
}
