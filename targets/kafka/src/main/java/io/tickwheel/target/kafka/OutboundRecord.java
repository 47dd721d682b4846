package io.tickwheel.target.kafka;

import io.tickwheel.engine.Attempt;
import io.tickwheel.target.message.TimerMessage;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** The record of an attempt. One that came in as a record keeps its key, its headers and the lack of a value, and gets no attributes of CloudEvents. */
final class OutboundRecord {

    private static final String CLOUD_EVENTS = "ce_";

    private OutboundRecord() {}

    /**
     * Makes the record.
     *
     * @throws IllegalArgumentException with the rule, when no attempt can ever be made of it
     */
    static ProducerRecord<byte[], byte[]> of(Attempt attempt, long nowMs) {
        TopicAddress address =
                TopicAddress.parse(Objects.requireNonNull(attempt.destination()).address());
        String topic = address.topic().isEmpty() ? attempt.queue() : address.topic();
        if (!TopicAddress.isTopic(topic)) {
            throw new IllegalArgumentException("topic " + topic + " " + TopicAddress.TOPIC_RULE);
        }
        if (!address.record().isEmpty()) {
            return again(attempt, topic, StoredRecord.parse(address.record()), nowMs);
        }
        String key = address.key().isEmpty() ? attempt.key() : address.key();
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, null, nowMs, Text.bytes(key), attempt.payload());
        TimerMessage.of(attempt, CLOUD_EVENTS)
                .headers()
                .forEach((name, value) -> record.headers().add(name, Text.bytes(value)));
        return record;
    }

    private static ProducerRecord<byte[], byte[]> again(Attempt attempt, String topic, StoredRecord came, long nowMs) {
        byte[] payload = attempt.payload();
        byte[] value = !came.hasValue() && payload.length == 0 ? null : payload;
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, null, nowMs, came.key(), value);
        for (Header header : came.headers()) {
            record.headers().add(header);
        }
        TimerMessage.of(attempt, CLOUD_EVENTS).headers().forEach((name, text) -> {
            boolean isOurs = !name.startsWith(CLOUD_EVENTS) || attempt.headers().containsKey(name);
            if (isOurs && !name.equals(TimerMessage.CONTENT_TYPE)) {
                record.headers().add(name, Text.bytes(text));
            }
        });
        return record;
    }
}
