package io.tickwheel.target.kafka;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends records with a delay, as programs of others do. */
final class Publisher implements AutoCloseable {

    final Producer<byte[], byte[]> producer;

    Publisher(String address, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", address));
        all.putAll(settings);
        producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A record of a topic; headers are a name and a value in turn. */
    static ProducerRecord<byte[], byte[]> to(String topic, String key, String value, String... headers) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, bytes(key), bytes(value));
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], bytes(headers[i + 1]));
        }
        return record;
    }

    /** A record of one partition, without a key. */
    static ProducerRecord<byte[], byte[]> in(String topic, int partition, byte[] value, String... headers) {
        return new ProducerRecord<>(
                topic,
                partition,
                (byte[]) null,
                value,
                to(topic, null, null, headers).headers());
    }

    static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Sends a record, and waits until the broker has it. */
    RecordMetadata send(ProducerRecord<byte[], byte[]> record) throws Exception {
        return producer.send(record).get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        producer.close();
    }
}
