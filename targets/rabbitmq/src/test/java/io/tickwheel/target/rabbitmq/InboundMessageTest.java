package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.impl.LongStringHelper;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.testkit.MemoryTimerStore;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of a message that comes in, without a broker. */
final class InboundMessageTest {

    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

    private static InboundMessage message(String exchange, String routingKey, Map<String, Object> headers) {
        return new InboundMessage(
                new Envelope(1, false, exchange, routingKey),
                new BasicProperties.Builder().messageId("m-1").headers(headers).build(),
                new byte[] {1},
                NOW);
    }

    private static Instant due(Object delay) {
        TimerRequest request = message("late", "k", Map.of(DelayHeader.NAME, delay))
                .request("q", Map.of("late", "orders"), () -> "key", false);
        return Instant.ofEpochMilli(request.dueAtMs(NOW));
    }

    @Test
    void aDelayIsReadInEachTypeThatAPublisherMayWrite() {
        for (Object delay : new Object[] {
            (byte) 100,
            (short) 100,
            100,
            100L,
            100.9f,
            100.9,
            new BigDecimal("100.9"),
            "100",
            LongStringHelper.asLongString("100")
        }) {
            assertThat(due(delay)).as(delay.getClass().getName()).isEqualTo(NOW.plusMillis(100));
        }
        for (Object delay : new Object[] {(byte) -1, -1L, Long.MIN_VALUE, -0.5, true, "0"}) {
            assertThat(due(delay)).as(delay.toString()).isEqualTo(NOW);
        }
    }

    @Test
    void aDelayThatNoTimerCanHaveIsRefused() {
        Duration longest = Duration.between(NOW, TimerRequest.LAST_DUE);
        assertThat(due(longest.toMillis())).isEqualTo(NOW.plusMillis(longest.toMillis()));
        for (long delayMs : new long[] {longest.toMillis() + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> due(delayMs))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(DelayHeader.NAME + " is " + delayMs);
        }
    }

    private static TimerRequest named(Object key) {
        return message("late", "k", Map.of(InboundMessage.KEY, key))
                .request("q", Map.of("late", "orders"), () -> "key", false);
    }

    @Test
    void aKeyIsAStringOrANumber() {
        assertThat(named("order-\u00e9").key().key()).isEqualTo("order-\u00e9");
        assertThat(named(LongStringHelper.asLongString("order-\u00e9")).key().key())
                .isEqualTo("order-\u00e9");
        assertThat(named(42).key().key()).isEqualTo("42");
    }

    /** Two of them would have one key, or each one another. */
    @Test
    void aKeyThatIsNoTextIsRefused() {
        assertThatThrownBy(() -> named(LongStringHelper.asLongString(new byte[] {'k', (byte) 0xff})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tickwheel-key is no text, must be in UTF-8");
        assertThatThrownBy(() -> named(new byte[] {'k'}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tickwheel-key is of the type byte[], must be a string");
        assertThatThrownBy(() -> named(List.of("k")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("tickwheel-key is of the type ");
    }

    /** Its owner puts it back into the queue by hand, where its exchange is the default one. */
    @Test
    void aMessageThatIsRefusedAgainSaysWhereItWasSentAtFirst() {
        BasicProperties once = message("late", "order.7", Map.of()).refused("why", 0);
        BasicProperties twice = message("", "tickwheel", once.getHeaders()).refused("why else", 0);
        assertThat(twice.getHeaders())
                .containsEntry(InboundMessage.REFUSED, "why else")
                .containsEntry(InboundMessage.EXCHANGE, "late")
                .containsEntry(InboundMessage.ROUTING_KEY, "order.7");
    }

    /** Over which a broker would close the connection, with all that is under way on it. */
    @Test
    void headersThatNoBrokerCanReadAreRefused() {
        for (Object bad : List.of(
                Double.NaN, Float.POSITIVE_INFINITY, List.of(Double.NaN), Map.of("in", Double.NEGATIVE_INFINITY))) {
            String stored = StoredProperties.write(
                    new BasicProperties.Builder().headers(Map.of("h", bad)).build());
            assertThatThrownBy(() -> StoredProperties.read(stored))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("must have no header that is infinite or no number");
        }
    }

    private static long hash(String id, String exchange, String routingKey, Map<String, Object> headers, String body) {
        return new InboundMessage(
                        new Envelope(1, false, exchange, routingKey),
                        new BasicProperties.Builder()
                                .messageId(id)
                                .headers(headers)
                                .build(),
                        body.getBytes(StandardCharsets.UTF_8),
                        NOW)
                .hash();
    }

    /** By its hash it is known whether a message comes again, or another one has the same id. */
    @Test
    void messagesAreToldApartByWhereTheyGoAndWhatIsInThem() {
        Map<String, Object> none = Map.of();
        Set<Long> hashes = Set.copyOf(List.of(
                hash("m", "late", "k", none, "b"),
                hash("n", "late", "k", none, "b"),
                hash("m", "later", "k", none, "b"),
                hash("m", "late", "l", none, "b"),
                hash("m", "late", "k", none, "c"),
                hash("m", "late", "k", Map.of(InboundMessage.EXCHANGE, "orders"), "b"),
                hash("m", "late", "k", Map.of(InboundMessage.ROUTING_KEY, "l"), "b"),
                hash("m", "lat", "ek", none, "b")));
        assertThat(hashes).hasSize(8);
        assertThat(hashes).contains(hash("m", "late", "k", Map.of(DelayHeader.NAME, 7), "b"));
    }

    @Test
    void headersSayWhereAMessageGoesInsteadOfWhereItWasSent() {
        Map<String, Object> headers = Map.of(InboundMessage.EXCHANGE, "mails", InboundMessage.ROUTING_KEY, "welcome");
        RabbitmqAddress named = address(headers);
        assertThat(named.exchange()).isEqualTo("mails");
        assertThat(named.routingKey()).isEqualTo("welcome");
        RabbitmqAddress sent = address(Map.of());
        assertThat(sent.exchange()).isEqualTo("orders");
        assertThat(sent.routingKey()).isEqualTo("k");
    }

    private static RabbitmqAddress address(Map<String, Object> headers) {
        TimerRequest request = message("late", "k", headers).request("q", Map.of("late", "orders"), () -> "key", false);
        try (Tickwheel timers = Tickwheel.open(new MemoryTimerStore())) {
            var unused = timers.schedule(request).join();
            return RabbitmqAddress.parse(timers.read("q", "m-1")
                    .join()
                    .orElseThrow()
                    .content()
                    .destination()
                    .address());
        }
    }
}
