package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

    private static long hash(byte[] key, byte[] value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("message-id", Publisher.bytes("m"));
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                "in", 0, 0, 0, TimestampType.CREATE_TIME, 0, 0, key, value, headers, Optional.empty());
        return new InboundRecord(record, TOPIC, Instant.EPOCH).hash();
    }

    /** By its hash it is known whether a record comes again, or another one has the same id. */
    @Test
    void recordsAreToldApartByWhatIsKeyAndWhatIsValue() {
        long hash = hash(Publisher.bytes("ab"), Publisher.bytes("c"));
        assertThat(hash(Publisher.bytes("ab"), Publisher.bytes("c"))).isEqualTo(hash);
        assertThat(hash(Publisher.bytes("a"), Publisher.bytes("bc"))).isNotEqualTo(hash);
        assertThat(hash(null, Publisher.bytes("abc")))
                .isNotEqualTo(hash(Publisher.bytes("abc"), null))
                .isNotEqualTo(hash(new byte[0], Publisher.bytes("abc")));
    }

    private static InboundRecord of(String topic, String... headers) {
        RecordHeaders all = new RecordHeaders();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], Publisher.bytes(headers[i + 1]));
        }
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(
                topic, 0, 0, 0, TimestampType.CREATE_TIME, 0, 0, null, null, all, Optional.empty());
        return new InboundRecord(record, TOPIC, Instant.EPOCH);
    }

    @Test
    void recordsAreToldApartByWhereTheyGo() {
        long hash = of("in", "message-id", "m").hash();
        assertThat(of("in", "message-id", "m", "x-delay", "7").hash()).isEqualTo(hash);
        assertThat(of("in", "message-id", "n").hash()).isNotEqualTo(hash);
        assertThat(of("on", "message-id", "m").hash()).isNotEqualTo(hash);
        assertThat(of("in", "message-id", "m", InboundRecord.TOPIC, "out").hash())
                .isNotEqualTo(hash);
    }

    @Test
    void recordThatIsRefusedAgainHasTheLastReason() {
        InboundRecord record =
                of("in", InboundRecord.REFUSED, "before", InboundRecord.REFUSED_FROM, "in-7-7", "x", "y");
        assertThat(record.refused("why").toArray())
                .extracting(header -> header.key() + " " + new String(header.value(), StandardCharsets.UTF_8))
                .containsExactly("x y", "tickwheel-refused why", "tickwheel-refused-from in-0-0");
    }
}
