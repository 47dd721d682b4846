package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.store.TimerKey;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the headers of a callback say when it is sent long after its attempt was due. */
final class CallbackMessageTest {

    private static final Instant DUE = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void signatureIsOfTheMomentThatTheMessageNames() {
        SigningSecrets secrets = SigningSecrets.of(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        byte[] payload = "hello".getBytes(StandardCharsets.UTF_8);
        Attempt attempt = attempt("k", payload, null, secrets, false);
        MultiMap headers = CallbackMessage.headers(attempt, DUE.plusSeconds(75));
        assertThat(headers.get("webhook-timestamp")).isEqualTo("1893456075");
        assertThat(headers.get("webhook-signature")).isEqualTo(secrets.sign("tmr_1", 1_893_456_075, payload));
        assertThat(headers.get("Tickwheel-Due-At")).isEqualTo("2030-01-01T00:00:00.000Z");
        assertThat(headers.get("Tickwheel-Attempt-At")).isEqualTo("2030-01-01T00:00:10.000Z");
        assertThat(headers.get("Tickwheel-Lateness-Ms")).isEqualTo("75000");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            order-7!~"      | order-7!~"
            a b%c           | a%20b%25c
            größer          | gr%C3%B6%C3%9Fer
            `a\u007f\u0080` | a%7F%C2%80
            """)
    void keyIsEncodedWhereItIsNotVisibleAscii(String key, String encoded) {
        Attempt attempt = attempt(key, new byte[0], null, null, false);
        assertThat(CallbackMessage.headers(attempt, DUE).get("Tickwheel-Key")).isEqualTo(encoded);
    }

    /** As the HTTP binding of CloudEvents has it. */
    @Test
    void quotationMarksInAttributesOfCloudEventsAreEncoded() {
        MultiMap headers = CallbackMessage.headers(attempt("say \"a%b\"", new byte[0], null, null, true), DUE);
        assertThat(headers.get("ce-subject")).isEqualTo("say%20%22a%25b%22");
        assertThat(headers.get("Tickwheel-Key")).isEqualTo("say%20\"a%25b\"");
    }

    @Test
    void typeOfThePayloadIsSaidWhereItIsKnown() {
        assertThat(CallbackMessage.headers(attempt("k", new byte[1], "text/csv", null, false), DUE)
                        .get("Content-Type"))
                .isEqualTo("text/csv");
        MultiMap none = CallbackMessage.headers(attempt("k", new byte[1], null, null, false), DUE);
        assertThat(none.names()).doesNotContain("Content-Type", "content-type", "webhook-signature");
    }

    private static Attempt attempt(
            String key, byte[] payload, String contentType, SigningSecrets secrets, boolean isCloudEvent) {
        return new Attempt(
                new TimerKey("q", key),
                "tmr_1",
                1,
                2,
                DUE,
                DUE.plusSeconds(10),
                Duration.ofSeconds(75),
                payload,
                contentType,
                Map.of(),
                new Destination("http", "POST http://127.0.0.1:1/"),
                false,
                secrets,
                isCloudEvent);
    }
}
