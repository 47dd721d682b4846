package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What was sent with a delay, by its value, against what has come out of a topic. A timer that was made twice shows by a second {@code tickwheel-id}. */
final class OutLedger implements AutoCloseable {

    /** Earliest moment of each record that the broker has confirmed; written by the publisher's thread. */
    final Map<String, Long> dueMs = new ConcurrentHashMap<>();

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, Set<String>> ids = new HashMap<>();
    private int copies;

    OutLedger(String address, String topic) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", address, "group.id", "ledger", "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(Set.of(topic));
    }

    /** Reads what has come, and says how many different records that are by now. */
    int read() {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            String value = text(record.value());
            Long due = dueMs.get(value);
            if (due != null) {
                assertThat(record.timestamp()).as("%s is never early", value).isGreaterThanOrEqualTo(due);
            }
            Set<String> of = ids.computeIfAbsent(value, any -> new HashSet<>());
            copies += of.isEmpty() ? 0 : 1;
            of.add(text(record.headers().lastHeader("tickwheel-id").value()));
        }
        return ids.size();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    void await(int records) {
        Patience.until(Duration.ofMinutes(5), records + " records have come", () -> read() >= records);
    }

    /** Checks that each record has come and made one timer; returns how many came more than once. */
    int check() {
        assertThat(ids.keySet()).isEqualTo(dueMs.keySet());
        assertThat(ids)
                .allSatisfy(
                        (value, of) -> assertThat(of).as("timers of %s", value).hasSize(1));
        return copies;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
