package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.tickwheel.engine.Attempt;
import io.tickwheel.target.message.TimerMessage;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The properties of the message of an attempt. Those that came with the address stay as they are, and such a message gets no attributes of CloudEvents. */
final class AmqpMessage {

    private static final String CLOUD_EVENTS = "cloudEvents:";
    private static final int PERSISTENT = 2;

    private AmqpMessage() {}

    /**
     * Makes the properties.
     *
     * @throws IllegalArgumentException with the rule, when the sender has a header that belongs to Tickwheel
     */
    static BasicProperties properties(Attempt attempt, @Nullable BasicProperties given, Instant now) {
        Map<String, Object> headers = new LinkedHashMap<>();
        if (given != null && given.getHeaders() != null) {
            headers.putAll(given.getHeaders());
        }
        TimerMessage.of(attempt, CLOUD_EVENTS).headers().forEach((name, value) -> {
            boolean isOurs = !name.startsWith(CLOUD_EVENTS) || attempt.headers().containsKey(name);
            if (!name.equals(TimerMessage.CONTENT_TYPE) && (given == null || isOurs)) {
                headers.put(name, value);
            }
        });
        BasicProperties base = given == null ? new BasicProperties() : given;
        BasicProperties.Builder properties = base.builder().headers(headers);
        if (base.getContentType() == null) {
            properties.contentType(attempt.contentType());
        }
        if (base.getDeliveryMode() == null) {
            properties.deliveryMode(PERSISTENT);
        }
        if (base.getMessageId() == null) {
            properties.messageId(attempt.id());
        }
        if (base.getTimestamp() == null) {
            properties.timestamp(Date.from(now));
        }
        return properties.build();
    }
}
