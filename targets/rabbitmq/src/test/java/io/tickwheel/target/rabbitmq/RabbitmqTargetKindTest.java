package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.testkit.RecordedDelivery;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RabbitmqTargetKindTest {

    private final RabbitmqTargetKind kind = new RabbitmqTargetKind();

    private String read(Map<String, Object> fields) {
        return kind.read(TargetFields.of(Map.of("rabbitmq", fields)));
    }

    @Test
    void whatIsReadIsWrittenAgain() {
        for (Map<String, Object> fields : List.of(
                Map.<String, Object>of(),
                Map.<String, Object>of("exchange", "orders"),
                Map.<String, Object>of("exchange", "", "routingKey", "a queue/~ü%"),
                Map.<String, Object>of("exchange", "~", "routingKey", ""),
                Map.<String, Object>of("exchange", "x".repeat(255), "routingKey", "k"))) {
            String address = read(fields);
            assertThat(kind.write(address)).isEqualTo(Map.of("rabbitmq", fields));
        }
        assertThat(read(Map.of("exchange", "orders", "routingKey", "order.unpaid")))
                .as("is stored, and must never change")
                .isEqualTo("orders/order.unpaid");
        assertThat(read(Map.of())).isEqualTo("~/~");
    }

    /** All messages to an exchange that is not there wait together, whatever their routing keys. */
    @Test
    void routeIsTheExchange() {
        assertThat(RabbitmqAddress.exchangeOf(new RabbitmqAddress("shop/a", "mail.welcome", null).text()))
                .isEqualTo(RabbitmqAddress.exchangeOf(new RabbitmqAddress("shop/a", "mail.bye", null).text()))
                .isNotEqualTo(RabbitmqAddress.exchangeOf(new RabbitmqAddress("shop", "a/mail.bye", null).text()));
    }

    @Test
    void settingsAreReadAsFieldsAre() {
        assertThat(kind.readSetting("")).isEqualTo(read(Map.of()));
        assertThat(kind.readSetting("orders")).isEqualTo(read(Map.of("exchange", "orders")));
        assertThat(kind.readSetting("orders a b")).isEqualTo(read(Map.of("exchange", "orders", "routingKey", "a b")));
        assertThatThrownBy(() -> kind.readSetting("x".repeat(256))).hasMessageContaining("at most 255 bytes");
        assertThatThrownBy(() -> kind.readSetting("orders " + "x".repeat(256)))
                .hasMessageContaining("at most 255 bytes");
        String longest = "x".repeat(255);
        assertThat(kind.readSetting(longest + " " + longest))
                .isEqualTo(read(Map.of("exchange", longest, "routingKey", longest)));
    }

    /** Those of the connection to the broker, and those of the target itself. */
    @Test
    void allOptionsAreTold() {
        assertThat(kind.options())
                .extracting(KindOption::name)
                .contains("uri", "host", "password", "channels", "confirmTimeoutMs", "maxBytes")
                .doesNotHaveDuplicates();
    }

    @Test
    void namesThatAmqpCannotSendAreRefused() {
        assertThatThrownBy(() -> read(Map.of("exchange", "ü".repeat(128))))
                .hasMessage("must have at most 255 bytes")
                .satisfies(e -> assertThat(((InvalidTargetException) e).field()).isEqualTo("rabbitmq.exchange"));
        assertThatThrownBy(() -> read(Map.of("routingKey", "x".repeat(256)))).hasMessageContaining("255");
        assertThatThrownBy(() -> read(Map.of("exchange", ""))).hasMessageContaining("without a routingKey");
        assertThatThrownBy(() -> read(Map.of("topic", "a"))).hasMessageContaining("is not known");
    }

    @Test
    void propertiesThatCloseAChannelAreRefused() {
        String fine = StoredProperties.write(
                new BasicProperties.Builder().priority(3).expiration("60000").build());
        assertThat(kind.write(read(Map.of("properties", fine))))
                .isEqualTo(Map.of("rabbitmq", Map.of("properties", fine)));
        for (String bad : new String[] {
            "!",
            "AA",
            StoredProperties.write(new BasicProperties.Builder().userId("u").build()),
            StoredProperties.write(
                    new BasicProperties.Builder().expiration("soon").build()),
            StoredProperties.write(
                    new BasicProperties.Builder().expiration("12345678901").build())
        }) {
            assertThatThrownBy(() -> read(Map.of("properties", bad)))
                    .isInstanceOf(InvalidTargetException.class)
                    .hasMessageStartingWith("must ");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "port, 70000",
        "port, x",
        "channels, 0",
        "channels, 65",
        "confirmTimeoutMs, 99",
        "maxBytes, 0",
        "heartbeatSeconds, 0",
        "tls, yes",
        "tlsCa, /nowhere",
        "uri, http://u:canary@host/",
        "uri, 'amqp://u:canary@ho st/'"
    })
    void brokenOptionsEndTheStartAndShowNoValue(String option, String value) {
        assertThatThrownBy(() -> kind.open(new TargetOptions(Clock.system(), 10, Map.of(option, value))))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessageStartingWith("must ")
                .hasMessageNotContaining("canary")
                .hasNoCause()
                .satisfies(e -> assertThat(((InvalidTargetException) e).field()).isEqualTo(option));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "port", "user", "channels"})
    void withoutAPlaceEachAttemptFailsAndSaysWhatIsMissing(String option) {
        Map<String, String> settings = option.isEmpty() ? Map.of() : Map.of(option, "7");
        Target target = kind.open(new TargetOptions(Clock.system(), 10, settings));
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(Attempts.of("q", "k", "orders/x", new byte[0]), delivery);
        assertThat(delivery.end())
                .isEqualTo("failed: targets.rabbitmq.uri is not set, and targets.rabbitmq.host neither");
        target.close();
    }

    @Test
    void whatTheUriSaysIsNotSaidTwice() {
        Map<String, String> twice = Map.of("uri", "amqp://h/", "password", "canary");
        assertThatThrownBy(() -> kind.open(new TargetOptions(Clock.system(), 10, twice)))
                .hasMessage("must not be with uri");
    }

    @Test
    void noTextShowsThePassword() {
        Map<String, String> settings = Map.of("uri", "amqp://user:canary@127.0.0.1:1/");
        Target target = kind.open(new TargetOptions(Clock.system(), 10, settings));
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(Attempts.of("q", "k", "orders/x", new byte[0]), delivery);
        assertThat(delivery.end())
                .startsWith("failed: the broker 127.0.0.1:1 is away")
                .doesNotContain("canary");
        assertThat(target.toString()).doesNotContain("canary");
        target.close();
    }

    @ParameterizedTest
    @CsvSource({
        "exchanges, a",
        "exchanges, 'a=b,'",
        "exchanges, 'a=b,a=c'",
        "exchanges, =b",
        "queue, ''",
        "timerQueue, a b",
        "prefetch, 0"
    })
    void brokenOptionsOfTheSourceAreRefused(String option, String value) {
        SourceOptions options = new SourceOptions(Clock.system(), () -> 7, Map.of(option, value));
        assertThatThrownBy(() -> new RabbitmqSourceKind().open(options, null))
                .isInstanceOf(InvalidTargetException.class)
                .satisfies(e -> assertThat(((InvalidTargetException) e).field()).isEqualTo(option));
    }
}
