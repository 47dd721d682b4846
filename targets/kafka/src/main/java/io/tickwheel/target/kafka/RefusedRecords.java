package io.tickwheel.target.kafka;

import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Puts records of which no timer can be made into a topic, with the reason. One that is too large for the topic is there by its place and the reason alone. */
final class RefusedRecords implements AutoCloseable {

    private final String topic;
    private final Producer<byte[], byte[]> producer;

    RefusedRecords(SourceSettings settings) {
        this.topic = settings.refusedTopic();
        this.producer = new KafkaProducer<>(settings.producer());
    }

    /** Sends a record. {@code told} is called once, on any thread, with what went wrong, or with null when all replicas in sync have it. */
    void send(InboundRecord refused, String reason, Consumer<@Nullable Exception> told) {
        ProducerRecord<byte[], byte[]> whole = new ProducerRecord<>(
                topic, null, null, refused.record.key(), refused.record.value(), refused.refused(reason));
        send(whole, failure -> {
            if (failure instanceof RecordTooLargeException) {
                send(new ProducerRecord<>(topic, null, null, null, null, refused.refusedWithoutContent(reason)), told);
            } else {
                told.accept(failure);
            }
        });
    }

    private void send(ProducerRecord<byte[], byte[]> record, Consumer<@Nullable Exception> told) {
        try {
            var unused = producer.send(record, (metadata, failure) -> told.accept(failure));
        } catch (RuntimeException e) {
            told.accept(e);
        }
    }

    /** Waits for nothing: what is not confirmed comes again. */
    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
