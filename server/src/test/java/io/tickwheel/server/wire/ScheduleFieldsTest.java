package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.tickwheel.engine.Plan;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Overlap;
import io.tickwheel.recurrence.Recurrence;
import io.tickwheel.server.targets.LogTargetKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ScheduleFieldsTest {

    private static final TargetKinds KINDS = TargetKinds.of(List.of(new LogTargetKind()));
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Recurrence WEEKDAYS = Recurrence.cron("0 0 9 * * MON-FRI", BERLIN);

    private static Recurrence read(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return ScheduleFields.read(parser);
        }
    }

    private static String write(Recurrence recurrence) {
        JsonOut out = new JsonOut(64);
        ScheduleFields.write(out, recurrence);
        return out.toBuffer().toString();
    }

    @Test
    void eachKindOfScheduleIsRead() throws IOException {
        assertThat(read("{\"every\":\"5m\"}")).isEqualTo(Recurrence.fixedRate(Duration.ofMinutes(5)));
        assertThat(read("{\"fixedDelay\":\"30s\"}")).isEqualTo(Recurrence.fixedDelay(Duration.ofSeconds(30)));
        assertThat(read("{\"cron\":\"0 0 9 * * MON-FRI\",\"zone\":\"Europe/Berlin\"}"))
                .isEqualTo(WEEKDAYS);
        assertThat(read("{\"every\":\"1h\",\"from\":\"2026-12-01T09:00:00+01:00\",\"until\":1830000000000,\"count\":10,"
                        + "\"misfire\":\"all\",\"overlap\":\"queue\"}"))
                .isEqualTo(Recurrence.fixedRate(Duration.ofHours(1))
                        .withFrom(Instant.parse("2026-12-01T08:00:00Z"))
                        .withUntil(Instant.ofEpochMilli(1_830_000_000_000L))
                        .withCount(10)
                        .withMisfire(Misfire.ALL)
                        .withOverlap(Overlap.QUEUE));
        assertThat(read("{\"every\":\"1h\",\"misfire\":\"once\",\"overlap\":\"skip\"}"))
                .isEqualTo(Recurrence.fixedRate(Duration.ofHours(1)));
        assertThat(read("{\"every\":\"1h\",\"misfire\":\"skip\",\"overlap\":\"allow\"}"))
                .isEqualTo(Recurrence.fixedRate(Duration.ofHours(1))
                        .withMisfire(Misfire.SKIP)
                        .withOverlap(Overlap.ALLOW));
    }

    static Stream<Recurrence> schedules() {
        return Stream.of(
                Recurrence.fixedRate(Recurrence.SHORTEST),
                Recurrence.fixedRate(Recurrence.LONGEST),
                Recurrence.fixedDelay(Recurrence.LONGEST).withMisfire(Misfire.SKIP),
                WEEKDAYS,
                Recurrence.cron("@daily", ZoneId.of("+05:45")).withCount(Recurrence.MAX_COUNT),
                WEEKDAYS.withFrom(Instant.parse("0000-01-01T00:00:00Z"))
                        .withUntil(Instant.parse("9999-12-31T23:59:59.999Z"))
                        .withCount(1)
                        .withMisfire(Misfire.ALL)
                        .withOverlap(Overlap.ALLOW),
                WEEKDAYS.withMisfire(Misfire.SKIP).withOverlap(Overlap.QUEUE));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void whatIsWrittenIsReadAsTheSame(Recurrence schedule) throws IOException {
        assertThat(read(write(schedule))).isEqualTo(schedule);
    }

    @Test
    void onlyWhatDiffersFromTheDefaultsIsWritten() {
        assertThat(write(Recurrence.fixedRate(Duration.ofMinutes(5)))).isEqualTo("{\"every\":\"300000ms\"}");
        assertThat(write(WEEKDAYS.withCount(3)))
                .isEqualTo("{\"cron\":\"0 0 9 * * MON-FRI\",\"zone\":\"Europe/Berlin\",\"count\":3}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            7                                     | WRONG_TYPE       | schedule is a number, must be an object
            {}                                    | INVALID_SCHEDULE | schedule: has 0 of every, fixedDelay and cron, must have one
            {"every":"1s","fixedDelay":"1s"}      | INVALID_SCHEDULE | schedule: has 2 of every, fixedDelay and cron, must have one
            {"every":"0s"}                        | OUT_OF_RANGE     | schedule.every is PT0S, must be 1 ms to PT876000H
            {"every":"36501d"}                    | OUT_OF_RANGE     | schedule.every is PT876024H, must be 1 ms to PT876000H
            {"every":"PT0.0015S"}                 | INVALID_SCHEDULE | schedule: every is PT0.0015S, must be whole milliseconds
            {"every":5}                           | WRONG_TYPE       | schedule.every is a number, must be a string
            {"cron":"0 0 9 * * *"}                | INVALID_SCHEDULE | schedule: has cron, must have its zone with it
            {"every":"1s","zone":"UTC"}           | INVALID_SCHEDULE | schedule: has a zone, which goes with cron only
            {"cron":"0 0 9 * * *","zone":"Mars"}  | INVALID_SCHEDULE | schedule.zone is "Mars", must be a zone that is known, such as Europe/Berlin or UTC
            {"cron":"0 0 25 * * *","zone":"UTC"}  | INVALID_SCHEDULE | schedule: hour is '25', must be 0 to 23
            {"every":"1s","from":"tomorrow"}      | INVALID_TIME     | schedule.from is "tomorrow", must be RFC 3339 with a zone, such as 2026-11-20T15:04:05.113Z or ...T16:04:05+01:00
            {"every":"1s","until":1796000000}     | INVALID_TIME     | schedule.until is 1796000000, as milliseconds 1970-01-21T18:53:20.000Z, as seconds 2026-11-30T00:53:20.000Z; must be RFC 3339, or milliseconds since the epoch of at least 100000000000 or at most -100000000000
            {"every":"1s","count":0}              | OUT_OF_RANGE     | schedule.count is 0, must be 1 to 1000000000000000
            {"every":"1s","count":1.5}            | WRONG_TYPE       | schedule.count is a number, must be an integer
            {"every":"1s","misfire":"never"}      | INVALID_CHOICE   | schedule.misfire is "never", must be once, skip or all
            {"every":"1s","overlap":"SKIP"}       | INVALID_CHOICE   | schedule.overlap is "SKIP", must be skip, queue or allow
            {"fixedDelay":"1s","overlap":"allow"} | INVALID_SCHEDULE | schedule: overlap is ALLOW, must be SKIP with a fixed delay, whose runs never overlap
            {"every":"1s","jitter":1}             | UNKNOWN_FIELD    | field "schedule.jitter" is not known, must not be sent
            {"every":"1s","from":"2026-12-01T00:00:00Z","until":"2026-12-01T00:00:00Z"} | INVALID_SCHEDULE | schedule: from is 2026-12-01T00:00:00Z, must be before until, which is 2026-12-01T00:00:00Z
            """)
    void faultsAreNamed(String json, ProblemCode code, String detail) {
        assertThatThrownBy(() -> read(json)).isInstanceOfSatisfying(ProblemException.class, e -> {
            assertThat(e.problem().code()).isEqualTo(code);
            assertThat(e.problem().detail()).isEqualTo(detail);
        });
    }

    @Test
    void bodiesHaveASchedule() {
        ScheduleBody body = body("{\"schedule\":{\"every\":\"5m\"}}", ScheduleBody.Place.KEYED);
        assertThat(body.schedule).isEqualTo(Recurrence.fixedRate(Duration.ofMinutes(5)));
        assertThat(body.dueAt()).isNull();
        assertThat(body.delay()).isNull();
        assertThat(body.toRequest("q", "k").key().key()).isEqualTo("k");
        assertThat(body("{\"delay\":\"1s\",\"schedule\":{\"every\":\"5m\"}}", ScheduleBody.Place.BATCH_LINE)
                        .delay())
                .isEqualTo(Duration.ofSeconds(1));
        for (ScheduleBody.Place place :
                new ScheduleBody.Place[] {ScheduleBody.Place.RESCHEDULE, ScheduleBody.Place.REDRIVE}) {
            assertThatThrownBy(() -> body("{\"delay\":\"1s\",\"schedule\":{\"every\":\"5m\"}}", place))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problem().code()).isEqualTo(ProblemCode.FIELD_NOT_ALLOWED));
        }
        assertThat(body("{\"payload\":1}", ScheduleBody.Place.REDRIVE).dueAt()).isNull();
        for (String conflict : new String[] {"\"onConflict\":\"keep\"", "\"maxWait\":\"5s\"", "\"touchable\":true"}) {
            assertThatThrownBy(() -> body("{" + conflict + "}", ScheduleBody.Place.REDRIVE))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problem().code()).isEqualTo(ProblemCode.FIELD_NOT_ALLOWED));
        }
        assertThatThrownBy(() -> body("{}", ScheduleBody.Place.KEYED))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().detail())
                                .isEqualTo("one of delay, dueAt and delayLevel must be there, or schedule"));
        assertThatThrownBy(() -> body("{}", ScheduleBody.Place.RESCHEDULE))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().detail())
                                .isEqualTo("one of delay, dueAt and delayLevel must be there"));
    }

    /** As who moves from RocketMQ has them. */
    @Test
    void levelsOfDelayAreTakenByNumberAndByName() {
        List<String> names = List.of(
                "1s", "5s", "10s", "30s", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "10m", "20m", "30m",
                "1h", "2h");
        for (int level = 1; level <= names.size(); level++) {
            String name = names.get(level - 1);
            assertThat(body("{\"delayLevel\":" + level + "}", ScheduleBody.Place.KEYED)
                            .delay())
                    .isEqualTo(body("{\"delay\":\"" + name + "\"}", ScheduleBody.Place.KEYED)
                            .delay())
                    .isNotNull();
        }
    }

    /** Also the way of an export and its import. */
    @Test
    void contentIsShownWithItsSchedule() {
        Plan plan = new Plan(WEEKDAYS.withCount(3), 0, 1, 5, false, false);
        TimerContent content = new TimerContent(new byte[0], null, Map.of(), null, null, null, null, plan);
        JsonOut out = new JsonOut(64).open('{').field("dueAt").string("2026-12-01T08:00:00Z");
        ContentJson.writeFields(out, content, true, KINDS);
        String shown = out.close('}').toBuffer().toString();
        assertThat(shown)
                .contains("\"schedule\":{\"cron\":\"0 0 9 * * MON-FRI\",\"zone\":\"Europe/Berlin\",\"count\":3}");
        assertThat(body(shown, ScheduleBody.Place.KEYED).schedule).isEqualTo(plan.recurrence());
    }

    private static ScheduleBody body(String json, ScheduleBody.Place place) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return ScheduleBodyReader.read(bytes, 0, bytes.length, place, KINDS, () -> null);
    }

    @Test
    void eachBoundIsReadWithoutTheOther() throws IOException {
        Recurrence ends = read("{\"every\":\"1m\",\"until\":\"2030-01-01T00:00:00Z\"}");
        assertThat(ends.until()).isEqualTo("2030-01-01T00:00:00Z");
        assertThat(ends.from()).isNull();
        Recurrence begins = read("{\"every\":\"1m\",\"from\":\"2030-01-01T00:00:00Z\"}");
        assertThat(begins.from()).isEqualTo("2030-01-01T00:00:00Z");
        assertThat(begins.until()).isNull();
    }
}
