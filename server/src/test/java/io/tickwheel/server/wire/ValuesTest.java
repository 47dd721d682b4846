package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.DelayLevels;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small texts of the contract: durations, times, URLs, lines of an export. */
final class ValuesTest {

    @ParameterizedTest
    @CsvSource({
        "0s, PT0S",
        "1ms, PT0.001S",
        "1500ms, PT1.5S",
        "30m, PT30M",
        "1h30m, PT1H30M",
        "7d, PT168H",
        "1d2h3m4s5ms, PT26H3M4.005S",
        "PT30M, PT30M",
        "P2D, PT48H",
        "PT0.25S, PT0.25S",
        "9223372036854775807ms, PT2562047788015H12M55.807S"
    })
    void durationsAreRead(String text, Duration expected) {
        assertThat(DurationText.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "s",
                "1x",
                "1 s",
                "1s ",
                "1.5s",
                "+1s",
                "-1s",
                "1s1h",
                "1s2s",
                "1S",
                "30M",
                "P",
                "PT",
                "P1M",
                "P1Y",
                "P1W",
                "PT-1S",
                "PT+1S",
                "-PT1S",
                "pt1s",
                "99999999999999999999s",
                "9223372036854775807s",
                "\u0661s"
            })
    void whatIsNoDurationIsRefused(String text) {
        assertThatThrownBy(() -> DurationText.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-20T15:04:05Z, 2026-11-20T15:04:05Z",
        "2026-11-20t15:04:05.1z, 2026-11-20T15:04:05.1Z",
        "2026-11-20T15:04:05.123456789+01:30, 2026-11-20T13:34:05.123456789Z",
        "2024-02-29T00:00:00-18:00, 2024-02-29T18:00:00Z",
        "0000-01-01T00:00:00Z, 0000-01-01T00:00:00Z"
    })
    void timesAreRead(String text, Instant expected) {
        assertThat(TimeText.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-20T15:04:05",
                "2026-11-20 15:04:05Z",
                "2026-11-20T15:04Z",
                "2026-11-20T24:00:00Z",
                "2026-11-20T15:04:60Z",
                "2025-02-29T00:00:00Z",
                "2026-13-01T00:00:00Z",
                "2026-11-20T15:04:05.Z",
                "2026-11-20T15:04:05.1234567890Z",
                "2026-11-20T15:04:05+1:00",
                "2026-11-20T15:04:05+0100",
                "2026-11-20T15:04:05+19:00",
                "2026-11-20T15:04:05+01:60",
                "2026-11-20T15:04:05-18:01",
                "2026-11-20T15:04:05Z ",
                "2026-11-20T15:04:05Zx",
                "1763650000000",
                "now"
            })
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> TimeText.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "1796000000000, 2026-11-30T00:53:20Z",
        "100000000000, 1973-03-03T09:46:40Z",
        "-100000000000, 1966-10-31T14:13:20Z",
        "-62167219200000, 0000-01-01T00:00:00Z"
    })
    void millisecondsSinceTheEpochAreRead(long epochMs, Instant expected) {
        assertThat(TimeText.ofEpochMs(epochMs)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_796_000_000, 99_999_999_999L, 1, 0, -1, -99_999_999_999L})
    void whatMayBeSecondsIsRefused(long number) {
        assertThatThrownBy(() -> TimeText.ofEpochMs(number))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("as milliseconds " + TimeText.format(number))
                .hasMessageContaining("as seconds " + TimeText.format(number * 1_000));
    }

    @Test
    void timesAreWrittenWithThreeDigits() {
        assertThat(TimeText.format(0)).isEqualTo("1970-01-01T00:00:00.000Z");
        assertThat(TimeText.format(-1)).isEqualTo("1969-12-31T23:59:59.999Z");
        assertThat(TimeText.format(1_795_187_045_113L))
                .isEqualTo(Instant.ofEpochMilli(1_795_187_045_113L).toString());
        assertThat(TimeText.format(TimerRequest.LAST_DUE.toEpochMilli())).isEqualTo("9999-12-31T23:59:59.999Z");
        for (long day = LocalDate.of(1999, 1, 1).toEpochDay();
                day < LocalDate.of(2030, 1, 1).toEpochDay();
                day++) {
            Instant time = Instant.ofEpochSecond(day * 86_400, 1_000_000);
            assertThat(TimeText.format(time.toEpochMilli())).isEqualTo(time.toString());
        }
    }

    @Test
    void theLevelsAreThoseOfTheContract() {
        List<String> table = List.of(
                "1s", "5s", "10s", "30s", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "10m", "20m", "30m",
                "1h", "2h");
        assertThat(DelayLevels.LAST).isEqualTo(table.size());
        for (int level = 1; level <= table.size(); level++) {
            assertThat(DelayLevels.delay(level)).isEqualTo(DurationText.parse(table.get(level - 1)));
        }
    }

    @Test
    void textOfStrangersIsMadeHarmless() {
        assertThat(Excerpt.quoted("a\n\u001b[2J\u2028\u202e\ud800\""))
                .isEqualTo("\"a\\u000a\\u001b[2J\\u2028\\u202e\\ud800\"\"");
        assertThat(Excerpt.of("x".repeat(100))).isEqualTo("x".repeat(64) + "...");
        assertThat(Excerpt.of("\u00e4\ud83d\ude00")).isEqualTo("\u00e4\ud83d\ude00");
        assertThat(Excerpt.ofPayload("{\"hello\":1}".getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .isEqualTo("{\"hello\":1}");
        assertThat(Excerpt.ofPayload(new byte[1_000])).endsWith("... (1000 bytes)");
    }

    @Test
    void whatIsShownWholeDoesNotSayThatItGoesOn() {
        assertThat(Excerpt.of("x".repeat(64))).isEqualTo("x".repeat(64));
        assertThat(Excerpt.of("x".repeat(65))).isEqualTo("x".repeat(64) + "...");
        String pairAtTheEnd = "x".repeat(63) + "\ud83d\ude00";
        assertThat(Excerpt.of(pairAtTheEnd)).isEqualTo(pairAtTheEnd);
        assertThat(Excerpt.of(pairAtTheEnd + "x")).isEqualTo(pairAtTheEnd + "...");
        byte[] payload = "x".repeat(201).getBytes(StandardCharsets.UTF_8);
        assertThat(Excerpt.ofPayload(Arrays.copyOf(payload, 200))).isEqualTo("x".repeat(200));
        assertThat(Excerpt.ofPayload(payload)).isEqualTo("x".repeat(200) + "... (201 bytes)");
    }

    @Test
    void aLineOfAnExportSaysWhenTheNextAttemptIsIfItIsNotDueThen() {
        TimerView late = new TimerView(new TimerKey("q", "k"), "tmr_1", 1, 0, 5_000, TimerState.PENDING, 2);
        TimerView due = new TimerView(new TimerKey("q", "k"), "tmr_1", 1, 0, 0, TimerState.PENDING, 0);
        assertThat(TimerLine.write(late, new byte[0], false, InstalledTargets.kinds())
                        .toBuffer()
                        .toString())
                .contains("\"attemptAt\":\"1970-01-01T00:00:05.000Z\"")
                .contains("\"dueAt\":\"1970-01-01T00:00:00.000Z\"");
        assertThat(TimerLine.write(due, new byte[0], false, InstalledTargets.kinds())
                        .toBuffer()
                        .toString())
                .doesNotContain("attemptAt");
        byte[] line = ("{\"queue\":\"q\",\"attemptAt\":\"1970-01-01T00:00:05.000Z\","
                        + "\"timer\":{\"key\":\"k\",\"dueAt\":\"1970-01-01T00:00:00.000Z\"}}")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(TimerLine.read(line, null, InstalledTargets.kinds()).body().dueAt())
                .isEqualTo(Instant.EPOCH);
    }
}
