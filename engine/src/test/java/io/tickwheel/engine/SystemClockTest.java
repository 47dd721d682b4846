package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class SystemClockTest {

    private final Clock clock = Clock.system();

    @Test
    void clockOfTheMachineIsRead() {
        Instant before = Instant.now();
        Instant now = clock.now();
        long wallMs = clock.wallMs();
        Instant after = Instant.now();
        assertThat(now).isBetween(before, after);
        assertThat(wallMs).isBetween(before.toEpochMilli(), after.toEpochMilli());
        long nanosBefore = System.nanoTime();
        long nanos = clock.monoNanos();
        assertThat(nanos - nanosBefore).isNotNegative();
        assertThat(System.nanoTime() - nanos).isNotNegative();
    }
}
