package io.tickwheel.target.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RocketmqTargetKindTest {

    private static final String CANARY = "canary-7f3a";

    private final RocketmqTargetKind kind = new RocketmqTargetKind();

    @Test
    void serverFindsIt() {
        assertThat(ServiceLoader.load(TargetKind.class)).hasAtLeastOneElementOfType(RocketmqTargetKind.class);
    }

    @Test
    void addressesSayWhatTheFieldsSay() {
        check("orders", Map.of("topic", "orders"));
        check("a%25b_9-X/customer-7", Map.of("topic", "a%b_9-X", "key", "customer-7"));
        check("/k", Map.of("key", "k"));
        check("orders//room+1%2F2", Map.of("topic", "orders", "group", "room 1/2"));
        check("orders/k/g/t%C3%BC", Map.of("topic", "orders", "key", "k", "group", "g", "tag", "tü"));
        check("", Map.of());
        check("x".repeat(127) + "/" + "k".repeat(1_024), Map.of("topic", "x".repeat(127), "key", "k".repeat(1_024)));
        check("//" + "g".repeat(63) + "/" + "t".repeat(255), Map.of("group", "g".repeat(63), "tag", "t".repeat(255)));
    }

    private void check(String address, Map<String, Object> fields) {
        assertThat(kind.read(fields(fields))).isEqualTo(address);
        assertThat(kind.write(address)).isEqualTo(Map.of("rocketmq", fields));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.b", "orders/", "orders/a+b", "a/b/c/d/e", "%zz", "orders///|"})
    void addressesOfNoneAreNotWritten(String address) {
        assertThat(kind.write(address)).isNull();
    }

    @Test
    void routeIsTheTopic() {
        assertThat(TopicAddress.topicOf("orders/k/g")).isEqualTo("orders");
        assertThat(TopicAddress.topicOf("orders")).isEqualTo("orders");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "a.b", "a b", "a/b", "ö", "a\n", "SCHEDULE_TOPIC_XXXX", "TBW102", "rmq_sys_REVIVE_LOG_x"
            })
    void whatRocketmqTakesForNoTopicIsRefusedAtOnce(String topic) {
        refuses("topic", topic, TopicAddress.TOPIC_RULE);
        refuses("topic", "x".repeat(128), TopicAddress.TOPIC_RULE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two keys", "a\u0001", "a\u00a0\tb"})
    void whatIsNotOneKeyIsRefusedAtOnce(String key) {
        refuses("key", key, TopicAddress.KEY_RULE);
        refuses("key", "x".repeat(1_025), TopicAddress.KEY_RULE);
    }

    @Test
    void groupsAndTagsThatNoProxyTakesAreRefusedAtOnce() {
        for (String group : new String[] {"", "  ", "a\u007f", "g".repeat(64), "ü".repeat(32)}) {
            refuses("group", group, TopicAddress.GROUP_RULE);
        }
        for (String tag : new String[] {"", "  ", "a||b", "a\u0002", "t".repeat(256)}) {
            refuses("tag", tag, TopicAddress.TAG_RULE);
        }
    }

    private void refuses(String field, String value, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.read(fields(Map.of(field, value))))
                .withMessage(rule)
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("rocketmq." + field));
    }

    @Test
    void settingIsTheTopicOrNothing() {
        assertThat(kind.readSetting("orders")).isEqualTo("orders");
        assertThat(kind.readSetting("")).isEmpty();
        assertThatExceptionOfType(InvalidTargetException.class).isThrownBy(() -> kind.readSetting("orders now"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    endpoints | ''                  | must be host:port, or several IPv4 addresses and ports with ';' between them
                    endpoints | 10.0.0.1:65536      | must be host:port, or several IPv4 addresses and ports with ';' between them
                    endpoints | proxy:0             | must be host:port, or several IPv4 addresses and ports with ';' between them
                    endpoints | proxy               | must be host:port, or several IPv4 addresses and ports with ';' between them
                    endpoints | a:1;b:1             | must be host:port, or several IPv4 addresses and ports with ';' between them
                    endpoints | 10.0.0.1:1;         | must be host:port, or several IPv4 addresses and ports with ';' between them
                    accessKey | key                 | must be there with accessKey
                    secretKey | secret              | must be there with secretKey
                    tls       | yes                 | must be true or false
                    timeoutMs | 1999                | must be an integer, 2000 to 120000
                    maxBytes  | 0                   | must be an integer, 1 to 67108864
                    """)
    void optionThatBreaksARuleEndsTheStart(String name, String value, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(options(Map.of(name, value))))
                .withMessage(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy.example:8081", "10.0.0.1:8081", "10.0.0.1:8081;10.0.0.2:8081", "[::1]:8081"})
    void placesOfProxies(String endpoints) {
        kind.open(options(Map.of("endpoints", endpoints))).close();
    }

    @Test
    void nothingShowsKeyOrSecret() {
        ClientOptions read = ClientOptions.read(options(Map.of("accessKey", "a" + CANARY, "secretKey", "s" + CANARY)));

        assertThat(read).hasToString("ClientOptions of 127.0.0.1:8081");
        assertThat(read.configuration().getCredentialsProvider().orElseThrow()).hasToString("Credentials");
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(options(Map.of("secretKey", CANARY))))
                .satisfies(refusal -> assertThat(refusal.toString()).doesNotContain(CANARY));
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> kind.open(options(Map.of("endpoints", CANARY))))
                .satisfies(refusal -> assertThat(refusal.toString()).doesNotContain(CANARY));
    }

    private static TargetOptions options(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("endpoints", "127.0.0.1:8081"));
        all.putAll(settings);
        return new TargetOptions(Clock.system(), 10, all);
    }

    private static TargetFields fields(Map<String, Object> rocketmq) {
        return TargetFields.of(Map.of("rocketmq", rocketmq));
    }
}
