package io.tickwheel.benchmarks.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.engine.SourceKind;
import io.tickwheel.target.kafka.KafkaSourceKind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Into the topic {@code orders.delayed} and out of the topic that stands for it. */
final class KafkaInlet implements Inlet {

    static final String IN = "orders.delayed";

    private static final Duration POLL = Duration.ofMinutes(1);

    private final Map<String, String> broker;
    private final KafkaProducer<String, String> producer;
    private final KafkaConsumer<String, String> consumer;

    KafkaInlet(Map<String, String> broker) {
        this.broker = broker;
        producer = new KafkaProducer<>(Map.copyOf(broker(Map.of())), new StringSerializer(), new StringSerializer());
        consumer = new KafkaConsumer<>(
                Map.copyOf(broker(Map.of("group.id", "shop", "auto.offset.reset", "earliest"))),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private Map<String, Object> broker(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", broker.getOrDefault("bootstrapServers", ""));
        return settings;
    }

    @Override
    public SourceKind kind() {
        return new KafkaSourceKind();
    }

    @Override
    public Map<String, String> options() {
        Map<String, String> options = new HashMap<>(broker);
        options.put("topics", IN + "=" + Broker.PLACE);
        return options;
    }

    @Override
    public void send(String message, int delayMs) {
        ProducerRecord<String, String> record = new ProducerRecord<>(IN, message);
        record.headers().add("x-delay", Integer.toString(delayMs).getBytes(UTF_8));
        var unused = producer.send(record, (done, failure) -> {
            if (failure != null) {
                throw new IllegalStateException("a record was not taken", failure);
            }
        });
    }

    @Override
    public void flush() {
        producer.flush();
    }

    @Override
    public void take(Taker taker) {
        consumer.subscribe(List.of(Broker.PLACE));
        new Thread(() -> read(taker), "shop").start();
    }

    private void read(Taker taker) {
        try {
            while (true) {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    taker.came(record.value());
                }
            }
        } catch (WakeupException e) {
            // The end: it was closed.
            consumer.close();
        }
    }

    @Override
    public void close() {
        consumer.wakeup();
        producer.close();
    }
}
