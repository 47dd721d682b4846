package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OffsetClockTest {

    private static final long DAY_MS = 86_400_000;

    @Test
    void bothClocksGoForwardTogetherAndNeverBack() {
        OffsetClock clock = new OffsetClock();
        long startMs = clock.wallMs();
        long startNanos = clock.monoNanos();

        clock.forwardTo(startMs + DAY_MS);
        assertThat(clock.wallMs()).isBetween(startMs + DAY_MS, startMs + DAY_MS + 60_000);
        assertThat(clock.monoNanos() - startNanos).isGreaterThan((DAY_MS - 60_000) * 1_000_000);

        clock.forwardTo(startMs);
        assertThat(clock.wallMs()).isGreaterThanOrEqualTo(startMs + DAY_MS);
    }
}
