package io.tickwheel.engine.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is stored of a queue is read by every later version. */
final class QueueSettingsTextTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = "whsec_" + "QUJD".repeat(21) + "QQ==";

    private static final QueueSettings ALL = QueueSettings.NONE
            .withTarget(new Destination("http", "POST http://shop:8080/close"))
            .withRetry(new RetryPolicy(
                    16, List.of(Duration.ofSeconds(1), Duration.ofSeconds(5)), 2, Duration.ofHours(1), 0.25))
            .withRate(new RateLimit(0.5, 7))
            .withConcurrency(3)
            .withPaused(true)
            .withSlowStart(new SlowStart(50, Instant.ofEpochMilli(1_234)))
            .withDelayLevels(List.of(Duration.ofMillis(1), Duration.ofHours(2)))
            .withExpireAfter(Duration.ofMinutes(1))
            .withMaxPending(1_000_000_000_000L)
            .withDeadFor(Duration.ofDays(1))
            .withDeadPerQueue(0)
            .withExcerpts(false)
            .withSecrets(SigningSecrets.of(List.of(SECRET, OTHER)).since(Instant.ofEpochMilli(1_234)))
            .withCloudEvents(true);

    private static final String TEXT = """
            target http POST http://shop:8080/close
            retry 16 2.0 3600000 0.25 1000,5000
            rate 0.5 7
            concurrency 3
            paused true
            slowStart 50.0 1234
            delayLevels 1,7200000
            expireAfter 60000
            maxPending 1000000000000
            deadFor 86400000
            deadPerQueue 0
            excerpts false
            secrets 1234 %s,%s
            cloudEvents true
            """.formatted(SECRET, OTHER);

    @Test
    void everyFieldHasItsLine() {
        assertThat(Arrays.stream(QueueSettings.Field.values()).map(ALL::get)).doesNotContainNull();
        assertThat(new String(QueueSettingsText.write(ALL), UTF_8)).isEqualTo(TEXT);
        assertThat(QueueSettingsText.read(TEXT.getBytes(UTF_8))).isEqualTo(ALL);
        assertThat(QueueSettingsText.read(new byte[0])).isEqualTo(QueueSettings.NONE);
    }

    @Test
    void lineOfALaterVersionIsPassedOver() {
        assertThat(QueueSettingsText.read("later 1 2 3\nconcurrency 3\n".getBytes(UTF_8)))
                .isEqualTo(QueueSettings.NONE.withConcurrency(3));
    }

    @Test
    void lineThatCannotBeReadIsNamed() {
        for (String line : List.of("concurrency x", "paused yes", "retry 1 2", "rate 1", "target http", "rate 0 1")) {
            assertThatThrownBy(() -> QueueSettingsText.read(line.getBytes(UTF_8)))
                    .as(line)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining('"' + line + '"');
        }
    }

    /** Such a line is logged. */
    @Test
    void secretIsInNoError() {
        for (String line :
                List.of("secrets " + SECRET, "secrets x " + SECRET, "secrets 1 x" + SECRET, "secrets 1 whsec_AAAA")) {
            assertThatThrownBy(() -> QueueSettingsText.read(line.getBytes(UTF_8)))
                    .as(line)
                    .hasMessage("the line of secrets in the settings cannot be read")
                    .hasNoCause();
        }
        assertThat(ALL.toString()).contains("SECRETS=2 since").doesNotContain("whsec", "MfKQ", "QUJD");
    }

    @Test
    void valueOutOfItsRangeIsRefused() {
        assertThatThrownBy(() -> QueueSettings.NONE.withConcurrency(0))
                .hasMessage("concurrency is 0, must be 1 to 100000");
        assertThatThrownBy(() -> QueueSettings.NONE.withMaxPending(-1)).hasMessageContaining("maxPending is -1");
        assertThatThrownBy(() -> QueueSettings.NONE.withDeadFor(Duration.ofMinutes(59)))
                .hasMessageContaining("deadFor is PT59M, must be PT1H");
        assertThatThrownBy(() -> QueueSettings.NONE.withExpireAfter(Duration.ZERO))
                .hasMessageContaining("expireAfter is PT0S");
        assertThatThrownBy(() -> QueueSettings.NONE.withDelayLevels(List.of()))
                .hasMessage("delayLevels is 0, must be 1 to 100");
        assertThatThrownBy(() -> new RateLimit(Double.NaN, 1)).hasMessageContaining("perSecond is NaN");
        assertThatThrownBy(() -> new RateLimit(1, 0)).hasMessage("burst is 0, must be 1 to 1000000");
        assertThatThrownBy(() -> SlowStart.of(0)).hasMessageContaining("perSecond of a slow start is 0.0");
    }

    @Test
    void burstIsATwentiethOfASecondUnlessSaid() {
        assertThat(RateLimit.of(1_000).burst()).isEqualTo(50);
        assertThat(RateLimit.of(0.1).burst()).isEqualTo(1);
    }
}
