package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

final class RecordPositionTest {

    private static final Uuid TOPIC = new Uuid(7, 8);

    @Test
    void laterRecordsOfAPartitionAreKnownByTheirHash() {
        RecordPosition first = RecordPosition.of(TOPIC, 3, 0);
        RecordPosition last = RecordPosition.of(TOPIC, 3, RecordPosition.END - 1);
        assertThat(last.offset()).isEqualTo(RecordPosition.END - 1);
        assertThat(first.isBefore(last)).isTrue();
        assertThat(last.isBefore(first)).isFalse();
        assertThat(first.isBefore(first)).isFalse();
        assertThat(first.isBefore(RecordPosition.of(TOPIC, 4, 9))).isFalse();
        assertThat(first.isBefore(RecordPosition.of(new Uuid(7, 9), 3, 9))).isFalse();
    }

    @Test
    void partitionsAreFarApartAndNoneIsZero() {
        Set<Long> places = new HashSet<>();
        for (int topic = 0; topic < 10; topic++) {
            for (int partition = 0; partition < 100; partition++) {
                RecordPosition position = RecordPosition.of(new Uuid(topic * 0x5DEECE66DL, topic), partition, 0);
                assertThat(position.value()).isNotZero();
                places.add(position.value());
            }
        }
        assertThat(places).hasSizeGreaterThan(990);
    }

    @Test
    void offsetThatHasNoHashIsRefused() {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> RecordPosition.of(TOPIC, 0, RecordPosition.END))
                .withMessage("offset is 17592186044416, must be less than 17592186044416 for a record with a"
                        + " tickwheel-key");
    }
}
