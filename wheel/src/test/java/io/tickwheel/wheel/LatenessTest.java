package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LatenessTest {
    @Test
    void bucketsFollowEachOtherWithoutAGap() {
        long next = 0;
        for (int bucket = 0; bucket < Lateness.BUCKETS; bucket++) {
            assertThat(Lateness.bucketOf(next)).isEqualTo(bucket);
            long highest = Lateness.highestOf(bucket);
            assertThat(Lateness.bucketOf(highest)).isEqualTo(bucket);
            assertThat(highest - next).as("width of the bucket from %s", next).isLessThanOrEqualTo(next / 8);
            next = highest + 1;
        }
        assertThat(next).as("all of 63 bits").isEqualTo(Long.MIN_VALUE);
    }

    /** Most percentages are no numbers that a {@code double} has. */
    @Test
    void percentageIsTakenAsItIsWritten() {
        for (long ten : new long[] {1, 10, 1_000, 100_000, 1_000_000_000_000L}) {
            for (int permille = 1; permille < 1_000; permille++) {
                long[] counts = new long[Lateness.BUCKETS];
                counts[Lateness.bucketOf(5)] = permille * ten;
                counts[Lateness.bucketOf(1000)] = (1_000 - permille) * ten;
                Lateness lateness = new Lateness(counts, 1_000);
                double percent = Double.parseDouble(permille / 10 + "." + permille % 10);
                assertThat(lateness.percentile(percent))
                        .as("%s percent of %s", percent, lateness.count())
                        .isEqualTo(Duration.ofNanos(5));
                assertThat(lateness.percentile(percent + 0.1)).isEqualTo(Duration.ofNanos(1_000));
            }
        }
    }

    @Test
    void percentileIsTheBucketInWhichItsRankLies() {
        long[] counts = new long[Lateness.BUCKETS];
        counts[Lateness.bucketOf(5)] = 98;
        counts[Lateness.bucketOf(1000)] = 1;
        counts[Lateness.bucketOf(1_000_000)] = 1;
        Lateness lateness = new Lateness(counts, 1_000_000);
        assertThat(lateness.count()).isEqualTo(100);
        assertThat(lateness.percentile(98)).isEqualTo(Duration.ofNanos(5));
        assertThat(lateness.percentile(99)).isEqualTo(Duration.ofNanos(1023));
        assertThat(lateness.percentile(100)).isEqualTo(Duration.ofMillis(1));
        assertThat(lateness.percentile(98.001)).isEqualTo(Duration.ofNanos(1023));
        assertThat(lateness.max()).isEqualTo(Duration.ofMillis(1));
        assertThat(new Lateness(new long[Lateness.BUCKETS], 0).percentile(50)).isEqualTo(Duration.ZERO);
        assertThatThrownBy(() -> lateness.percentile(0)).hasMessageContaining("percent is 0.0");
        assertThatThrownBy(() -> lateness.percentile(100.5)).hasMessageContaining("percent is 100.5");
        assertThatThrownBy(() -> lateness.percentile(Double.NaN)).hasMessageContaining("percent is NaN");
    }
}
