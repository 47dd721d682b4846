package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.Attempt;
import io.tickwheel.target.message.TimerMessage;
import java.util.Objects;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.message.MessageBuilder;

/** Makes messages of RocketMQ of attempts, and refuses what no proxy would take. */
final class OutgoingMessage {

    private static final String PREFIX = "CE_";

    /** What the binding of CloudEvents has in place of {@code datacontenttype}. */
    private static final String CONTENT_TYPE = PREFIX + "contenttype";

    /** RocketMQ has no messages without a body; this is what the binding of CloudEvents sends in its place. */
    private static final byte[] NOTHING = {0};

    private static final String NO_PAYLOAD = "tickwheel-payload";

    private OutgoingMessage() {}

    /** @throws IllegalArgumentException with the rule, when this attempt can never be delivered */
    static Message of(Attempt attempt, ClientServiceProvider client, int maxBytes) {
        byte[] payload = attempt.payload();
        if (payload.length > maxBytes) {
            throw new IllegalArgumentException(
                    "the payload has " + payload.length + " bytes, must have at most " + maxBytes);
        }
        TopicAddress address =
                TopicAddress.parse(Objects.requireNonNull(attempt.destination()).address());
        String topic = address.topic().isEmpty() ? attempt.queue() : address.topic();
        if (!TopicAddress.isTopic(topic)) {
            throw new IllegalArgumentException("topic " + topic + " " + TopicAddress.TOPIC_RULE);
        }
        MessageBuilder builder =
                client.newMessageBuilder().setTopic(topic).setBody(payload.length == 0 ? NOTHING : payload);
        TimerMessage.of(attempt, PREFIX).headers().forEach((name, value) -> {
            checkText(name, name);
            checkText(name, value);
            builder.addProperty(name, value);
        });
        if (attempt.contentType() != null) {
            builder.addProperty(CONTENT_TYPE, attempt.contentType());
        }
        if (payload.length == 0) {
            builder.addProperty(NO_PAYLOAD, "none");
        }
        builder.setKeys(address.key().isEmpty() ? attempt.key() : address.key());
        if (!address.group().isEmpty()) {
            builder.setMessageGroup(address.group());
        }
        if (!address.tag().isEmpty()) {
            builder.setTag(address.tag());
        }
        return builder.build();
    }

    private static void checkText(String name, String text) {
        if (!TopicAddress.isText(text)) {
            throw new IllegalArgumentException("header " + name
                    + " is blank or has control characters, which RocketMQ does not take in a property");
        }
    }
}
