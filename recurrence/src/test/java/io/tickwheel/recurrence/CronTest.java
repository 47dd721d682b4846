package io.tickwheel.recurrence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Timelines of single expressions: from a local time on, exactly these come. */
final class CronTest {

    private static final ZoneId UTC = ZoneId.of("UTC");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            * * * * * *            | 2026-01-01T00:00:00 | 2026-01-01T00:00:01Z 2026-01-01T00:00:02Z
            59 59 23 31 12 *       | 2026-01-01T00:00:00 | 2026-12-31T23:59:59Z 2027-12-31T23:59:59Z
            0 5/20 * * * *         | 2026-01-01T00:05:00 | 2026-01-01T00:25:00Z 2026-01-01T00:45:00Z 2026-01-01T01:05:00Z
            0 10-40/15,59 0 * * *  | 2026-01-01T00:00:00 | 2026-01-01T00:10:00Z 2026-01-01T00:25:00Z 2026-01-01T00:40:00Z 2026-01-01T00:59:00Z 2026-01-02T00:10:00Z
            0 0 9 * * mon-Fri      | 2026-01-02T09:00:00 | 2026-01-05T09:00:00Z 2026-01-06T09:00:00Z
            30 2 * * *             | 2026-01-01T00:00:00 | 2026-01-01T02:30:00Z 2026-01-02T02:30:00Z
            0 0 12 13 * FRI        | 2026-01-01T00:00:00 | 2026-02-13T12:00:00Z 2026-03-13T12:00:00Z 2026-11-13T12:00:00Z
            0 0 0 ? JAN,mar 0      | 2026-01-20T00:00:00 | 2026-01-25T00:00:00Z 2026-03-01T00:00:00Z
            0 0 0 ? * 7            | 2026-01-01T00:00:00 | 2026-01-04T00:00:00Z 2026-01-11T00:00:00Z
            0 0 0 ? * SUN-MON      | 2026-01-01T00:00:00 | 2026-01-04T00:00:00Z 2026-01-05T00:00:00Z 2026-01-11T00:00:00Z
            0 0 0 ? * SAT-SUN      | 2026-01-01T00:00:00 | 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 2026-01-10T00:00:00Z
            0 0 0 ? * */2          | 2026-01-01T00:00:00 | 2026-01-02T00:00:00Z 2026-01-04T00:00:00Z 2026-01-05T00:00:00Z 2026-01-07T00:00:00Z
            0 0 0 ? * SUN/2        | 2026-01-01T00:00:00 | 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 2026-01-06T00:00:00Z 2026-01-08T00:00:00Z
            0 0 0 ? * 7-7          | 2026-01-01T00:00:00 | 2026-01-04T00:00:00Z 2026-01-11T00:00:00Z
            0 0 0 L * *            | 2028-01-31T00:00:00 | 2028-02-29T00:00:00Z 2028-03-31T00:00:00Z 2028-04-30T00:00:00Z
            0 0 0 L 2 *            | 2096-02-28T00:00:00 | 2096-02-29T00:00:00Z 2097-02-28T00:00:00Z 2098-02-28T00:00:00Z
            0 0 0 L 2 *            | 2099-12-31T00:00:00 | 2100-02-28T00:00:00Z 2101-02-28T00:00:00Z
            0 0 0 L-3 * *          | 2026-01-01T00:00:00 | 2026-01-28T00:00:00Z 2026-02-25T00:00:00Z
            0 0 0 L-30 * *         | 2026-01-01T00:00:00 | 2026-03-01T00:00:00Z 2026-05-01T00:00:00Z
            0 0 0 LW * *           | 2026-01-01T00:00:00 | 2026-01-30T00:00:00Z 2026-02-27T00:00:00Z 2026-03-31T00:00:00Z 2026-04-30T00:00:00Z 2026-05-29T00:00:00Z
            0 0 0 15W * *          | 2026-01-01T00:00:00 | 2026-01-15T00:00:00Z 2026-02-16T00:00:00Z 2026-03-16T00:00:00Z
            0 0 0 15W * *          | 2026-08-01T00:00:00 | 2026-08-14T00:00:00Z 2026-09-15T00:00:00Z
            0 0 0 1W * *           | 2026-08-01T00:00:00 | 2026-08-03T00:00:00Z 2026-09-01T00:00:00Z
            0 0 0 31W * *          | 2026-01-01T00:00:00 | 2026-01-30T00:00:00Z 2026-03-31T00:00:00Z 2026-05-29T00:00:00Z
            0 0 0 30W * *          | 2026-05-01T00:00:00 | 2026-05-29T00:00:00Z 2026-06-30T00:00:00Z
            0 0 0 ? * 5L           | 2026-01-01T00:00:00 | 2026-01-30T00:00:00Z 2026-02-27T00:00:00Z 2026-03-27T00:00:00Z
            0 0 0 ? * SUNL,0#1     | 2026-01-01T00:00:00 | 2026-01-04T00:00:00Z 2026-01-25T00:00:00Z 2026-02-01T00:00:00Z 2026-02-22T00:00:00Z
            0 0 0 ? * MON#2        | 2026-01-01T00:00:00 | 2026-01-12T00:00:00Z 2026-02-09T00:00:00Z
            0 0 0 ? * MON#5        | 2026-01-01T00:00:00 | 2026-03-30T00:00:00Z 2026-06-29T00:00:00Z
            0 0 0 1,15W,L * *      | 2026-02-01T00:00:00 | 2026-02-16T00:00:00Z 2026-02-28T00:00:00Z 2026-03-01T00:00:00Z
            0 0 0 29 2 MON         | 2026-01-01T00:00:00 | 2044-02-29T00:00:00Z 2072-02-29T00:00:00Z 2112-02-29T00:00:00Z
            @hourly                | 2026-01-01T00:00:00 | 2026-01-01T01:00:00Z 2026-01-01T02:00:00Z
            @daily                 | 2026-01-01T00:00:00 | 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z
            @midnight              | 2026-01-01T00:00:00 | 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z
            @weekly                | 2026-01-01T00:00:00 | 2026-01-04T00:00:00Z 2026-01-11T00:00:00Z
            @Monthly               | 2026-01-01T00:00:00 | 2026-02-01T00:00:00Z 2026-03-01T00:00:00Z
            @yearly                | 2026-01-01T00:00:00 | 2027-01-01T00:00:00Z 2028-01-01T00:00:00Z
            @annually              | 2026-01-01T00:00:00 | 2027-01-01T00:00:00Z 2028-01-01T00:00:00Z
            """)
    void theseComeNext(String expression, String from, String expected) {
        assertComes(expression, "UTC", from, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 30 2 * * *       | Europe/Berlin       | 2026-03-28T02:30:00 | 2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00
            0 30 2 * * *       | Europe/Berlin       | 2026-03-29T01:59:59 | 2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00
            0 15,45 2 * * *    | Europe/Berlin       | 2026-03-29T00:00:00 | 2026-03-29T03:00:00+02:00 2026-03-30T02:15:00+02:00
            0 0 2,3 * * *      | Europe/Berlin       | 2026-03-29T00:00:00 | 2026-03-29T03:00:00+02:00 2026-03-30T02:00:00+02:00
            0 0 3 * * *        | Europe/Berlin       | 2026-03-29T00:00:00 | 2026-03-29T03:00:00+02:00 2026-03-30T03:00:00+02:00
            0 0,30 1-3 * * *   | Europe/Berlin       | 2026-03-29T00:00:00 | 2026-03-29T01:00:00+01:00 2026-03-29T01:30:00+01:00 2026-03-29T03:00:00+02:00 2026-03-29T03:30:00+02:00 2026-03-30T01:00:00+02:00
            0 30 * * * *       | Europe/Berlin       | 2026-03-29T01:00:00 | 2026-03-29T01:30:00+01:00 2026-03-29T03:30:00+02:00 2026-03-29T04:30:00+02:00
            0 30 2 * * SAT     | Europe/Berlin       | 2026-03-29T00:00:00 | 2026-04-04T02:30:00+02:00
            0 30 2 * * *       | Europe/Berlin       | 2026-10-24T02:30:00 | 2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00
            0 0,30 1-3 * * *   | Europe/Berlin       | 2026-10-25T01:30:00 | 2026-10-25T02:00:00+02:00 2026-10-25T02:30:00+02:00 2026-10-25T03:00:00+01:00 2026-10-25T03:30:00+01:00 2026-10-26T01:00:00+01:00
            0 30 * * * *       | Europe/Berlin       | 2026-10-25T01:30:00 | 2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00 2026-10-25T03:30:00+01:00
            0 0 0 * * *        | America/Sao_Paulo   | 2018-11-03T00:00:00 | 2018-11-04T01:00:00-02:00 2018-11-05T00:00:00-02:00
            0 30 23 * * *      | America/Sao_Paulo   | 2019-02-15T23:30:00 | 2019-02-16T23:30:00-02:00 2019-02-17T23:30:00-03:00
            0 15 2 * * *       | Australia/Lord_Howe | 2026-10-03T03:00:00 | 2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00
            0 45 1 * * *       | Australia/Lord_Howe | 2026-04-04T03:00:00 | 2026-04-05T01:45:00+11:00 2026-04-06T01:45:00+10:30
            0 0 12 * * *       | Pacific/Apia        | 2011-12-28T12:00:00 | 2011-12-29T12:00:00-10:00 2011-12-31T00:00:00+14:00 2011-12-31T12:00:00+14:00
            0 0 12 30 * *      | Pacific/Apia        | 2011-12-29T12:00:00 | 2011-12-31T00:00:00+14:00 2012-01-30T12:00:00+14:00
            0 0 * 30 12 *      | Pacific/Apia        | 2011-12-29T12:00:00 | 2012-12-30T00:00:00+14:00
            """)
    void changesOfTheClockFollowTheRule(String expression, String zone, String from, String expected) {
        assertComes(expression, zone, from, expected);
    }

    /** In the later of the two hours with the same local time. */
    @Test
    void fromTheRepeatedHourOn() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        long inSecondHour = ms("2026-10-25T02:10:00+01:00");
        assertThat(Cron.parse("0 30 2 * * *", berlin).next(inSecondHour)).hasValue(ms("2026-10-26T02:30:00+01:00"));
        assertThat(Cron.parse("0 30 * * * *", berlin).next(inSecondHour)).hasValue(ms("2026-10-25T02:30:00+01:00"));
        assertThat(Cron.parse("0 0 3 * * *", berlin).next(inSecondHour)).hasValue(ms("2026-10-25T03:00:00+01:00"));
    }

    @Test
    void theNextTimeIsStrictlyAfter() {
        Cron cron = Cron.parse("*/10 * * * * *", UTC);
        assertThat(cron.next(9_999)).hasValue(10_000);
        assertThat(cron.next(10_000)).hasValue(20_000);
        assertThat(cron.next(10_001)).hasValue(20_000);
        assertThat(cron.next(-1)).hasValue(0);
        assertThat(cron.next(-10_001)).hasValue(-10_000);
        assertThat(cron.next(-10_000)).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0 0 0 30 2 *", "0 0 0 31 4,6,9,11 *", "0 0 0 L-29 2 *", "0 0 0 1-7 * 3#2", "0 0 12 31W 6 *"})
    void whatNeverComesIsNone(String expression) {
        assertThat(Cron.parse(expression, UTC).next(0)).isEmpty();
        assertThat(Cron.parse(expression, ZoneId.of("Europe/Berlin")).next(ms("2026-03-29T03:00:00+02:00")))
                .isEmpty();
    }

    @Test
    void timesEndWithTheRange() {
        Cron cron = Cron.parse("0 0 0 1 1 *", ZoneId.of("Europe/Berlin"));
        OptionalLong last = cron.next(Cron.FARTHEST_MS - 400L * 86_400_000);
        assertThat(last).isPresent();
        assertThat(cron.next(last.getAsLong())).isEmpty();
        assertThat(cron.next(Cron.FARTHEST_MS)).isEmpty();
        assertThat(cron.next(-Cron.FARTHEST_MS)).isPresent();
        Cron withoutChanges = Cron.parse("0 0 0 1 1 *", UTC);
        assertThat(withoutChanges.next(Cron.FARTHEST_MS - 400L * 86_400_000)).isPresent();
        assertThat(withoutChanges.next(Cron.FARTHEST_MS)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cron.next(Cron.FARTHEST_MS + 1))
                .withMessage("time is 1125899906842625 ms, must be from -1125899906842624 to 1125899906842624");
        assertThatIllegalArgumentException().isThrownBy(() -> cron.next(Long.MIN_VALUE));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            60 * * * * *        | second is '60', must be 0 to 59
            0 61 * * * *        | minute is '61', must be 0 to 59
            0 ? * * * *         | minute is '?', must be 0 to 59
            0 0 24 * * *        | hour is '24', must be 0 to 23
            0 0 0 0 * *         | day-of-month is '0', must be 1 to 31
            0 0 0 32 * *        | day-of-month is '32', must be 1 to 31
            0 0 0 32W * *       | day-of-month is '32W', must be 1 to 31
            0 0 0 L-31 * *      | day-of-month is 'L-31', the days before the last one must be 1 to 30
            0 0 0 L-0 * *       | day-of-month is 'L-0', the days before the last one must be 1 to 30
            0 0 0 L-2W * *      | day-of-month is 'L-2W', must be 1 to 31
            0 0 0 W * *         | day-of-month is 'W', must be 1 to 31
            0 0 0 ?,1 * *       | day-of-month is '?', must be 1 to 31
            0 0 0 1 13 *        | month is '13', must be 1 to 12, or one of JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC
            0 0 0 1 JA *        | month is 'JA', must be 1 to 12, or one of JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC
            0 0 0 1 ? *         | month is '?', must be 1 to 12, or one of JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC
            0 0 0 * * 8         | day-of-week is '8', must be 0 to 7, or one of MON TUE WED THU FRI SAT SUN
            0 0 0 * * L         | day-of-week is 'L', must be 0 to 7, or one of MON TUE WED THU FRI SAT SUN
            0 0 0 * * MON#6     | day-of-week is 'MON#6', the number after # must be 1 to 5
            0 0 0 * * MON#0     | day-of-week is 'MON#0', the number after # must be 1 to 5
            0 0 0 * * FRI-MON   | day-of-week is 'FRI-MON', the first of a range must not be greater than the last; write it as two ranges
            0 0 22-2 * * *      | hour is '22-2', the first of a range must not be greater than the last; write it as two ranges
            0 */61 * * * *      | minute is '*/61', the step must be 1 to 60
            0 */0 * * * *       | minute is '*/0', the step must be 1 to 60
            0 */ * * * *        | minute is '*/', must be 0 to 59
            0 1,,2 * * * *      | minute is '1,,2', must have a value between commas
            0 1, * * * *        | minute is '1,', must have a value between commas
            0 -1 * * * *        | minute is '-1', must be 0 to 59
            0 1- * * * *        | minute is '1-', must be 0 to 59
            0 1-2-3 * * * *     | minute is '1-2-3', must be 0 to 59
            0 100 * * * *       | minute is '100', must be 0 to 59
            0 *-5 * * * *       | minute is '*-5', must be 0 to 59
            """)
    void errorsNameFieldValueAndRule(String expression, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cron.parse(expression, UTC))
                .withMessage(message);
    }

    @Test
    void aWrongNumberOfFieldsIsRefused() {
        for (String expression : List.of("", "  ", "* * * *", "* * * * * * *", "@never", "@daily x")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Cron.parse(expression, UTC))
                    .withMessage("cron expression is '" + expression.strip()
                            + "', must have 6 fields (second minute hour day-of-month month day-of-week), or 5 without the second, or be one"
                            + " of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually");
        }
    }

    @Test
    void foreignCharactersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cron.parse("0 0 0 * * \u017fUN", UTC))
                .withMessage(
                        "cron expression has the character U+017F at index 10, must have letters, digits and * ? , - / # @ only");
        assertThatIllegalArgumentException().isThrownBy(() -> Cron.parse("0 0 0 \u0661 * *", UTC));
        assertThatIllegalArgumentException().isThrownBy(() -> Cron.parse("0 0 0 1;2 * *", UTC));
        assertThatIllegalArgumentException().isThrownBy(() -> Cron.parse("0\n0 0 1 * *", UTC));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cron.parse("0".repeat(1_001), UTC))
                .withMessage("cron expression has 1001 characters, must have at most 1000");
    }

    @Test
    void expressionsKeepTheirTextWithSingleSpaces() {
        Cron cron = Cron.parse(" 0 0\t9   * * mon ", UTC);
        assertThat(cron.expression()).isEqualTo("0 0 9 * * mon");
        assertThat(cron).isEqualTo(Cron.parse("0 0 9 * * mon", UTC)).hasToString("0 0 9 * * mon in UTC");
        assertThat(cron).isNotEqualTo(Cron.parse("0 0 9 * * mon", ZoneOffset.UTC));
    }

    private static void assertComes(String expression, String zoneName, String from, String expected) {
        ZoneId zone = ZoneId.of(zoneName);
        Cron cron = Cron.parse(expression, zone);
        List<String> times = List.of(expected.split(" "));
        List<Instant> found = new ArrayList<>();
        OptionalLong next =
                cron.next(LocalDateTime.parse(from).atZone(zone).toInstant().toEpochMilli());
        while (next.isPresent() && found.size() < times.size()) {
            found.add(Instant.ofEpochMilli(next.getAsLong()));
            next = cron.next(next.getAsLong());
        }
        assertThat(found).isEqualTo(times.stream().map(CronTest::instant).toList());
    }

    private static Instant instant(String text) {
        return OffsetDateTime.parse(text).toInstant();
    }

    private static long ms(String text) {
        return instant(text).toEpochMilli();
    }
}
