package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TickClockTest {
    private static final long DAY = 86_400_000_000_000L;

    @Test
    void ticksAreWhatADivisionGives() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long tickNanos = i < 100 ? i + 1 : 1 + (random.nextLong(DAY) >>> random.nextInt(46));
            TickClock ticks = new TickClock(() -> 0, tickNanos);
            long nanos = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(Long.SIZE - 1);
            expect(ticks, tickNanos, nanos);
            long multiple = nanos / tickNanos * tickNanos;
            expect(ticks, tickNanos, multiple);
            expect(ticks, tickNanos, Math.max(0, multiple - 1));
            expect(ticks, tickNanos, multiple + 1);
            expect(ticks, tickNanos, Long.MAX_VALUE - i);
            expect(ticks, tickNanos, i);
        }
    }

    private static void expect(TickClock ticks, long tickNanos, long nanos) {
        assertThat(ticks.tickAt(nanos)).as("%s / %s", nanos, tickNanos).isEqualTo(nanos / tickNanos);
        assertThat(ticks.tickFrom(nanos))
                .as("%s / %s rounded up", nanos, tickNanos)
                .isEqualTo(nanos / tickNanos + (nanos % tickNanos == 0 ? 0 : 1));
    }

    @Test
    void tickBeginsAtItsMultipleAndNeverBeyondAllTime() {
        TickClock ticks = new TickClock(() -> 0, 1_000_000);
        assertThat(ticks.nanosOf(3)).isEqualTo(3_000_000);
        assertThat(ticks.nanosOf(9_223_372_036_854L)).isEqualTo(9_223_372_036_854_000_000L);
        assertThat(ticks.nanosOf(9_223_372_036_855L)).isEqualTo(Long.MAX_VALUE);
        assertThat(ticks.nanosOf(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void delaysAreAddedWithoutOverflowAndNotSubtracted() {
        assertThat(TickClock.after(5, 7)).isEqualTo(12);
        assertThat(TickClock.after(5, -7)).isEqualTo(5);
        assertThat(TickClock.after(5, Long.MIN_VALUE)).isEqualTo(5);
        assertThat(TickClock.after(5, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(TickClock.after(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void deadlineIsNotRoundedBeyondItsSlack() {
        TickClock ticks = new TickClock(() -> 0, 10);
        assertThat(ticks.tickWithin(25, 0)).isEqualTo(3);
        assertThat(ticks.tickWithin(25, 14)).as("40 is beyond 39").isEqualTo(3);
        assertThat(ticks.tickWithin(25, 15)).isEqualTo(4);
    }

    @Test
    void roundestTickOfARangeHasTheMostZeros() {
        assertThat(TickClock.roundest(1000, 1100)).isEqualTo(1024);
        assertThat(TickClock.roundest(1024, 1100)).isEqualTo(1024);
        assertThat(TickClock.roundest(1025, 1030)).isEqualTo(1028);
        assertThat(TickClock.roundest(7, 7)).isEqualTo(7);
        assertThat(TickClock.roundest(1, 1)).isEqualTo(1);
        assertThat(TickClock.roundest(0, 100)).isZero();
        assertThat(TickClock.roundest(5, Long.MAX_VALUE)).isEqualTo(1L << 62);
        assertThat(TickClock.roundest(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }
}
