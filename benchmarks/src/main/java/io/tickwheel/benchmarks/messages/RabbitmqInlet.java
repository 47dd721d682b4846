package io.tickwheel.benchmarks.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.target.rabbitmq.RabbitmqSourceKind;
import java.util.HashMap;
import java.util.Map;

/** Into the exchange {@code shop.delayed}, as publishers for the plugin do it, and out of a durable queue behind the exchange {@code shop}. */
final class RabbitmqInlet implements Inlet {

    private static final String QUEUE = "mails";
    private static final String IN = "shop.delayed";
    private static final String OUT = "shop";
    private static final long CONFIRM_TIMEOUT_MS = 60_000;
    private static final int PREFETCH = 1_000;
    private static final int PERSISTENT = 2;

    private final Map<String, String> broker;
    private final Connection connection;
    private final Channel publisher;
    private int sent;

    private RabbitmqInlet(Map<String, String> broker, Connection connection, Channel publisher) {
        this.broker = broker;
        this.connection = connection;
        this.publisher = publisher;
    }

    /** Makes the exchanges and queues, that of the source too: messages can go in before it is open. */
    static Inlet open(Map<String, String> broker, ConnectionFactory factory) throws Exception {
        Connection connection = factory.newConnection();
        Channel publisher = connection.createChannel();
        publisher.confirmSelect();
        publisher.exchangeDeclare(OUT, "topic", true);
        publisher.queueDeclare(QUEUE, true, false, false, null);
        publisher.queueBind(QUEUE, OUT, "mail.#");
        publisher.exchangeDeclare(IN, "fanout", true);
        publisher.queueDeclare("tickwheel", true, false, false, null);
        publisher.queueBind("tickwheel", IN, "");
        return new RabbitmqInlet(broker, connection, publisher);
    }

    @Override
    public SourceKind kind() {
        return new RabbitmqSourceKind();
    }

    @Override
    public Map<String, String> options() {
        Map<String, String> options = new HashMap<>(broker);
        options.put("exchanges", IN + "=" + OUT);
        return options;
    }

    @Override
    public void send(String message, int delayMs) throws Exception {
        BasicProperties properties = new BasicProperties.Builder()
                .messageId("m" + sent++)
                .deliveryMode(PERSISTENT)
                .headers(Map.of("x-delay", delayMs))
                .build();
        publisher.basicPublish(IN, "mail.x", properties, message.getBytes(UTF_8));
    }

    @Override
    public void flush() throws Exception {
        publisher.waitForConfirmsOrDie(CONFIRM_TIMEOUT_MS);
    }

    @Override
    public void take(Taker taker) throws Exception {
        Channel channel = connection.createChannel();
        channel.basicQos(PREFETCH);
        channel.basicConsume(
                QUEUE,
                false,
                (tag, delivery) -> {
                    taker.came(new String(delivery.getBody(), UTF_8));
                    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
                },
                tag -> {});
    }

    @Override
    public void close() {
        connection.abort();
    }
}
