package io.tickwheel.target.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import io.tickwheel.engine.Attempt;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimerMessageTest {

    private static final Instant DUE = Instant.parse("2026-11-20T15:04:05.100Z");

    @Test
    void headersComeInTheirOrder() {
        Map<String, String> sent = new LinkedHashMap<>();
        sent.put("X-Trace", "7");
        sent.put("a", "");

        TimerMessage message = TimerMessage.of(attempt("ord/42 ü", "application/json", sent), "ce_");

        assertThat(message.headers())
                .containsExactly(
                        entry("tickwheel-id", "id-1"),
                        entry("tickwheel-queue", "or ders"),
                        entry("tickwheel-key", "ord/42 ü"),
                        entry("tickwheel-version", "3"),
                        entry("tickwheel-attempt", "2"),
                        entry("tickwheel-due-at", "2026-11-20T15:04:05.100Z"),
                        entry("tickwheel-attempt-at", "2026-11-20T15:04:15.000Z"),
                        entry("tickwheel-lateness-ms", "10012"),
                        entry("content-type", "application/json"),
                        entry("ce_specversion", "1.0"),
                        entry("ce_id", "id-1"),
                        entry("ce_source", "/tickwheel/queues/or%20ders"),
                        entry("ce_type", "io.tickwheel.timer"),
                        entry("ce_subject", "ord/42 ü"),
                        entry("ce_time", "2026-11-20T15:04:05.100Z"),
                        entry("X-Trace", "7"),
                        entry("a", ""));
    }

    @Test
    void whatIsNotThereHasNoHeader() {
        assertThat(TimerMessage.of(attempt("k", null, Map.of()), "ce_").headers())
                .doesNotContainKeys("content-type", "tickwheel-run");
    }

    @Test
    void runOfARecurringTimerHasItsNumberAndTheKeyOfTheRecurringOne() {
        assertThat(TimerMessage.of(attempt("daily\u001f12", null, Map.of()), "ce_")
                        .headers())
                .containsEntry("tickwheel-key", "daily")
                .containsEntry("tickwheel-run", "12")
                .containsEntry("ce_subject", "daily");
    }

    @Test
    void senderNamesTheTypeOfItsEvents() {
        assertThat(TimerMessage.of(attempt("k", null, Map.of("cloudEvents:type", "shop.order.expired")), "cloudEvents:")
                        .headers())
                .containsEntry("cloudEvents:type", "shop.order.expired")
                .containsEntry("cloudEvents:id", "id-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tickwheel-id", "Tickwheel-Key", "TICKWHEEL-X", "content-type", "Content-Type"})
    void headersOfTickwheelAreNotTheSenders(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerMessage.of(attempt("k", null, Map.of(name, "x")), "ce_"))
                .withMessageContaining("header " + name + " ");
    }

    private static Attempt attempt(String key, String contentType, Map<String, String> headers) {
        return new Attempt(
                new TimerKey("or ders", key),
                "id-1",
                3,
                2,
                DUE,
                Instant.parse("2026-11-20T15:04:15Z"),
                Duration.ofMillis(10_012),
                new byte[] {1},
                contentType,
                headers,
                null);
    }
}
