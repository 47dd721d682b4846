package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

final class OutboundRecordTest {

    /** Of several headers with one name the last one counts, so that another one would take the place of its own. */
    @Test
    void recordThatCameInKeepsItsContentType() {
        StoredRecord came = new StoredRecord(
                null, true, List.of(new RecordHeader("content-type", Publisher.bytes("application/json"))));
        Attempt attempt = new Attempt(
                new TimerKey("orders", "k"),
                "id-k",
                1,
                1,
                Attempts.DUE,
                Attempts.DUE,
                Duration.ZERO,
                new byte[] {1},
                "text/plain",
                Map.of(),
                new Destination("kafka", new TopicAddress("out", "", came.text()).text()));
        ProducerRecord<byte[], byte[]> record = OutboundRecord.of(attempt, 0);
        assertThat(record.headers().headers("content-type"))
                .extracting(header -> Text.of(header.value()))
                .containsExactly("application/json");
        assertThat(Text.of(record.headers().lastHeader("tickwheel-id").value())).isEqualTo("id-k");
    }
}
