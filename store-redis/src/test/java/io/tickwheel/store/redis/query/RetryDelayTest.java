package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RetryDelayTest {

    private static final long MS = 1_000_000;

    private final RetryDelay delay = new RetryDelay();
    private long nowNanos = -3 * MS;

    private void assertWaits(long ms) {
        delay.failed();
        assertThat(delay.isOver(nowNanos)).isFalse();
        assertThat(delay.isOver(nowNanos + ms * MS - 1)).isFalse();
        nowNanos += ms * MS;
        assertThat(delay.isOver(nowNanos)).isTrue();
    }

    @Test
    void itIsTwiceAsLongEachTimeUpToABound() {
        for (long ms : new long[] {5, 10, 20, 40, 80, 160, 200, 200}) {
            assertWaits(ms);
        }
    }

    @Test
    void whatHasNotFailedDoesNotWait() {
        assertThat(delay.isOver(nowNanos)).isTrue();
    }
}
