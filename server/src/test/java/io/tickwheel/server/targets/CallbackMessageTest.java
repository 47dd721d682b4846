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

/** What the headers of a callback say when it is sent long after its attempt was due. */
final class CallbackMessageTest {

    private static final Instant DUE = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void signatureIsOfTheMomentThatTheMessageNames() {
        SigningSecrets secrets = SigningSecrets.of(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        byte[] payload = "hello".getBytes(StandardCharsets.UTF_8);
        Attempt attempt = new Attempt(
                new TimerKey("q", "k"),
                "tmr_1",
                1,
                2,
                DUE,
                DUE.plusSeconds(10),
                Duration.ofSeconds(75),
                payload,
                null,
                Map.of(),
                new Destination("http", "POST http://127.0.0.1:1/"),
                false,
                secrets,
                false);
        MultiMap headers = CallbackMessage.headers(attempt, DUE.plusSeconds(75));
        assertThat(headers.get("webhook-timestamp")).isEqualTo("1893456075");
        assertThat(headers.get("webhook-signature")).isEqualTo(secrets.sign("tmr_1", 1_893_456_075, payload));
        assertThat(headers.get("Tickwheel-Due-At")).isEqualTo("2030-01-01T00:00:00.000Z");
        assertThat(headers.get("Tickwheel-Attempt-At")).isEqualTo("2030-01-01T00:00:10.000Z");
        assertThat(headers.get("Tickwheel-Lateness-Ms")).isEqualTo("75000");
    }
}
