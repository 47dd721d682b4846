package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

final class PartitionOffsetsTest {

    private final PartitionOffsets offsets = new PartitionOffsets(new TopicPartition("t", 0), Uuid.ZERO_UUID);

    @Test
    void offsetsHaveGaps() {
        assertThat(offsets.committable()).as("nothing was read").isEmpty();
        offsets.begin(10);
        assertThat(offsets.committable()).as("it was read from here on").isEmpty();
        offsets.begin(15);
        offsets.begin(20);
        offsets.end(15);
        assertThat(offsets.committable()).as("the first one has not ended").isEmpty();
        offsets.end(10);
        assertThat(offsets.committable()).hasValue(20);
        offsets.committed(20);
        assertThat(offsets.committable()).isEmpty();
        offsets.end(20);
        assertThat(offsets.committable()).hasValue(21);
        assertThat(offsets.isIdle()).isTrue();
        assertThat(offsets.reaches(20)).isTrue();
        assertThat(offsets.reaches(21)).isFalse();
        offsets.ends(30);
        assertThat(offsets.reaches(29)).isTrue();
        assertThat(offsets.reaches(30)).isFalse();
    }

    @Test
    void inAnyOrderNoRecordThatHasNotEndedIsPassed() {
        Random random = new Random(42);
        List<Long> order = new ArrayList<>();
        for (long offset = 0; offset < 1_000; offset++) {
            offsets.begin(offset);
            order.add(offset);
        }
        Collections.shuffle(order, random);
        TreeSet<Long> open = new TreeSet<>(order);
        for (long offset : order) {
            offsets.end(offset);
            open.remove(offset);
            long expected = open.isEmpty() ? 1_000 : open.first();
            assertThat(offsets.committable())
                    .isEqualTo(expected == 0 ? OptionalLong.empty() : OptionalLong.of(expected));
        }
    }
}
