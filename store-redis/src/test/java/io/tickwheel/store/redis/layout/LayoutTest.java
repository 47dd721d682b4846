package io.tickwheel.store.redis.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerKey;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class LayoutTest {

    @Test
    void idTellsTheSeqOfItsPartition() {
        for (long seq : new long[] {1, 77, 1_700_000_000_999_998L, (1L << 53) - 1}) {
            for (int partition : new int[] {0, 5, Layout.MAX_PARTITIONS - 1}) {
                String id = Layout.id(Layout.number(seq, partition));
                assertThat(Layout.seq(id, partition)).isEqualTo(seq);
                assertThat(Layout.seq(id, (partition + 1) % Layout.MAX_PARTITIONS))
                        .isZero();
                assertThat(Layout.seq("0" + id, partition)).isZero();
                assertThat(Layout.seq(id + "0", partition)).isNotEqualTo(seq);
            }
        }
    }

    private static byte[] field(String queue, String key) {
        return Layout.field(new TimerKey(queue, key));
    }

    @Test
    void partitionIsTheChecksumOfTheWholeField() {
        Layout layout = new Layout("test", Layout.MAX_PARTITIONS);
        for (String key : List.of("", "a", "order-17", "\u20ac", "k\0k")) {
            CRC32C crc = new CRC32C();
            crc.update(field("q\u001fq", key));
            assertThat(layout.partition(field("q\u001fq", key)))
                    .isEqualTo((int) (crc.getValue() % Layout.MAX_PARTITIONS));
        }
    }

    @Test
    void runsLieInThePartitionOfTheirPlan() {
        Layout layout = new Layout("test", Layout.MAX_PARTITIONS);
        for (String plan : List.of("", "a", "order-17", "\u20ac")) {
            int partition = layout.partition(field("q", plan));
            for (String run : List.of("", "1", "1700000000000", "a\u001fb", "\u20ac")) {
                assertThat(layout.partition(field("q", plan + "\u001f" + run))).isEqualTo(partition);
            }
        }
        assertThat(layout.partition(field("q\u001fa", "k"))).isNotEqualTo(layout.partition(field("q\u001fb", "k")));
        assertThat(layout.partition(field("q", "a\u001e1"))).isNotEqualTo(layout.partition(field("q", "a")));
    }

    @Test
    void whatIsNoIdIsThatOfNoTimer() {
        String id = Layout.id(Layout.number(171, 5));
        assertThat(id).isEqualTo("2ac05");
        assertThat(Layout.seq("2ac05", 5)).isEqualTo(171);
        for (String other : List.of("", "none", "2AC05", "-2ac05", "+2ac05", " 2ac05", "2ac05 ", "\u0662ac05")) {
            assertThat(Layout.seq(other, 5)).as(other).isZero();
        }
        assertThat(Layout.seq("5", 5)).as("of the seq 0").isZero();
        assertThat(Layout.seq("0", 0)).isZero();
        assertThat(Layout.seq("fffffffffffffc05", 5))
                .as("more than a number has")
                .isZero();
        assertThat(Layout.seq("f".repeat(17), 1023)).isZero();
    }
}
