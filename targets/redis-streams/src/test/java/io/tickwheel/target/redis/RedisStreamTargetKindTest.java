package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import io.tickwheel.engine.TargetOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RedisStreamTargetKindTest {

    private final RedisStreamTargetKind kind = new RedisStreamTargetKind();

    private String read(Object stream) {
        return kind.read(TargetFields.of(Map.of("redisStream", stream)));
    }

    private static Map<String, Object> fields(Object... namesAndValues) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }

    static Stream<Arguments> addresses() {
        return Stream.of(
                Arguments.of(fields(), "* "),
                Arguments.of(fields("stream", "orders"), "* orders"),
                Arguments.of(fields("stream", "a b ü"), "* a b ü"),
                Arguments.of(fields("stream", "orders", "maxLen", 100_000L, "approximate", true), "~100000 orders"),
                Arguments.of(fields("stream", "s", "maxLen", 1L, "approximate", false), "=1 s"),
                Arguments.of(fields("maxLen", 1_000_000_000_000L, "approximate", true), "~1000000000000 "));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void addressIsWrittenAsItWasRead(Map<String, Object> fields, String address) {
        assertThat(read(fields)).isEqualTo(address);
        assertThat(kind.write(address)).isEqualTo(Map.of("redisStream", fields));
    }

    @Test
    void lengthIsApproximateUnlessItIsSaidNotToBe() {
        assertThat(read(fields("stream", "s", "maxLen", 7L))).isEqualTo("~7 s");
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(fields("stream", ""), "redisStream.stream", "has 0 bytes, must have 1 to 512"),
                Arguments.of(
                        fields("stream", "ü".repeat(257)), "redisStream.stream", "has 514 bytes, must have 1 to 512"),
                Arguments.of(fields("stream", 7L), "redisStream.stream", "must be a string"),
                Arguments.of(fields("maxLen", 0L), "redisStream.maxLen", "must be 1 to 1000000000000"),
                Arguments.of(fields("maxLen", 1_000_000_000_001L), "redisStream.maxLen", "must be 1 to 1000000000000"),
                Arguments.of(
                        fields("maxLen", 5L, "approximate", "yes"), "redisStream.approximate", "must be true or false"),
                Arguments.of(
                        fields("approximate", true),
                        "redisStream.approximate",
                        "is there without maxLen, which it is about"),
                Arguments.of(
                        fields("approximate", false),
                        "redisStream.approximate",
                        "is there without maxLen, which it is about"),
                Arguments.of(fields("topic", "s"), "redisStream.topic", "is not known, must not be sent"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void whatBreaksARuleIsRefusedWithTheField(Map<String, Object> fields, String field, String rule) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> read(fields))
                .withMessage(rule)
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo(field));
    }

    @Test
    void longestNameIsTaken() {
        assertThat(read(fields("stream", "ü".repeat(256)))).isEqualTo("* " + "ü".repeat(256));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "orders", "~0 s", "~ s", "=01 s", "~1000000000001 s", "~99999999999999999999 s", "+5 s"})
    void whatIsNoAddressIsNotWritten(String address) {
        assertThat(kind.write(address)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"'','* '", "orders,* orders", "orders ~5,~5 orders", "orders =5,=5 orders"})
    void settingIsANameAndABound(String setting, String address) {
        assertThat(kind.readSetting(setting)).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a b", "a ~0", "a ~5 b", "a ~5 ", " ~5"})
    void settingThatIsSomethingElseIsRefused(String setting) {
        assertThatExceptionOfType(InvalidTargetException.class).isThrownBy(() -> kind.readSetting(setting));
    }

    /** As that of a timer is. */
    @Test
    void streamThatIsNotAllowedIsRefusedInASettingToo() {
        TargetKind some = kind.configured(Map.of("streams", "orders"));
        assertThat(some.readSetting("orders ~5")).isEqualTo("~5 orders");
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> some.readSetting("others"))
                .satisfies(refusal -> assertThat(refusal.code()).isEqualTo("destination_not_allowed"));
    }

    @Test
    void itIsFoundAsAService() {
        assertThat(ServiceLoader.load(TargetKind.class)).anyMatch(RedisStreamTargetKind.class::isInstance);
    }

    @ParameterizedTest
    @CsvSource({
        "uri,http://a",
        "uri,''",
        "uri,redis://a:0",
        "uri,redis://a:65536",
        "uri,'redis://a,redis://b'",
        "uri,'redis://a,rediss://b'",
        "timeoutMs,99",
        "timeoutMs,60001",
        "replicas,101",
        "cluster,yes",
        "username,me",
        "sentinelPassword,canary",
        "certificateAuthority,/nowhere",
        "hostnameCheck,no",
        "streams,''",
        "streams,'a,,b'",
        "streams,'*a'",
        "streams,'a**'"
    })
    void optionThatBreaksARuleEndsTheStartWithItsName(String option, String value) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> open(option, value))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo(option));
    }

    @Test
    void optionsThatExcludeEachOtherEndTheStart() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> open("cluster", "true", "replicas", "1"))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("replicas"));
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> open("cluster", "true", "sentinelMaster", "m"))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("sentinelMaster"));
    }

    @Test
    void passwordInAUriIsRefusedAndNotShown() {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> open("uri", "redis://me:canary@host"))
                .satisfies(refusal -> assertThat(refusal.toString()).doesNotContain("canary"));
    }

    @Test
    void passwordIsInNoText() {
        ServerOptions servers = ServerOptions.read(new TargetOptions(
                Clock.system(),
                1,
                Map.of("uri", "redis://a", "password", "canary", "sentinelMaster", "m", "sentinelPassword", "canary")));
        assertThat(servers.uris()).noneMatch(uri -> uri.toString().contains("canary"));
        assertThat(servers.uris().get(0).getSentinels())
                .noneMatch(uri -> uri.toString().contains("canary"));
    }

    private void open(String... options) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < options.length; i += 2) {
            settings.put(options[i], options[i + 1]);
        }
        kind.open(new TargetOptions(Clock.system(), 1, settings)).close();
    }
}
