package io.tickwheel.recurrence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The text form: what was written once is read for ever, and nothing else is. */
final class RecurrenceTextTest {

    static List<String> stored() throws IOException {
        try (InputStream file = RecurrenceTextTest.class.getResourceAsStream("stored-forms.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("stored")
    void whatWasStoredIsReadAndWrittenAgain(String text) {
        Recurrence read = Recurrence.parse(text);
        assertThat(read).hasToString(text).isEqualTo(Recurrence.parse(read.toString()));
        assertThat(read.hashCode()).isEqualTo(Recurrence.parse(text).hashCode());
    }

    @Test
    void moreTextsThanAreRememberedAreReadRightEachTime() {
        for (int turn = 0; turn < 2; turn++) {
            for (int seconds = 1; seconds <= 3_000; seconds++) {
                Recurrence each = Recurrence.fixedRate(Duration.ofSeconds(seconds));
                assertThat(Recurrence.parse(each.toString()).every()).isEqualTo(Duration.ofSeconds(seconds));
            }
        }
        assertThat(Recurrence.parse("every PT1S").withCount(2)).hasToString("every PT1S; count 2");
        assertThat(Recurrence.parse("every PT1S")).hasToString("every PT1S");
    }

    @Test
    void allPartsAreKept() {
        Recurrence plan = Recurrence.cron("0 0 9 * * MON-FRI", ZoneId.of("Europe/Berlin"))
                .withFrom(Instant.parse("2026-12-01T08:00:00Z"))
                .withUntil(Instant.parse("2027-01-01T00:00:00.5Z"))
                .withCount(Recurrence.MAX_COUNT)
                .withMisfire(Misfire.ALL)
                .withOverlap(Overlap.ALLOW);
        assertThat(plan)
                .hasToString("cron 0 0 9 * * MON-FRI; zone Europe/Berlin; from 2026-12-01T08:00:00Z; until"
                        + " 2027-01-01T00:00:00.500Z; count 1000000000000000; misfire all; overlap allow");
        Recurrence read = Recurrence.parse(plan.toString());
        assertThat(read).isEqualTo(plan);
        assertThat(read.cron()).isEqualTo(Cron.parse("0 0 9 * * MON-FRI", ZoneId.of("Europe/Berlin")));
        assertThat(read.every()).isNull();
        assertThat(read.delay()).isNull();
        assertThat(read.from()).isEqualTo(plan.from());
        assertThat(read.until()).isEqualTo(plan.until());
        assertThat(read.count()).hasValue(Recurrence.MAX_COUNT);
        assertThat(read.misfire()).isEqualTo(Misfire.ALL);
        assertThat(read.overlap()).isEqualTo(Overlap.ALLOW);
    }

    @Test
    void defaultsAreNotWritten() {
        Recurrence plan = Recurrence.fixedRate(Duration.ofMinutes(5));
        assertThat(plan.withMisfire(Misfire.ONCE).withOverlap(Overlap.SKIP)).hasToString("every PT5M");
        assertThat(Recurrence.parse("every PT5M").misfire()).isEqualTo(Misfire.ONCE);
        assertThat(Recurrence.parse("every PT5M").overlap()).isEqualTo(Overlap.SKIP);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            every PT300S              | recurrence is 'every PT300S', must be written as 'every PT5M'
            every PT0S                | every is PT0S, must be PT0.001S to PT876000H
            every 5m                  | recurrence is 'every 5m': Text cannot be parsed to a Duration
            every                     | recurrence is 'every', must begin with 'every DURATION', 'delay DURATION' or 'cron EXPRESSION; zone ZONE'
            each PT5M                 | recurrence is 'each PT5M', must begin with 'every DURATION', 'delay DURATION' or 'cron EXPRESSION; zone ZONE'
            cron 0 0 9 * * *          | recurrence is 'cron 0 0 9 * * *', must begin with 'every DURATION', 'delay DURATION' or 'cron EXPRESSION; zone ZONE'
            cron 0 0 9 * *; zone      | recurrence is 'cron 0 0 9 * *; zone', must begin with 'every DURATION', 'delay DURATION' or 'cron EXPRESSION; zone ZONE'
            cron 0 0 25 * * *; zone Z | hour is '25', must be 0 to 23
            cron 0  0 9 * * *; zone Z | recurrence is 'cron 0  0 9 * * *; zone Z', must be written as 'cron 0 0 9 * * *; zone Z'
            cron 0 0 9 * * *; zone X  | zone is 'X', must be one that is known, such as Europe/Berlin
            every PT5M; misfire once  | recurrence is 'every PT5M; misfire once', must be written as 'every PT5M'
            every PT5M; misfire SKIP  | recurrence is 'every PT5M; misfire SKIP', must not have 'SKIP' there
            every PT5M; overlap maybe | recurrence is 'every PT5M; overlap maybe', must not have 'maybe' there
            every PT5M; count 0       | count is 0, must be 1 to 1000000000000000
            every PT5M; count +1      | recurrence is 'every PT5M; count +1', must be written as 'every PT5M; count 1'
            every PT5M; count x       | recurrence is 'every PT5M; count x': For input string: "x"
            every PT5M;               | recurrence is 'every PT5M;', must be one
            every PT5M;count 1        | recurrence is 'every PT5M;count 1', must be one
            every PT5M; count 1; from 1970-01-01T00:00:00Z | recurrence is 'every PT5M; count 1; from 1970-01-01T00:00:00Z', must not have 'from 1970-01-01T00:00:00Z' there
            every PT5M; count 1; count 1 | recurrence is 'every PT5M; count 1; count 1', must not have 'count 1' there
            every PT5M; from 1970-01-01T01:00:00+01:00 | recurrence is 'every PT5M; from 1970-01-01T01:00:00+01:00', must be written as 'every PT5M; from 1970-01-01T00:00:00Z'
            delay PT5M; overlap queue | overlap is QUEUE, must be SKIP with a fixed delay, whose runs never overlap
            """)
    void nothingElseIsRead(String text, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recurrence.parse(text))
                .withMessageStartingWith(message.endsWith("must be one") ? "recurrence is '" + text + "'" : message);
    }

    @Test
    void onlySomeTextsAreKept() {
        for (int hours = 1; hours <= 3_000; hours++) {
            Duration every = Duration.ofHours(hours);
            assertThat(Recurrence.parse("every " + every).every()).isEqualTo(every);
        }
        assertThat(RecurrenceText.kept()).isBetween(1, 1_024);
    }

    @Test
    void longTextsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recurrence.parse("x".repeat(2_001)))
                .withMessage("recurrence has 2001 characters, must have at most 2000");
    }
}
