package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import org.junit.jupiter.api.Test;

final class AmqpMessageTest {

    private static BasicProperties sent(BasicProperties given) {
        return AmqpMessage.properties(Attempts.of("q", "k", "~/~", new byte[1]), given, Attempts.DUE);
    }

    @Test
    void whatAMessageCameWithGoesOverWhatItsTimerHas() {
        BasicProperties given = new BasicProperties.Builder()
                .contentType("text/plain")
                .messageId("m-1")
                .deliveryMode(1)
                .build();
        assertThat(sent(given).getContentType()).isEqualTo("text/plain");
        assertThat(sent(given).getMessageId()).isEqualTo("m-1");
        assertThat(sent(given).getDeliveryMode()).isEqualTo(1);
        BasicProperties without = sent(new BasicProperties());
        assertThat(without.getContentType()).isEqualTo("application/octet-stream");
        assertThat(without.getMessageId()).isEqualTo("id-k");
        assertThat(without.getDeliveryMode()).isEqualTo(2);
    }
}
