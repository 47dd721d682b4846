package io.tickwheel.target.kafka;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.OnConflict;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A record that came in, and the timer that is made of it. The timer has the header {@code message-id} as its key, so that a record that comes again makes no second one; or the header
 * {@code tickwheel-key}, so that its owner can cancel it; or else topic, partition and offset. The record that comes out has the key, the value and the headers of the one that came in, but for
 * those that Tickwheel reads, and headers of Tickwheel beside them.
 */
final class InboundRecord {

    static final String KEY = "tickwheel-key";
    static final String TOPIC = "tickwheel-topic";
    static final String REFUSED = "tickwheel-refused";
    static final String REFUSED_FROM = "tickwheel-refused-from";

    private static final byte[] NOTHING = {};

    final ConsumerRecord<byte[], byte[]> record;
    private final InboundHeaders headers;
    private final Uuid topicId;
    private final Instant arrivedAt;

    InboundRecord(ConsumerRecord<byte[], byte[]> record, Uuid topicId, Instant arrivedAt) {
        this.record = record;
        this.headers = new InboundHeaders(record.headers());
        this.topicId = topicId;
        this.arrivedAt = arrivedAt;
    }

    /**
     * Makes the request for the timer, which is made once, also when it was delivered or cancelled since. What is there instead tells by its hash what to do then.
     *
     * @throws IllegalArgumentException with the rule, when no timer can be made of it
     */
    TimerRequest request(SourceSettings settings) {
        StoredRecord stored = new StoredRecord(record.key(), record.value() != null, headers.others());
        String address = new TopicAddress(realTopic(settings), "", stored.text()).text();
        return TimerRequest.at(settings.timerQueue(), key(), headers.dueAt(recordedAt()))
                .withPayload(record.value() == null ? NOTHING : record.value())
                .withDestination(new Destination(KafkaTargetKind.KAFKA, address))
                .withOnConflict(OnConflict.ONCE)
                .withRequestHash(hash());
    }

    private String realTopic(SourceSettings settings) {
        String named = headers.text(TOPIC);
        String topic = named != null ? named : settings.topics().getOrDefault(record.topic(), "");
        if (topic.isEmpty()) {
            throw new Refusal("topic " + record.topic() + " has no topic behind it, must have one in"
                    + " sources.kafka.topics, or the record the header " + TOPIC);
        }
        if (!TopicAddress.isTopic(topic)) {
            throw InboundHeaders.refusal(TOPIC, topic, TopicAddress.TOPIC_RULE);
        }
        if (settings.topics().containsKey(topic)) {
            throw InboundHeaders.refusal(TOPIC, topic, "must be none that is read, as the record would come again");
        }
        return topic;
    }

    /** Records of old formats have no time. */
    private Instant recordedAt() {
        return record.timestamp() < 0 ? arrivedAt : Instant.ofEpochMilli(record.timestamp());
    }

    /** The key that its sender has named: a timer of an earlier record under it is to make room. Null for none, or for one that will be refused. */
    @Nullable
    String ownKey() {
        return headers.textOrNull(KEY);
    }

    private String key() {
        String own = headers.text(KEY);
        return own != null ? own : Optional.ofNullable(messageId()).orElse(place());
    }

    private @Nullable String messageId() {
        return headers.text(InboundHeaders.MESSAGE_ID);
    }

    private String place() {
        return record.topic() + "-" + record.partition() + "-" + record.offset();
    }

    RecordPosition position() {
        return RecordPosition.of(topicId, record.partition(), record.offset());
    }

    /** By which a record is known again: where it lies when its sender has named a key, and otherwise its id, where it goes, and what is in it. Never 0. */
    long hash() {
        if (ownKey() != null) {
            return position().value();
        }
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        update(digest, Text.bytes(key()));
        update(digest, Text.bytes(record.topic()));
        update(digest, Text.bytes(String.valueOf(headers.text(TOPIC))));
        update(digest, record.key());
        update(digest, record.value());
        long hash = ByteBuffer.wrap(digest.digest()).getLong();
        return hash == 0 ? 1 : hash;
    }

    private static void update(MessageDigest digest, byte @Nullable [] part) {
        int length = part == null ? -1 : part.length;
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
        if (part != null) {
            digest.update(part);
        }
    }

    /** Why another timer under its key keeps this one from being made. */
    String conflict() {
        return messageId() != null
                ? InboundHeaders.MESSAGE_ID + " is that of another record, must be its own"
                : "place " + place() + " was that of another record, as the topic has been made anew; must have a "
                        + InboundHeaders.MESSAGE_ID;
    }

    TopicPartition partition() {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** How much memory it takes, about. */
    long bytes() {
        long bytes = Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
        for (Header header : record.headers()) {
            bytes += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }

    /** The headers of the record as it is kept when it is refused: with the reason, and where it was. */
    Headers refused(String reason) {
        return new RecordHeaders(record.headers().toArray())
                .remove(REFUSED)
                .remove(REFUSED_FROM)
                .add(REFUSED, Text.bytes(reason))
                .add(REFUSED_FROM, Text.bytes(place()));
    }

    /** The headers of what stands for a refused record that is too large for its topic. */
    Headers refusedWithoutContent(String reason) {
        return new RecordHeaders()
                .add(REFUSED, Text.bytes(reason + "; too large to be kept here"))
                .add(REFUSED_FROM, Text.bytes(place()));
    }
}
