package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.testkit.RecordedDelivery;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class RabbitmqTargetTest {

    private static RabbitServer server;

    private Connection connection;
    private Channel channel;
    private String queue;
    private Target target;

    @BeforeAll
    static void startServer() {
        server = RabbitServer.start();
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        connection = server.connect();
        channel = connection.createChannel();
        channel.exchangeDeclare("orders", "topic", true);
        queue = channel.queueDeclare("unpaid", true, false, false, null).getQueue();
        channel.queuePurge(queue);
        channel.queueBind(queue, "orders", "order.#");
        target = target(Map.of());
    }

    private static Target target(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.put("host", "127.0.0.1");
        settings.put("port", Integer.toString(server.port()));
        return new RabbitmqTargetKind().open(new TargetOptions(Clock.system(), 2_048, settings));
    }

    @AfterEach
    void close() {
        target.close();
        connection.abort(500);
    }

    private String outcome(Target of, String key, String address, byte[] payload, Map<String, String> headers) {
        RecordedDelivery delivery = new RecordedDelivery();
        of.deliver(Attempts.of("q", key, address, payload, headers), delivery);
        return delivery.end();
    }

    private String outcome(String key, String address) {
        return outcome(target, key, address, new byte[] {1}, Map.of());
    }

    @Test
    void messageHasPayloadPropertiesAndHeaders() throws IOException {
        byte[] payload = {0, -1, 10, 127};
        assertThat(outcome(target, "ü/1", "orders/order.unpaid", payload, Map.of("X-Trace", "7")))
                .isEqualTo("acknowledged");
        GetResponse got = channel.basicGet(queue, true);
        assertThat(got.getBody()).isEqualTo(payload);
        assertThat(got.getEnvelope().getRoutingKey()).isEqualTo("order.unpaid");
        BasicProperties properties = got.getProps();
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getMessageId()).isEqualTo("id-ü/1");
        assertThat(properties.getContentType()).isEqualTo("application/octet-stream");
        assertThat(properties.getTimestamp()).isNotNull();
        assertThat(texts(properties))
                .containsEntry("tickwheel-id", "id-ü/1")
                .containsEntry("tickwheel-queue", "q")
                .containsEntry("tickwheel-key", "ü/1")
                .containsEntry("tickwheel-version", "3")
                .containsEntry("tickwheel-attempt", "2")
                .containsEntry("tickwheel-due-at", "2026-11-20T15:04:05.100Z")
                .containsEntry("tickwheel-lateness-ms", "12")
                .containsEntry("cloudEvents:subject", "ü/1")
                .containsEntry("X-Trace", "7")
                .doesNotContainKey("content-type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "/%2f"})
    void uriThatNamesNoVirtualHostIsOfTheDefaultOne(String path) {
        Map<String, String> settings = Map.of("uri", "amqp://guest:guest@127.0.0.1:" + server.port() + path);
        Target named = new RabbitmqTargetKind().open(new TargetOptions(Clock.system(), 2_048, settings));
        try {
            assertThat(outcome(named, "k", "orders/order.unpaid", new byte[1], Map.of()))
                    .isEqualTo("acknowledged");
        } finally {
            named.close();
        }
    }

    @Test
    void emptyPayloadAndNamesOfTheQueueAreDelivered() throws IOException {
        channel.exchangeDeclare("q", "direct", true);
        channel.queueBind(queue, "q", "q");
        assertThat(outcome(target, "k", "~/~", new byte[0], Map.of())).isEqualTo("acknowledged");
        assertThat(channel.basicGet(queue, true).getBody()).isEmpty();
    }

    @Test
    void messageThatNoQueueTakesIsAFailedAttempt() {
        assertThat(outcome("k", "orders/nobody"))
                .isEqualTo(
                        "failed: no queue takes it: exchange 'orders' with routing key 'nobody' answers 312 NO_ROUTE");
    }

    @Test
    void exchangeThatIsNotThereFailsItsOwnTimersAndNoOthers() throws IOException {
        List<RecordedDelivery> fine = new ArrayList<>();
        List<RecordedDelivery> bad = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            fine.add(new RecordedDelivery());
            target.deliver(Attempts.of("q", "fine" + i, "orders/order.x", new byte[0]), fine.get(i));
            // Fewer than half as often as a message is sent again.
            if (i % 75 == 7) {
                bad.add(new RecordedDelivery());
                target.deliver(Attempts.of("q", "bad" + i, "none" + i + "/x", new byte[0]), bad.get(bad.size() - 1));
            }
        }
        assertThat(bad).allSatisfy(each -> assertThat(each.end()).startsWith("failed: NOT_FOUND - no exchange 'none"));
        assertThat(fine).allSatisfy(each -> assertThat(each.end()).isEqualTo("acknowledged"));
    }

    /** RabbitMQ closes the channel and does not say over which message; no other may pay for it. */
    @Test
    void messageThatTheBrokerCannotReadFailsAlone() {
        List<RecordedDelivery> fine = new ArrayList<>();
        List<RecordedDelivery> bad = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            fine.add(new RecordedDelivery());
            target.deliver(Attempts.of("q", "fine" + i, "orders/order.x", new byte[0]), fine.get(i));
            if (i % 100 == 7) {
                bad.add(new RecordedDelivery());
                target.deliver(
                        Attempts.of("q", "bad" + i, "orders/order.x", new byte[0], Map.of("CC", "no list")),
                        bad.get(bad.size() - 1));
            }
        }
        assertThat(bad).allSatisfy(each -> {
            assertThat(each.end()).startsWith("failed: PRECONDITION_FAILED");
            assertThat(each.hasReached()).isTrue();
        });
        assertThat(fine).allSatisfy(each -> assertThat(each.end()).isEqualTo("acknowledged"));
    }

    /** For a second nothing is sent to it. */
    @Test
    void exchangeThatIsMadeLaterIsFound() throws IOException {
        assertThat(outcome("k", "later/order.1")).startsWith("failed: NOT_FOUND - no exchange 'later'");
        channel.exchangeDeclare("later", "topic");
        channel.queueBind(queue, "later", "order.#");
        String last = Patience.look(() -> outcome("k", "later/order.1"), "acknowledged"::equals);
        assertThat(last).isEqualTo("acknowledged");
    }

    @Test
    void whatCannotBeSentIsRejectedAtOnce() {
        assertThat(outcome(target, "k", "orders/order.x", new byte[1], Map.of("tickwheel-id", "x")))
                .startsWith("rejected: header tickwheel-id");
        assertThat(outcome("k", "nonsense")).startsWith("rejected: ");
        Target small = target(Map.of("maxBytes", "3"));
        assertThat(outcome(small, "k", "orders/order.x", new byte[4], Map.of()))
                .isEqualTo("rejected: the payload has 4 bytes, must have at most 3");
        assertThat(outcome(small, "k", "orders/order.x", new byte[3], Map.of())).isEqualTo("acknowledged");
        small.close();
    }

    @Test
    void brokerThatIsKilledLosesNothingThatWasConfirmed() throws Exception {
        Map<String, String> outcomes = new ConcurrentHashMap<>();
        assertThat(outcome("warm", "orders/order.x")).isEqualTo("acknowledged");
        List<String> open = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            open.add("k" + i);
        }
        boolean killed = false;
        for (int round = 0; !open.isEmpty(); round++) {
            List<RecordedDelivery> deliveries = new ArrayList<>();
            for (String key : open) {
                RecordedDelivery delivery = new RecordedDelivery();
                deliveries.add(delivery);
                target.deliver(Attempts.of("q", key, "orders/order.x", key.getBytes(StandardCharsets.UTF_8)), delivery);
                if (!killed && deliveries.size() == 1_500) {
                    server.kill();
                    killed = true;
                }
            }
            for (int i = 0; i < open.size(); i++) {
                outcomes.put(open.get(i), deliveries.get(i).end());
            }
            if (round == 0) {
                assertThat(deliveries)
                        .allMatch(delivery ->
                                delivery.hasReached() == delivery.end().equals("acknowledged"));
                assertThat(outcomes.values()).anyMatch(outcome -> outcome.startsWith("failed: "));
                assertThat(outcome("other", "orders/order.x")).contains(" is away");
                server.restart();
                Patience.until(
                        "the broker is reached again",
                        () -> outcome("probe", "orders/order.x").equals("acknowledged"));
            }
            open.removeIf(key -> outcomes.get(key).equals("acknowledged"));
        }
        try (Connection again = server.connect()) {
            Channel reader = again.createChannel();
            Set<String> got = new HashSet<>();
            for (GetResponse next = reader.basicGet(queue, true); next != null; next = reader.basicGet(queue, true)) {
                got.add(new String(next.getBody(), StandardCharsets.UTF_8));
            }
            assertThat(got).containsAll(outcomes.keySet());
        }
    }

    /** By a target that gives up sooner than a machine may need that is busy. */
    private void awaitDelivered(Target impatient) {
        String last = Patience.look(
                () -> outcome(impatient, "k", "orders/order.x", new byte[1], Map.of()), "acknowledged"::equals);
        assertThat(last).isEqualTo("acknowledged");
    }

    /** The heap is full where the end of an attempt is told, which may be in each of its threads. */
    @Test
    void errorEndsNoThread() throws Exception {
        Target oneLane = target(Map.of("channels", "1", "confirmTimeoutMs", "1000"));
        assertThat(outcome(oneLane, "k", "none/x", new byte[1], Map.of())).startsWith("failed: NOT_FOUND");
        Delivery full = (Delivery) Proxy.newProxyInstance(
                Delivery.class.getClassLoader(), new Class<?>[] {Delivery.class}, (proxy, method, arguments) -> {
                    throw new OutOfMemoryError("planted");
                });
        // Refused by the thread that sends.
        oneLane.deliver(Attempts.of("q", "k", "none/x", new byte[1]), full);
        awaitDelivered(oneLane);
        // Ended by the one that looks for what is late, when its time has passed.
        server.suspendChannels();
        oneLane.deliver(Attempts.of("q", "k", "orders/order.x", new byte[1]), full);
        assertThat(outcome(oneLane, "k", "orders/order.x", new byte[1], Map.of()))
                .as("or it came after the channel had been left")
                .isIn("failed: the broker has not confirmed the message in time", "acknowledged");
        awaitDelivered(oneLane);
        oneLane.close();
    }

    /** A broker may lose what a channel waits for and go on; the target must not wait for it as long as the connection lives. */
    @Test
    void channelThatConfirmsNothingIsLeft() throws Exception {
        Target patient = target(Map.of("confirmTimeoutMs", "1000"));
        awaitDelivered(patient);
        server.suspendChannels();
        assertThat(outcome(patient, "warm", "orders/order.x", new byte[1], Map.of()))
                .isEqualTo("failed: the broker has not confirmed the message in time");
        awaitDelivered(patient);
        patient.close();
    }

    /** The broker tells a connection of it that sends a message meanwhile, which it takes once the alarm is over. */
    @Test
    void brokerWithAnAlarmTakesNothingUntilThatIsOver() throws Exception {
        Target patient = target(Map.of("confirmTimeoutMs", "500"));
        awaitDelivered(patient);
        server.raiseAlarm(true);
        try {
            String last = Patience.look(
                    () -> outcome(patient, "k", "orders/order.x", new byte[1], Map.of()),
                    end -> end.contains("takes no messages"));
            assertThat(last).contains("takes no messages");
        } finally {
            server.raiseAlarm(false);
        }
        awaitDelivered(patient);
        patient.close();
    }

    /** The attempts that fail at once, and those between which try to connect. */
    @Test
    void brokerThatIsAwayIsNeverReached() throws Exception {
        Map<String, String> nowhere = new HashMap<>();
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nowhere.put("port", Integer.toString(closed.getLocalPort()));
        }
        nowhere.put("host", "127.0.0.1");
        Target away = new RabbitmqTargetKind().open(new TargetOptions(Clock.system(), 2_048, nowhere));
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        while (System.nanoTime() - endNanos < 0) {
            RecordedDelivery delivery = new RecordedDelivery();
            away.deliver(Attempts.of("q", "k", "orders/order.x", new byte[] {1}), delivery);
            assertThat(delivery.end()).startsWith("failed: ");
            assertThat(delivery.hasReached()).isFalse();
        }
        away.close();
    }

    @Test
    void exchangeThatIsNotThereIsAnAnswer() {
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(Attempts.of("q", "k", "nowhere/x", new byte[] {1}), delivery);
        assertThat(delivery.end()).startsWith("failed: ");
        assertThat(delivery.hasReached()).isTrue();
    }

    private static Map<String, String> texts(BasicProperties properties) {
        return properties.getHeaders().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().toString()));
    }
}
