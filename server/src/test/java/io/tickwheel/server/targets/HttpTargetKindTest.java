package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import io.tickwheel.engine.TargetKind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callbacks as bodies and settings have them, and as they are stored. */
final class HttpTargetKindTest {

    private final TargetKind kind = new HttpTargetKind();
    private final TargetKind guarded = kind.configured(Map.of());

    private static TargetFields fields(String url, String method) {
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("url", url));
        if (method != null) {
            fields.put("method", method);
        }
        return TargetFields.of(fields);
    }

    private static void assertRefused(Runnable call, String code, String rule) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        InvalidTargetException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code))
                .hasMessageContaining(rule);
    }

    @Test
    void whatIsStoredIsShownAsItWasWritten() {
        assertThat(kind.read(fields("http://Shop:81/a%20b", null))).isEqualTo("POST http://Shop:81/a%20b");
        assertThat(kind.read(fields("https://shop", "GET"))).isEqualTo("GET https://shop");
        assertThat(kind.write("GET https://shop"))
                .containsExactly(Map.entry("url", "https://shop"), Map.entry("method", "GET"));
        assertThat(kind.fields()).containsExactly("url", "method");
        assertThat(kind.write("https://shop")).isNull();
        assertThat(kind.write(" https://shop")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "http://shop/close, POST http://shop/close",
        "POST http://shop/close, POST http://shop/close",
        "DELETE https://shop, DELETE https://shop"
    })
    void settingHasAMethodOrGetsOne(String text, String address) {
        assertThat(kind.readSetting(text)).isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource({
        "ftp://shop, POST, invalid_url, must begin with http:// or https://",
        "http://10.0.0.1/, POST, destination_not_allowed, which is private",
        "http://shop:22/, POST, destination_not_allowed, must not go to port 22",
        "http://shop/, TRACE, invalid_method, 'must be one of POST, PUT, PATCH, DELETE, GET'",
        "http://shop/, post, invalid_method, must be one of",
        "http://shop/, '', invalid_method, must be one of"
    })
    void whatIsRefusedOfABodyIsRefusedOfASetting(String url, String method, String code, String rule) {
        assertRefused(() -> guarded.read(fields(url, method)), code, rule);
        assertRefused(() -> guarded.readSetting(method + " " + url), code, rule);
    }

    /** Tools read what other servers have stored. */
    @Test
    void whoCallsNobodyTakesEveryDestination() {
        assertThat(kind.read(fields("http://10.0.0.1:22/", null))).isEqualTo("POST http://10.0.0.1:22/");
        assertThat(kind.readSetting("http://10.0.0.1:22/")).isEqualTo("POST http://10.0.0.1:22/");
    }

    @Test
    void onlyGetTakesNoPayload() {
        for (String method : HttpAddress.METHODS) {
            if (!method.equals("GET")) {
                assertThatCode(() -> kind.checkPayload(method + " http://shop/"))
                        .as(method)
                        .doesNotThrowAnyException();
            }
        }
        assertRefused(() -> kind.checkPayload("GET http://shop/"), "invalid_method", "is GET");
    }

    /** What the log of a start says. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true|''|''|public addresses, ports 80, 443, 8080, 8443",
                "true|10.0.0.0/8, shop|''|public addresses and 10.0.0.0/8, shop, ports 80, 443, 8080, 8443",
                "true|10.0.0.0/8|10.1.0.0/16|public addresses and 10.0.0.0/8, but not to 10.1.0.0/16, ports 80, 443, 8080, 8443",
                "false|shop|''|shop, ports 80, 443, 8080, 8443",
                "false|''|evil.test|nowhere, but not to evil.test, ports 80, 443, 8080, 8443"
            })
    void reachSaysWhereCallbacksMayGo(String open, String allowed, String denied, String reach) {
        Map<String, String> options = new LinkedHashMap<>(Map.of("public", open));
        if (!allowed.isEmpty()) {
            options.put("allow", allowed);
        }
        if (!denied.isEmpty()) {
            options.put("deny", denied);
        }
        assertThat(HttpTargetKind.reach(options)).isEqualTo(reach);
    }

    /** As reasons of failed attempts have them. */
    @ParameterizedTest
    @CsvSource({"5000, 5 s", "250, 250 ms", "1500, 1500 ms"})
    void timeIsInSecondsWhereThatIsExact(int ms, String text) {
        assertThat(Timeouts.text(ms)).isEqualTo(text);
    }
}
