package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a timer delivers, as it is shown and exported. */
final class ContentJsonTest {

    private static String body(String payload, String contentType, boolean readable) {
        JsonOut out = new JsonOut(64).open('{');
        ContentJson.writeBody(out, payload.getBytes(StandardCharsets.UTF_8), contentType, Map.of(), readable);
        return out.close('}').toBuffer().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", " [1, {\"a\": null}] ", "7", "\"text\""})
    void aPayloadThatIsJsonIsShownAsItIs(String payload) {
        assertThat(body(payload, "application/json", true)).isEqualTo("{\"payload\":" + payload + "}");
        assertThat(body(payload, "application/json", false)).startsWith("{\"payloadBase64\":");
        assertThat(body(payload, "text/plain", true)).startsWith("{\"payloadBase64\":");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{} {}", "1,\"state\":2", "{}}", "[1", "nul"})
    void aPayloadThatOnlySaysThatItIsJsonIsShownAsBytes(String payload) {
        assertThat(body(payload, "application/json", true))
                .startsWith("{\"payloadBase64\":\"")
                .endsWith("\",\"contentType\":\"application/json\"}");
    }

    @Test
    void anEmptyPayloadKeepsItsType() {
        assertThat(body("", "text/plain", false)).isEqualTo("{\"payloadBase64\":\"\",\"contentType\":\"text/plain\"}");
        assertThat(body("", null, false)).isEqualTo("{}");
    }
}
