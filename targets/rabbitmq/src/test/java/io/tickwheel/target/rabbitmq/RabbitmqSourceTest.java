package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A publisher that was written for the plugin, of which only the exchange has changed: to {@code shop.delayed}, behind which is {@code shop}. */
@Timeout(300)
final class RabbitmqSourceTest {

    private static final int FAR_MS = 3_600_000;

    private static RabbitServer server;

    @TempDir
    private Path folder;

    private final AtomicLong random = new AtomicLong();
    private Connection connection;
    private Channel channel;
    private Target target;
    private Tickwheel timers;
    private Source source;

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
        channel.confirmSelect();
        channel.exchangeDeclare("shop", "topic", true);
        channel.queueDeclare("mails", true, false, false, null);
        channel.queueBind("mails", "shop", "mail.#");
        Map<String, String> port = Map.of("host", "127.0.0.1", "port", Integer.toString(server.port()));
        target = new RabbitmqTargetKind().open(new TargetOptions(Clock.system(), 256, port));
        openTimers();
        openSource();
    }

    private void openTimers() {
        timers = Tickwheel.builder(FileTimerStore.in(folder).withSegmentBytes(1 << 16))
                .target("rabbitmq", target)
                .open();
    }

    private void openSource() {
        openSource(Map.of());
    }

    private void openSource(Map<String, String> others) {
        Map<String, String> settings = new HashMap<>(others);
        settings.put("port", Integer.toString(server.port()));
        settings.put("exchanges", "shop.delayed=shop");
        source = new RabbitmqSourceKind()
                .open(new SourceOptions(Clock.system(), random::incrementAndGet, settings), timers);
        Patience.until("the source takes messages", () -> source.unready().isEmpty());
    }

    @AfterEach
    void close() throws IOException {
        source.close();
        timers.close();
        target.close();
        for (String queue : List.of("mails", "tickwheel", "tickwheel.refused")) {
            channel.queuePurge(queue);
        }
        connection.abort();
    }

    private void publish(String body, UnaryOperator<BasicProperties.Builder> properties, Map<String, Object> headers)
            throws Exception {
        channel.basicPublish(
                "shop.delayed",
                "mail.welcome",
                properties.apply(new BasicProperties.Builder().headers(headers)).build(),
                body.getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirmsOrDie(20_000);
    }

    private GetResponse next(String queue) {
        GetResponse[] got = new GetResponse[1];
        Patience.until("a message is in " + queue, () -> {
            try {
                got[0] = channel.basicGet(queue, true);
                return got[0] != null;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return got[0];
    }

    private void awaitCounts(long scheduled, long known, long refused) {
        Patience.until("the counts are as wanted, and not " + source.counts(), () -> {
            SourceCounts counts = source.counts();
            return counts.scheduled() == scheduled && counts.known() == known && counts.refused() == refused;
        });
    }

    @Test
    void queueThatIsDeletedIsMadeAnew() throws Exception {
        channel.queueDelete("tickwheel");
        Patience.until("the source has noticed", () -> source.unready().isPresent());
        Patience.until("it takes messages again", () -> source.unready().isEmpty());
        publish("hello", it -> it.messageId("m1"), Map.of());
        awaitCounts(1, 0, 0);
        assertThat(next("mails").getBody()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
    }

    @Test
    void messageComesOutAsItCameInAfterItsDelay() throws Exception {
        long before = System.currentTimeMillis();
        publish(
                "hello",
                it -> it.messageId("m1")
                        .correlationId("c")
                        .replyTo("r")
                        .type("t")
                        .appId("a")
                        .priority(4)
                        .deliveryMode(2)
                        .userId("guest")
                        .contentType("text/plain")
                        .timestamp(Date.from(Instant.ofEpochSecond(1_000))),
                Map.of("x-delay", 1_500, "number", 7L, "nested", Map.of("a", List.of(true))));
        GetResponse got = next("mails");
        assertThat(System.currentTimeMillis() - before).as("never early").isGreaterThanOrEqualTo(1_500);
        assertThat(new String(got.getBody(), StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(got.getEnvelope().getExchange()).isEqualTo("shop");
        assertThat(got.getEnvelope().getRoutingKey()).isEqualTo("mail.welcome");
        BasicProperties out = got.getProps();
        assertThat(out.getMessageId()).isEqualTo("m1");
        assertThat(out.getCorrelationId()).isEqualTo("c");
        assertThat(out.getReplyTo()).isEqualTo("r");
        assertThat(out.getType()).isEqualTo("t");
        assertThat(out.getAppId()).isEqualTo("a");
        assertThat(out.getPriority()).isEqualTo(4);
        assertThat(out.getContentType()).isEqualTo("text/plain");
        assertThat(out.getTimestamp()).isEqualTo(Date.from(Instant.ofEpochSecond(1_000)));
        assertThat(out.getHeaders())
                .containsEntry("x-delay", -1_500L)
                .containsEntry("number", 7L)
                .containsEntry("nested", Map.of("a", List.of(true)))
                .doesNotContainKey("cloudEvents:id");
        assertThat(out.getHeaders().get("tickwheel-user-id")).hasToString("guest");
        assertThat(out.getHeaders().get("tickwheel-key")).hasToString("m1");
    }

    @Test
    void delaysAreReadAsThePluginReadThem() throws Exception {
        for (Map<String, Object> headers : List.of(
                Map.<String, Object>of(),
                Map.<String, Object>of("x-delay", 0),
                Map.<String, Object>of("x-delay", -5_000),
                Map.<String, Object>of("x-delay", "250"),
                Map.<String, Object>of("x-delay", 250.9),
                Map.<String, Object>of("x-delay", true))) {
            publish("b", it -> it, headers);
            next("mails");
        }
        awaitCounts(6, 0, 0);
    }

    @Test
    void messageThatComesTwiceMakesOneTimerAlsoWhenThatIsCancelled() throws Exception {
        publish("b", it -> it.messageId("twice"), Map.of("x-delay", FAR_MS));
        publish("b", it -> it.messageId("twice"), Map.of("x-delay", FAR_MS));
        awaitCounts(1, 1, 0);
        timers.cancel("rabbitmq", "twice").join();
        publish("b", it -> it.messageId("twice"), Map.of("x-delay", FAR_MS));
        awaitCounts(1, 2, 0);
        assertThat(timers.find("rabbitmq", "twice").join().orElseThrow().state())
                .isEqualTo(TimerState.CANCELLED);
    }

    @Test
    void timerIsCancelledAndReplacedByTheKeyOfTheMessage() throws Exception {
        publish("one", it -> it.messageId("m1"), Map.of("x-delay", FAR_MS, "tickwheel-key", "order-42"));
        publish("two", it -> it.messageId("m2"), Map.of("x-delay", FAR_MS, "tickwheel-key", "order-42"));
        awaitCounts(2, 0, 0);
        assertThat(timers.read("rabbitmq", "order-42")
                        .join()
                        .orElseThrow()
                        .timer()
                        .version())
                .isEqualTo(2);
        timers.cancel("rabbitmq", "order-42").join();
        assertThat(timers.find("rabbitmq", "order-42").join().orElseThrow().state())
                .isEqualTo(TimerState.CANCELLED);
    }

    @Test
    void messageThatNoTimerCanBeMadeOfIsKeptWithTheReason() throws Exception {
        publish("soon", it -> it.messageId("s"), Map.of("x-delay", "soon"));
        assertThat(refused()).isEqualTo("soon: x-delay is 'soon', must be an integer of milliseconds");
        publish("far", it -> it.messageId("f"), Map.of("x-delay", Long.MAX_VALUE));
        assertThat(refused()).startsWith("far: x-delay is 9223372036854775807, must be due before ");
        publish("one", it -> it.messageId("same"), Map.of("x-delay", FAR_MS));
        publish("two", it -> it.messageId("same"), Map.of("x-delay", FAR_MS));
        assertThat(refused()).isEqualTo("two: message-id is that of another message, must be its own");
        channel.basicPublish("", "tickwheel", null, new byte[] {'d'});
        assertThat(refused()).startsWith("d: exchange '' has no exchange behind it");
        awaitCounts(1, 0, 4);
    }

    @Test
    void messageThatIsRefusedDoesNotExpire() throws Exception {
        publish("soon", it -> it.messageId("s").expiration("600000").priority(4), Map.of("x-delay", "soon"));
        BasicProperties kept = next("tickwheel.refused").getProps();
        assertThat(kept.getExpiration()).isNull();
        assertThat(kept.getPriority()).isEqualTo(4);
        assertThat(kept.getHeaders().get("tickwheel-exchange")).hasToString("shop.delayed");
        assertThat(kept.getHeaders().get("tickwheel-routing-key")).hasToString("mail.welcome");
    }

    /** The broker confirms what no queue takes. */
    @Test
    void messageIsRefusedAlsoWhenTheQueueForThatWasDeleted() throws Exception {
        channel.queueDelete("tickwheel.refused");
        publish("soon", it -> it.messageId("s"), Map.of("x-delay", "soon"));
        awaitCounts(0, 0, 1);
        assertThat(refused()).isEqualTo("soon: x-delay is 'soon', must be an integer of milliseconds");
    }

    @Test
    void messageWhoseHeadersLeaveNoRoomForTheReasonIsRefusedWithoutThem() throws Exception {
        String large = "x".repeat(connection.getFrameMax() - 150);
        publish("large", it -> it.messageId("l"), Map.of("x-delay", "soon", "large", large));
        assertThat(refused())
                .isEqualTo("large: x-delay is 'soon', must be an integer of milliseconds; its headers are too large to"
                        + " be kept here");
        publish("soon", it -> it.messageId("s"), Map.of("x-delay", "soon"));
        assertThat(refused()).startsWith("soon: ");
        awaitCounts(0, 0, 2);
    }

    /** The client takes 64 MiB unless it is told otherwise, the broker twice as much. */
    @Test
    void messageThatIsFarTooLargeIsRefusedAndHoldsUpNoOther() throws Exception {
        publish("x".repeat((64 << 20) + 1), it -> it.messageId("large"), Map.of());
        publish("small", it -> it.messageId("small"), Map.of());
        awaitCounts(1, 0, 1);
        assertThat(next("mails").getBody()).asString(StandardCharsets.UTF_8).isEqualTo("small");
    }

    /** The client of RabbitMQ ends the connection over such a message, and the broker gives it out again. */
    @Test
    void messageThatTheClientCannotReadIsNamedAndAQuorumQueueGivesItUp() throws Exception {
        source.close();
        channel.queueUnbind("tickwheel", "shop.delayed", "#");
        channel.queueDeclare("unread", true, false, false, null);
        channel.queueDeclare(
                "limited",
                true,
                false,
                false,
                Map.of(
                        "x-queue-type", "quorum",
                        "x-delivery-limit", 2,
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "unread"));
        openSource(Map.of("queue", "limited"));
        Map<String, Object> nested = Map.of();
        for (int i = 0; i < 40; i++) {
            nested = Map.of("n", nested);
        }
        publish("deep", it -> it.messageId("d"), nested);
        Patience.until(
                "the source says why it takes nothing, and not " + source.unready(),
                () -> source.unready().orElse("").contains("nested"));
        publish("flat", it -> it.messageId("f"), Map.of());
        awaitCounts(1, 0, 0);
        assertThat(next("mails").getBody()).asString(StandardCharsets.UTF_8).isEqualTo("flat");
        Patience.until("it is given up", () -> messageCount("unread") == 1);
        source.close();
        channel.queueDelete("limited");
    }

    private long messageCount(String queue) {
        try {
            return channel.messageCount(queue);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String refused() {
        GetResponse got = next("tickwheel.refused");
        return new String(got.getBody(), StandardCharsets.UTF_8) + ": "
                + got.getProps().getHeaders().get("tickwheel-refused");
    }

    /** What is held of those that cannot be scheduled is bounded; the others wait in the queue. */
    @Test
    void noMoreMessagesAreTakenAtOnceThanTheSettingSays() throws Exception {
        source.close();
        timers.close();
        openSource(Map.of("prefetch", "1"));
        for (int i = 0; i < 3; i++) {
            publish("hello", it -> it, Map.of("x-delay", FAR_MS));
        }
        Patience.until("a message is tried again", () -> source.counts().postponed() >= 4);
        assertThat(channel.messageCount("tickwheel")).isEqualTo(2);
        source.close();
        openTimers();
        openSource();
        awaitCounts(3, 0, 0);
    }

    /** A declaration that says something else of a queue than what it is, is refused. */
    @Test
    void queuesThatAreMadeOutliveTheBroker() throws IOException {
        for (String queue : List.of("tickwheel", "tickwheel.refused")) {
            assertThat(channel.queueDeclare(queue, true, false, false, null).getQueue())
                    .isEqualTo(queue);
        }
    }

    @Test
    void messagesWaitForASourceThatIsClosed() throws Exception {
        source.close();
        assertThat(source.unready()).contains("is closed");
        publish("later", it -> it.messageId("l"), Map.of("x-delay", FAR_MS));
        assertThat(timers.find("rabbitmq", "l").join()).isEmpty();
        openSource();
        awaitCounts(1, 0, 0);
    }
}
