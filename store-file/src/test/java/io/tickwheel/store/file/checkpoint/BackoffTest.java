package io.tickwheel.store.file.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BackoffTest {

    private static final long SECOND = 1_000_000_000L;

    private final Backoff backoff = new Backoff();

    @Test
    void nothingIsWaitedForBeforeAFailure() {
        assertThat(backoff.isOver(Long.MIN_VALUE)).isTrue();
        assertThat(backoff.isOver(Long.MAX_VALUE)).isTrue();
    }

    @Test
    void eachFailureDoublesTheWaitUpToAMinute() {
        // The clock may begin anywhere, and pass its end.
        long now = Long.MAX_VALUE - 10 * SECOND;
        for (long wait : new long[] {1, 2, 4, 8, 16, 32, 64, 64, 64}) {
            backoff.failed(now);
            assertThat(backoff.isOver(now)).isFalse();
            assertThat(backoff.isOver(now + wait * SECOND - 1))
                    .as("before %s s", wait)
                    .isFalse();
            assertThat(backoff.isOver(now + wait * SECOND))
                    .as("after %s s", wait)
                    .isTrue();
            now += wait * SECOND;
        }
        backoff.reset();
        assertThat(backoff.isOver(now)).isTrue();
        backoff.failed(now);
        assertThat(backoff.isOver(now + SECOND)).as("from the beginning").isTrue();
    }
}
