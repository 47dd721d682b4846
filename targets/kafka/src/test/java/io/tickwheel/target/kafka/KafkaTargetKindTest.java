package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KafkaTargetKindTest {

    private static final String CANARY = "canary-7f3a";

    private final KafkaTargetKind kind = new KafkaTargetKind();

    @TempDir
    private Path folder;

    @Test
    void serverFindsIt() {
        assertThat(ServiceLoader.load(TargetKind.class)).hasAtLeastOneElementOfType(KafkaTargetKind.class);
    }

    @Test
    void addressesSayWhatTheFieldsSay() {
        check("orders", Map.of("topic", "orders"));
        check("a.B_9-x customer 7", Map.of("topic", "a.B_9-x", "key", "customer 7"));
        check(" k", Map.of("key", "k"));
        check("", Map.of());
        check("orders#AQD_____AAAAAA", Map.of("topic", "orders", "record", "AQD_____AAAAAA"));
        check("#AQD_____AAAAAA", Map.of("record", "AQD_____AAAAAA"));
        check("a b#c", Map.of("topic", "a", "key", "b#c"));
        check("x".repeat(249) + " " + "k".repeat(1_024), Map.of("topic", "x".repeat(249), "key", "k".repeat(1_024)));
    }

    private void check(String address, Map<String, Object> fields) {
        assertThat(kind.read(fields(fields))).isEqualTo(address);
        assertThat(kind.write(address)).isEqualTo(Map.of("kafka", fields));
    }

    @Test
    void recordThatNoSourceWroteIsRefusedAtOnce() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of("topic", "a", "record", "AQ"))))
                .withMessage("must be a record as the source for Kafka writes it")
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("kafka.record"));
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of("key", "k", "record", "AQD_____AAAAAA"))))
                .withMessage("must not be with key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "..", "orders ", "ör k", "orders#", "orders#AQ", "orders#x y"})
    void addressesOfNoneAreNotWritten(String address) {
        assertThat(kind.write(address)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a b", "a/b", "ö", "a\n"})
    void whatKafkaTakesForNoTopicIsRefusedAtOnce(String topic) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of("topic", topic))))
                .withMessage("must be 1 to 249 letters, digits, '.', '_' and '-' of ASCII, and neither . nor ..")
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("kafka.topic"));
    }

    @Test
    void tooLongNamesAreRefusedAtOnce() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of("topic", "x".repeat(250)))));
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of("key", "x".repeat(1_025)))))
                .withMessage("must be 1 to 1024 characters");
        assertThatExceptionOfType(InvalidTargetException.class).isThrownBy(() -> kind.read(fields(Map.of("key", ""))));
    }

    @Test
    void topicsOfKafkaItselfAreRefusedUnlessAllowed() {
        TargetFields offsets = fields(Map.of("topic", "__consumer_offsets"));
        for (Map<String, String> settings : List.of(Map.<String, String>of(), Map.of("internalTopics", "false"))) {
            TargetKind closed = kind.configured(settings);
            assertThatExceptionOfType(InvalidTargetException.class)
                    .isThrownBy(() -> closed.read(offsets))
                    .withMessageContaining("must not begin with __")
                    .withMessageContaining("targets.kafka.internalTopics")
                    .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("kafka.topic"))
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo("destination_not_allowed"));
            assertThatExceptionOfType(InvalidTargetException.class)
                    .isThrownBy(() -> closed.readSetting("__consumer_offsets"))
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo("destination_not_allowed"));
            assertThatExceptionOfType(InvalidTargetException.class)
                    .isThrownBy(() -> closed.readSetting("__transaction_state"));
            for (String topic : List.of("_orders", "orders__", "a__b")) {
                assertThat(closed.read(fields(Map.of("topic", topic)))).isEqualTo(topic);
            }
            assertThat(closed.read(fields(Map.of()))).isEmpty();
        }
        TargetKind open = kind.configured(Map.of("internalTopics", "true"));
        assertThat(open.read(offsets)).isEqualTo("__consumer_offsets");
        assertThat(open.readSetting("__mine")).isEqualTo("__mine");
        // Tools that only move timers take what there is.
        assertThat(kind.read(offsets)).isEqualTo("__consumer_offsets");
    }

    @Test
    void settingIsTheTopicOrNothing() {
        assertThat(kind.readSetting("orders")).isEqualTo("orders");
        assertThat(kind.readSetting("")).isEmpty();
        assertThatExceptionOfType(InvalidTargetException.class).isThrownBy(() -> kind.readSetting("orders now"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    bootstrapServers |                 | must be host:port, or several with commas between them
                    bootstrapServers | kafka           | must be host:port, or several with commas between them
                    bootstrapServers | a:1,,b:1        | must be host:port, or several with commas between them
                    maxBytes         | 1023            | must be an integer, 1024 to 67108864
                    timeoutMs        | 1999            | must be an integer, 2000 to 120000
                    lingerMs         | 101             | must be an integer, 0 to 100
                    internalTopics   | yes             | must be true or false
                    propertiesFile   | no-such-file    | must be a readable file of properties
                    """)
    void optionThatBreaksARuleEndsTheStart(String name, String value, String rule) {
        refuses(Map.of(name, value == null ? "" : value), name, rule);
    }

    @Test
    void optionsWithoutAddressesEndTheStart() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(new TargetOptions(Clock.system(), 10, Map.of("clientId", "shop"))))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("bootstrapServers"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "max.block.ms",
                "max.in.flight.requests.per.connection",
                "transactional.id",
                "interceptor.classes"
            })
    void filesLeaveThePromisesAlone(String name) throws IOException {
        refuses(file(name + "=1"), "propertiesFile", "has " + name + ", which must not be set there");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=x required password="
                        + CANARY,
                "security.protocol=SSL\nssl.keystore.location=/none\nssl.keystore.password=" + CANARY,
                "security.protocol=" + CANARY
            })
    void noRefusalShowsAPassword(String lines) throws IOException {
        Map<String, String> options = options(file(lines));

        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(new TargetOptions(Clock.system(), 10, options)))
                .satisfies(refusal -> {
                    assertThat(refusal.getMessage()).startsWith("has settings that Kafka's producer refuses");
                    assertThat(refusal.toString()).doesNotContain(CANARY);
                    assertThat(refusal.getCause()).isNull();
                });
        assertThat(ProducerSettings.read(new TargetOptions(Clock.system(), 10, options)))
                .hasToString("ProducerSettings of localhost:9092");
    }

    /** With two, the second may be written when the first is not: a broker that has just taken a partition over knows no number that comes before. */
    @Test
    void oneRequestAtATimeIsUnderWayToABroker() {
        assertThat(ProducerSettings.read(new TargetOptions(Clock.system(), 10, options(Map.of())))
                        .producer())
                .containsEntry("max.in.flight.requests.per.connection", 1);
    }

    private void refuses(Map<String, String> settings, String name, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(new TargetOptions(Clock.system(), 10, options(settings))))
                .withMessage(rule)
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo(name));
    }

    private static Map<String, String> options(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("bootstrapServers", "localhost:9092"));
        all.putAll(settings);
        return all;
    }

    private Map<String, String> file(String lines) throws IOException {
        return Map.of(
                "propertiesFile",
                Files.writeString(folder.resolve("kafka.properties"), lines).toString());
    }

    private static TargetFields fields(Map<String, Object> kafka) {
        return TargetFields.of(Map.of("kafka", kafka));
    }
}
