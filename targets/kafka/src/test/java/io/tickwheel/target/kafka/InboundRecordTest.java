package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** What a record takes while it is held. */
final class InboundRecordTest {

    private static final Uuid TOPIC = new Uuid(7, 8);

    @Test
    void memoryOfARecordIsThatOfItsKeyItsValueAndItsHeaders() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("x-delay", Publisher.bytes("1h"));
        headers.add("empty", null);
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                "in",
                0,
                0,
                0,
                TimestampType.CREATE_TIME,
                10,
                200,
                new byte[10],
                new byte[200],
                headers,
                Optional.empty());
        assertThat(new InboundRecord(record, TOPIC, Instant.EPOCH).bytes()).isEqualTo(10 + 200 + 7 + 2 + 5);
        ConsumerRecord<byte[], byte[]> empty = new ConsumerRecord<>("in", 0, 0, null, null);
        assertThat(new InboundRecord(empty, TOPIC, Instant.EPOCH).bytes()).isZero();
    }
}
