package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.tickwheel.target.rabbitmq.Confirms.Closing;
import io.tickwheel.testkit.RecordedDelivery;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real channel that the broker closes in the middle of a call. */
@Timeout(300)
final class ConfirmsTest {

    private static final String DEFAULT_EXCHANGE = "";

    private final CompletableFuture<Closing> closed = new CompletableFuture<>();

    private static Publication publication(String exchange) {
        return publication(exchange, new RecordedDelivery());
    }

    private static Publication publication(String exchange, RecordedDelivery told) {
        return new Publication(
                "id of " + exchange, exchange, "confirms", new BasicProperties(), new byte[1], Long.MAX_VALUE, told);
    }

    /** As a queue does that is full and takes no more. */
    @Test
    void messageThatTheBrokerRefusesIsNotDelivered() throws IOException {
        AtomicLong numbers = new AtomicLong();
        Channel channel = (Channel) Proxy.newProxyInstance(
                Channel.class.getClassLoader(),
                new Class<?>[] {Channel.class},
                (proxy, method, arguments) ->
                        method.getName().equals("getNextPublishSeqNo") ? numbers.incrementAndGet() : null);
        Confirms confirms = new Confirms(channel, closed::complete);
        RecordedDelivery first = new RecordedDelivery();
        RecordedDelivery second = new RecordedDelivery();
        RecordedDelivery third = new RecordedDelivery();
        confirms.publish(publication(DEFAULT_EXCHANGE, first));
        confirms.publish(publication(DEFAULT_EXCHANGE, second));
        confirms.publish(publication(DEFAULT_EXCHANGE, third));
        confirms.handleNack(2, true);
        assertThat(first.end()).isEqualTo("failed: the broker has refused the message (basic.nack)");
        assertThat(second.end()).isEqualTo("failed: the broker has refused the message (basic.nack)");
        assertThat(third.isOpen()).isTrue();
        confirms.handleAck(3, false);
        assertThat(third.end()).isEqualTo("acknowledged");
    }

    /** The client counts a message that it could not send, and the broker does not. */
    @Test
    void confirmIsOfTheMessageThatTheBrokerHasCounted() throws IOException {
        AtomicLong numbers = new AtomicLong();
        Channel channel = (Channel) Proxy.newProxyInstance(
                Channel.class.getClassLoader(), new Class<?>[] {Channel.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("basicPublish") && arguments[0].equals("too large")) {
                        throw new IllegalArgumentException("Content headers exceeded max frame size");
                    }
                    return method.getName().equals("getNextPublishSeqNo") ? numbers.incrementAndGet() : null;
                });
        Confirms confirms = new Confirms(channel, closed::complete);
        assertThatThrownBy(() -> confirms.publish(publication("too large")))
                .isInstanceOf(IllegalArgumentException.class);
        RecordedDelivery first = new RecordedDelivery();
        RecordedDelivery second = new RecordedDelivery();
        confirms.publish(publication(DEFAULT_EXCHANGE, first));
        confirms.publish(publication(DEFAULT_EXCHANGE, second));
        confirms.handleAck(2, false);
        assertThat(first.isOpen()).isTrue();
        assertThat(second.end()).isEqualTo("acknowledged");
    }

    @Test
    void messageIsSentAgainEightTimesAtMost() {
        Publication publication = publication(DEFAULT_EXCHANGE);
        for (int i = 0; i < 8; i++) {
            assertThat(publication.mayRepeat()).isTrue();
        }
        assertThat(publication.mayRepeat()).isFalse();
    }

    @Test
    void messageOfAChannelThatIsClosedWhileItIsSentIsSentAgainOnce() throws Exception {
        try (RabbitServer server = RabbitServer.start();
                Connection connection = server.connect()) {
            Channel channel = connection.createChannel();
            CompletableFuture<Confirms> made = new CompletableFuture<>();
            AtomicLong numbers = new AtomicLong();
            Publication blamed = publication("there is none");
            Channel closing = (Channel) Proxy.newProxyInstance(
                    Channel.class.getClassLoader(), new Class<?>[] {Channel.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("getNextPublishSeqNo")) {
                            // Two of them are being sent at once.
                            return numbers.incrementAndGet();
                        }
                        if (method.getName().equals("basicPublish") && arguments[0].equals(DEFAULT_EXCHANGE)) {
                            made.join().publish(blamed);
                            closed.get(60, TimeUnit.SECONDS);
                        }
                        try {
                            return method.invoke(channel, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            made.complete(new Confirms(closing, closed::complete));
            Publication next = publication(DEFAULT_EXCHANGE);
            made.join().publish(next);
            assertThat(closed.join().exchange()).isEqualTo("there is none");
            assertThat(closed.join().others()).containsExactly(next);
            assertThat(blamed.hasEnded()).isTrue();
            assertThat(next.hasEnded()).isFalse();
            Publication late = publication("late");
            assertThatThrownBy(() -> made.join().publish(late))
                    .as("a message that nobody has taken")
                    .isInstanceOf(AlreadyClosedException.class);
        }
    }
}
