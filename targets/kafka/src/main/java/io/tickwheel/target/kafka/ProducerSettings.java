package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The options of the target as settings of Kafka's producer. What the promises of the target hang on cannot be changed: each record is confirmed by all replicas that are
 * in sync, once, in its order, and no call waits.
 *
 * @param producer what the producer is made with; may have passwords, and is never shown
 * @param longestWait how long an attempt may wait for what the brokers know of its topic
 * @param internal whether timers may go to topics of Kafka itself
 */
record ProducerSettings(Map<String, Object> producer, Duration longestWait, InternalTopics internal) {

    private static final String BYTES = "maxBytes";
    private static final String TIMEOUT = "timeoutMs";
    private static final String LINGER = "lingerMs";

    private static final int DEFAULT_BYTES = 1_048_576;
    private static final int MOST_BYTES = 64 << 20;
    private static final int DEFAULT_TIMEOUT_MS = 30_000;
    private static final int DEFAULT_LINGER_MS = 5;

    static final List<KindOption> OPTIONS = Stream.concat(
                    BrokerSettings.OPTIONS.stream(),
                    Stream.of(
                            KindOption.of(BYTES, "bytes", DEFAULT_BYTES),
                            KindOption.of(TIMEOUT, "ms", DEFAULT_TIMEOUT_MS),
                            KindOption.of(LINGER, "ms", DEFAULT_LINGER_MS),
                            KindOption.of(InternalTopics.OPTION, "true or false", false)))
            .toList();

    private static final int LONGEST_REQUEST_MS = 10_000;
    private static final long BUFFER_BYTES = 32L << 20;

    /**
     * Reads the options.
     *
     * @throws InvalidTargetException with the name of the option that breaks a rule, and with no value
     */
    static ProducerSettings read(TargetOptions options) {
        OptionReader reader = new OptionReader(options);
        int timeoutMs = reader.integer(TIMEOUT, DEFAULT_TIMEOUT_MS, 2_000, 120_000);
        int lingerMs = reader.integer(LINGER, DEFAULT_LINGER_MS, 0, 100);
        int maxBytes = reader.integer(BYTES, DEFAULT_BYTES, 1_024, MOST_BYTES);
        int waitMs = timeoutMs / 4;
        int deliveryMs = timeoutMs - waitMs;
        Map<String, Object> producer = BrokerSettings.read(reader);
        confirmed(producer);
        producer.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryMs);
        producer.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.min(LONGEST_REQUEST_MS, deliveryMs / 2));
        producer.put(ProducerConfig.LINGER_MS_CONFIG, lingerMs);
        producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxBytes);
        producer.put(ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(BUFFER_BYTES, 4L * maxBytes));
        return new ProducerSettings(
                Map.copyOf(producer), Duration.ofMillis(waitMs), InternalTopics.read(options.settings()));
    }

    /** What holds for every producer. */
    static void confirmed(Map<String, Object> producer) {
        producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        producer.put(ProducerConfig.ACKS_CONFIG, "all");
        producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // With more, a broker that takes a partition over in between writes the second request and not the first, as
        // it knows no number that comes before; the first is then out of order for as long as it may be tried.
        producer.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        producer.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    }

    /** Refuses what the producer has refused. */
    InvalidTargetException refusal(RuntimeException refused) {
        return BrokerSettings.refusal("producer", producer, refused);
    }

    @Override
    public String toString() {
        return "ProducerSettings of " + producer.get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
    }
}
