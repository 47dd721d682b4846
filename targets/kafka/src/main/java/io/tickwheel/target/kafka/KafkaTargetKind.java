package io.tickwheel.target.kafka;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Topics of Kafka: {@code {"kafka": {"topic": "orders", "key": "customer-7"}}}. Without a topic a timer goes to the one with the name of its queue, without a key its record
 * has the key of the timer. Options, guarantees and limits are in {@code docs/targets/kafka.md}.
 */
public final class KafkaTargetKind implements TargetKind {

    static final String KAFKA = "kafka";
    private static final String TOPIC = "topic";
    private static final String KEY = "key";
    private static final String RECORD = "record";

    private static final String NOT_ALLOWED = "destination_not_allowed";

    private final InternalTopics internal;

    /** One that takes every topic, for tools that deliver nothing; opens nothing. */
    public KafkaTargetKind() {
        this(new InternalTopics(true));
    }

    private KafkaTargetKind(InternalTopics internal) {
        this.internal = internal;
    }

    /** One that refuses topics too which these options do not allow; that of the queue is only known at the attempt. */
    @Override
    public TargetKind configured(Map<String, String> settings) {
        return new KafkaTargetKind(InternalTopics.read(settings));
    }

    @Override
    public String name() {
        return KAFKA;
    }

    @Override
    public List<String> fields() {
        return List.of(KAFKA);
    }

    @Override
    public String read(TargetFields fields) {
        TargetFields kafka = fields.object(KAFKA, TOPIC, KEY, RECORD);
        if (kafka.has(TOPIC) && !TopicAddress.isTopic(kafka.text(TOPIC))) {
            throw kafka.invalid(TOPIC, InvalidTargetException.INVALID_TARGET, TopicAddress.TOPIC_RULE);
        }
        String refusal = internal.refusal(kafka.text(TOPIC, ""));
        if (refusal != null) {
            throw kafka.invalid(TOPIC, NOT_ALLOWED, refusal);
        }
        if (kafka.has(KEY) && !isKey(kafka.text(KEY))) {
            throw kafka.invalid(KEY, InvalidTargetException.INVALID_TARGET, TopicAddress.KEY_RULE);
        }
        if (kafka.has(RECORD)) {
            checkRecord(kafka);
        }
        return new TopicAddress(kafka.text(TOPIC, ""), kafka.text(KEY, ""), kafka.text(RECORD, "")).text();
    }

    private static void checkRecord(TargetFields kafka) {
        if (kafka.has(KEY)) {
            throw kafka.invalid(RECORD, InvalidTargetException.INVALID_TARGET, "must not be with " + KEY);
        }
        try {
            StoredRecord.parse(kafka.text(RECORD));
        } catch (IllegalArgumentException e) {
            if (e instanceof InvalidTargetException) {
                throw e;
            }
            throw kafka.invalid(RECORD, InvalidTargetException.INVALID_TARGET, StoredRecord.RULE);
        }
    }

    private static boolean isKey(String key) {
        return !key.isEmpty() && key.length() <= TopicAddress.MAX_KEY;
    }

    @Override
    public @Nullable Map<String, Object> write(String address) {
        TopicAddress parts = TopicAddress.parse(address);
        if (!parts.isValid() || !parts.text().equals(address)) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        if (!parts.topic().isEmpty()) {
            fields.put(TOPIC, parts.topic());
        }
        if (!parts.key().isEmpty()) {
            fields.put(KEY, parts.key());
        }
        if (!parts.record().isEmpty()) {
            fields.put(RECORD, parts.record());
        }
        return Map.of(KAFKA, fields);
    }

    @Override
    public String readSetting(String text) {
        if (!text.isEmpty() && !TopicAddress.isTopic(text)) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, TopicAddress.TOPIC_RULE);
        }
        String refusal = internal.refusal(text);
        if (refusal != null) {
            throw new InvalidTargetException(NOT_ALLOWED, refusal);
        }
        return text;
    }

    @Override
    public String settingForm() {
        return "kafka, or kafka and a topic";
    }

    @Override
    public List<KindOption> options() {
        return ProducerSettings.OPTIONS;
    }

    /** Starts a producer, which connects when there is something to send; without addresses of brokers, each attempt fails. */
    @Override
    public Target open(TargetOptions options) {
        if (options.settings().isEmpty()) {
            return (attempt, delivery) -> delivery.fail("targets.kafka.bootstrapServers is not set");
        }
        return new KafkaTarget(options.clock(), ProducerSettings.read(options));
    }
}
