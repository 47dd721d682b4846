package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RetryAfterTest {

    @ParameterizedTest
    @CsvSource({
        "5, PT5S",
        "10, PT10S",
        "90, PT90S",
        "999999999, PT999999999S",
        "1000000000, PT24H",
        "0, PT0S",
        "' 7 ', PT7S",
        "99999999999999999999, PT24H",
        "-1, PT0S",
        "soon, PT0S",
        "'', PT0S"
    })
    void waitsAreRead(String value, Duration expected) {
        assertThat(RetryAfter.wait(value, Instant.EPOCH)).isEqualTo(expected);
    }

    @Test
    void aWaitMayBeADate() {
        String date = "Fri, 20 Nov 2026 15:00:10 GMT";
        Instant now = Instant.parse("2026-11-20T15:00:00Z");
        assertThat(RetryAfter.wait(date, now)).isEqualTo(Duration.ofSeconds(10));
        assertThat(RetryAfter.wait(date, now.plusSeconds(60))).isZero();
        assertThat(RetryAfter.wait(null, now)).isZero();
    }
}
