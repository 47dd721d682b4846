package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidNameException;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.target.message.OptionReader;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What a source takes in, and where it goes.
 *
 * @param topics those that are read, each with the one where its records go; empty where their headers say it
 * @param group of the consumers that share them
 * @param timerQueue of Tickwheel
 * @param refusedTopic for records that no timer can be made of
 * @param prefetch how many records are scheduled at once
 * @param brokers what the clients have in common; may have passwords, and is never shown
 */
record SourceSettings(
        Map<String, String> topics,
        String group,
        String timerQueue,
        String refusedTopic,
        int prefetch,
        Map<String, Object> brokers) {

    private static final String TOPICS = "topics";
    private static final String GROUP = "groupId";
    private static final String TIMER_QUEUE = "timerQueue";
    private static final String REFUSED_TOPIC = "refusedTopic";
    private static final String PREFETCH = "prefetch";

    private static final String DEFAULT = "tickwheel";
    private static final String DEFAULT_REFUSED = DEFAULT + ".refused";
    private static final int DEFAULT_PREFETCH = 500;

    static final List<KindOption> OPTIONS = Stream.concat(
                    BrokerSettings.OPTIONS.stream(),
                    Stream.of(
                            KindOption.of(TOPICS, "list of topics"),
                            KindOption.of(GROUP, "text", DEFAULT),
                            KindOption.of(TIMER_QUEUE, "text", KafkaTargetKind.KAFKA),
                            KindOption.of(REFUSED_TOPIC, "text", DEFAULT_REFUSED),
                            KindOption.of(PREFETCH, "integer", DEFAULT_PREFETCH)))
            .toList();

    private static final int SESSION_MS = 10_000;
    private static final int HEARTBEAT_MS = 3_000;
    private static final int REQUEST_MS = 5_000;
    private static final int DELIVERY_MS = 10_000;
    private static final int FETCH_BYTES = 16 << 20;
    private static final int REFUSED_BYTES = 64 << 20;

    SourceSettings {
        topics = Collections.unmodifiableMap(new LinkedHashMap<>(topics));
    }

    /** @throws InvalidTargetException with the name of the option that breaks a rule */
    static SourceSettings read(OptionReader options) {
        Map<String, Object> brokers = BrokerSettings.read(options);
        Map<String, String> topics = topics(options);
        String timerQueue = options.text(TIMER_QUEUE, KafkaTargetKind.KAFKA);
        try {
            TimerRequest.at(timerQueue, "key", Instant.EPOCH);
        } catch (InvalidNameException e) {
            throw options.invalid(TIMER_QUEUE, "must be the name of a queue of Tickwheel");
        }
        String group = options.text(GROUP, DEFAULT);
        if (group.isBlank() || group.length() > TopicAddress.MAX_TOPIC) {
            throw options.invalid(GROUP, "must have 1 to " + TopicAddress.MAX_TOPIC + " characters");
        }
        String refused = options.text(REFUSED_TOPIC, DEFAULT_REFUSED);
        if (!TopicAddress.isTopic(refused) || topics.containsKey(refused)) {
            throw options.invalid(REFUSED_TOPIC, TopicAddress.TOPIC_RULE + ", and none of " + TOPICS);
        }
        return new SourceSettings(
                topics,
                group,
                timerQueue,
                refused,
                options.integer(PREFETCH, DEFAULT_PREFETCH, 1, 65_535),
                Map.copyOf(brokers));
    }

    private static Map<String, String> topics(OptionReader options) {
        Map<String, String> topics = new LinkedHashMap<>();
        for (String pair : options.text(TOPICS, "").split(",", -1)) {
            String[] names = pair.strip().split("=", -1);
            boolean isFine = names.length <= 2
                    && TopicAddress.isTopic(names[0])
                    && (names.length == 1 || TopicAddress.isTopic(names[1]));
            if (!isFine || topics.put(names[0], names.length == 1 ? "" : names[1]) != null) {
                throw options.invalid(
                        TOPICS,
                        "must be topics, such as orders.delayed=orders, or orders.delayed, with commas between, each"
                                + " once");
            }
        }
        if (topics.values().stream().anyMatch(topics::containsKey)) {
            throw options.invalid(TOPICS, "must send no record to a topic that is read");
        }
        return topics;
    }

    /** Records of transactions that were given up are no records. A group that is new to its topics begins at their beginning, so that nothing is left out. */
    Map<String, Object> consumer() {
        Map<String, Object> consumer = new HashMap<>(brokers);
        consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        consumer.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        consumer.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC.name());
        consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        consumer.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        consumer.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        consumer.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, prefetch);
        consumer.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
        consumer.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_MS);
        consumer.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        consumer.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        consumer.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MS);
        consumer.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(CooperativeStickyAssignor.class));
        return consumer;
    }

    /** For refused records, which may be as large as any that came in. */
    Map<String, Object> producer() {
        Map<String, Object> producer = new HashMap<>(brokers);
        ProducerSettings.confirmed(producer);
        producer.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MS);
        producer.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        producer.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REFUSED_BYTES);
        producer.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 2L * REFUSED_BYTES);
        return producer;
    }

    Map<String, Object> admin() {
        Map<String, Object> admin = new HashMap<>(brokers);
        admin.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
        admin.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MS);
        return admin;
    }

    /** The addresses of the brokers, for messages. */
    String place() {
        return String.valueOf(brokers.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG));
    }

    @Override
    public String toString() {
        return "SourceSettings of " + place();
    }
}
