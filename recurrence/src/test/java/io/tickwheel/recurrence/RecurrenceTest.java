package io.tickwheel.recurrence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tickwheel.recurrence.Turn.Then;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timelines of plans: they come due, some time has passed, exactly these runs start. */
final class RecurrenceTest {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final Recurrence HOURLY = Recurrence.fixedRate(Duration.ofHours(1));
    private static final Recurrence HOURLY_BY_CRON = Recurrence.cron("@hourly", UTC);
    private static final Recurrence A_MINUTE_AFTER = Recurrence.fixedDelay(Duration.ofMinutes(1));

    @Test
    void fixedRateBeginsAPeriodAfterThePlanWasMade() {
        assertThat(HOURLY.first(5)).hasValue(HOUR + 5);
    }

    @Test
    void fixedRateKeepsTheGridOfItsFrom() {
        Recurrence from = HOURLY.withFrom(at(10 * MINUTE));
        assertThat(from.first(0)).hasValue(10 * MINUTE);
        assertThat(from.first(10 * MINUTE)).hasValue(70 * MINUTE);
        assertThat(from.first(3 * DAY)).hasValue(3 * DAY + 10 * MINUTE);
        assertThat(from.first(3 * DAY + 10 * MINUTE)).hasValue(3 * DAY + 70 * MINUTE);
        assertThat(from.first(-DAY)).hasValue(10 * MINUTE);
    }

    @Test
    void fixedDelayBeginsADelayAfterThePlanWasMadeOrWithItsFrom() {
        assertThat(A_MINUTE_AFTER.first(5)).hasValue(MINUTE + 5);
        assertThat(A_MINUTE_AFTER.withFrom(at(DAY)).first(5)).hasValue(DAY);
        assertThat(A_MINUTE_AFTER.withFrom(at(DAY)).first(DAY)).hasValue(DAY + MINUTE);
    }

    @Test
    void cronBeginsAfterThePlanWasMadeAndNotBeforeItsFrom() {
        assertThat(HOURLY_BY_CRON.first(0)).hasValue(HOUR);
        assertThat(HOURLY_BY_CRON.withFrom(at(5 * HOUR)).first(0)).hasValue(5 * HOUR);
        assertThat(HOURLY_BY_CRON.withFrom(at(5 * HOUR)).first(5 * HOUR)).hasValue(6 * HOUR);
        assertThat(HOURLY_BY_CRON.withFrom(at(5 * HOUR + 1)).first(0)).hasValue(6 * HOUR);
    }

    @Test
    void whatIsInTimeIsFollowedByTheNextNominalTime() {
        for (Misfire misfire : Misfire.values()) {
            for (Recurrence hourly : List.of(HOURLY, HOURLY_BY_CRON)) {
                Recurrence plan = hourly.withMisfire(misfire);
                for (long lateMs : new long[] {-DAY, 0, 1, MINUTE}) {
                    assertThat(plan.turn(9 * HOUR, 9 * HOUR + lateMs, 0))
                            .as("%s, late by %d", plan, lateMs)
                            .isEqualTo(starts(10 * HOUR));
                }
            }
        }
    }

    @Test
    void onceOneRunStartsForAllThatWereMissed() {
        for (Recurrence hourly : List.of(HOURLY, HOURLY_BY_CRON)) {
            assertThat(hourly.turn(9 * HOUR, 9 * HOUR + MINUTE + 1, 0)).isEqualTo(starts(10 * HOUR));
            assertThat(hourly.turn(9 * HOUR, 12 * HOUR - 1, 0)).isEqualTo(starts(12 * HOUR));
            assertThat(hourly.turn(9 * HOUR, 12 * HOUR, 0)).isEqualTo(starts(13 * HOUR));
            assertThat(hourly.turn(9 * HOUR, 12 * HOUR + 30 * SECOND, 0)).isEqualTo(starts(13 * HOUR));
        }
    }

    @Test
    void skipMissedRunsAreLeftOutAndThoseThatAreNotMissedStart() {
        for (Recurrence hourly : List.of(HOURLY, HOURLY_BY_CRON)) {
            Recurrence plan = hourly.withMisfire(Misfire.SKIP);
            assertThat(plan.turn(9 * HOUR, 9 * HOUR + MINUTE + 1, 0)).isEqualTo(leavesOut(10 * HOUR));
            assertThat(plan.turn(9 * HOUR, 12 * HOUR + MINUTE + 1, 0)).isEqualTo(leavesOut(13 * HOUR));
            assertThat(plan.turn(9 * HOUR, 12 * HOUR + MINUTE, 0)).isEqualTo(leavesOut(12 * HOUR));
            assertThat(plan.turn(12 * HOUR, 12 * HOUR + MINUTE, 0)).isEqualTo(starts(13 * HOUR));
        }
    }

    @Test
    void allMissedRunsStartOneAfterTheOther() {
        for (Recurrence hourly : List.of(HOURLY, HOURLY_BY_CRON)) {
            Recurrence plan = hourly.withMisfire(Misfire.ALL);
            List<Long> started = new ArrayList<>();
            long nominal = 9 * HOUR;
            while (nominal <= 12 * HOUR + 30 * SECOND) {
                Turn turn = plan.turn(nominal, 12 * HOUR + 30 * SECOND, started.size());
                assertThat(turn.starts()).isTrue();
                started.add(nominal);
                nominal = turn.nextMs().orElseThrow();
            }
            assertThat(started).containsExactly(9 * HOUR, 10 * HOUR, 11 * HOUR, 12 * HOUR);
            assertThat(nominal).isEqualTo(13 * HOUR);
        }
    }

    /** Else a plan for each second would run sixty times after a minute. */
    @Test
    void thePeriodIsTheGraceWhenItIsShorterThanAMinute() {
        Recurrence rate = Recurrence.fixedRate(Duration.ofSeconds(10));
        Recurrence cron = Recurrence.cron("*/10 * * * * *", UTC);
        for (Recurrence plan : List.of(rate, cron)) {
            assertThat(plan.turn(0, 10 * SECOND, 0)).isEqualTo(starts(10 * SECOND));
            assertThat(plan.turn(0, 10 * SECOND + 1, 0)).isEqualTo(starts(20 * SECOND));
            Recurrence skips = plan.withMisfire(Misfire.SKIP);
            assertThat(skips.turn(0, 10 * SECOND, 0)).isEqualTo(starts(10 * SECOND));
            assertThat(skips.turn(0, 10 * SECOND + 1, 0)).isEqualTo(leavesOut(10 * SECOND));
            assertThat(skips.turn(0, DAY + 1, 0)).isEqualTo(leavesOut(DAY));
            assertThat(skips.turn(0, DAY, 0)).isEqualTo(leavesOut(DAY - 10 * SECOND));
        }
    }

    /** Each minute around noon, else once a day: the periods differ. */
    @Test
    void thePeriodOfACronExpressionIsTheTimeToItsNextTime() {
        Recurrence plan = Recurrence.cron("0,20 0 12 * * *", UTC).withMisfire(Misfire.SKIP);
        assertThat(plan.turn(12 * HOUR, 12 * HOUR + 20 * SECOND, 0)).isEqualTo(starts(12 * HOUR + 20 * SECOND));
        assertThat(plan.turn(12 * HOUR, 12 * HOUR + 20 * SECOND + 1, 0)).isEqualTo(leavesOut(12 * HOUR + 20 * SECOND));
        assertThat(plan.turn(12 * HOUR + 20 * SECOND, 12 * HOUR + 80 * SECOND, 0))
                .isEqualTo(starts(DAY + 12 * HOUR));
        assertThat(plan.turn(12 * HOUR + 20 * SECOND, 12 * HOUR + 80 * SECOND + 1, 0))
                .isEqualTo(leavesOut(DAY + 12 * HOUR));
    }

    @Test
    void fixedDelayWaitsForTheEndOfTheRun() {
        assertThat(A_MINUTE_AFTER.turn(0, 30 * SECOND, 0))
                .isEqualTo(new Turn(true, Then.RUN_HAS_TO_END, OptionalLong.empty()));
        assertThat(A_MINUTE_AFTER.turn(0, DAY, 0)).isEqualTo(new Turn(true, Then.RUN_HAS_TO_END, OptionalLong.empty()));
        assertThat(A_MINUTE_AFTER.afterRun(DAY + 5)).hasValue(DAY + MINUTE + 5);
        assertThat(A_MINUTE_AFTER.withUntil(at(DAY)).afterRun(DAY)).isEmpty();
        assertThat(A_MINUTE_AFTER.withMisfire(Misfire.SKIP).turn(0, DAY, 0)).isEqualTo(leavesOut(DAY + MINUTE));
        assertThatIllegalStateException()
                .isThrownBy(() -> HOURLY.afterRun(0))
                .withMessage("every PT1H is no fixed delay, the end of a run changes nothing");
    }

    @Test
    void nothingIsDueAtUntilOrLater() {
        Recurrence plan = HOURLY.withUntil(at(11 * HOUR));
        assertThat(plan.turn(9 * HOUR, 9 * HOUR, 0)).isEqualTo(starts(10 * HOUR));
        assertThat(plan.turn(10 * HOUR, 10 * HOUR, 0)).isEqualTo(Turn.ended(true));
        assertThat(plan.turn(9 * HOUR, DAY, 0)).isEqualTo(Turn.ended(true));
        assertThat(plan.withMisfire(Misfire.SKIP).turn(9 * HOUR, DAY, 0)).isEqualTo(Turn.ended(false));
        assertThat(plan.withMisfire(Misfire.ALL).turn(9 * HOUR, DAY, 0)).isEqualTo(starts(10 * HOUR));
        assertThat(plan.first(10 * HOUR)).isEmpty();
        assertThat(plan.first(10 * HOUR - 1)).hasValue(11 * HOUR - 1);
    }

    @Test
    void soManyRunsStartAndNoMore() {
        Recurrence plan = HOURLY.withCount(2);
        assertThat(plan.turn(9 * HOUR, 9 * HOUR, 0)).isEqualTo(starts(10 * HOUR));
        assertThat(plan.turn(10 * HOUR, 10 * HOUR, 1)).isEqualTo(Turn.ended(true));
        assertThat(plan.turn(10 * HOUR, DAY, 1)).isEqualTo(Turn.ended(true));
        assertThat(plan.turn(11 * HOUR, 11 * HOUR, 2)).isEqualTo(Turn.ended(false));
        assertThat(A_MINUTE_AFTER.withCount(1).turn(0, 0, 0)).isEqualTo(Turn.ended(true));
    }

    @Test
    void runsThatAreLeftOutDoNotCount() {
        Recurrence plan = HOURLY.withCount(1).withMisfire(Misfire.SKIP);
        assertThat(plan.turn(9 * HOUR, 12 * HOUR - 1, 0)).isEqualTo(leavesOut(12 * HOUR));
        assertThat(plan.turn(12 * HOUR, 12 * HOUR, 0)).isEqualTo(Turn.ended(true));
    }

    @Test
    void plansEndWithTheRangeOfTimes() {
        Recurrence plan = Recurrence.fixedRate(Recurrence.LONGEST);
        assertThat(plan.first(Cron.FARTHEST_MS)).isEmpty();
        assertThat(plan.turn(Cron.FARTHEST_MS, Cron.FARTHEST_MS, 0)).isEqualTo(Turn.ended(true));
        assertThat(plan.turn(-Cron.FARTHEST_MS, Cron.FARTHEST_MS, 0).starts()).isTrue();
        assertThat(Recurrence.fixedRate(Duration.ofMillis(1)).turn(-Cron.FARTHEST_MS, 0, 0))
                .isEqualTo(starts(1));
        assertThatIllegalArgumentException().isThrownBy(() -> plan.turn(0, Cron.FARTHEST_MS + 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> plan.turn(Cron.FARTHEST_MS + 1, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> plan.first(Long.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> A_MINUTE_AFTER.afterRun(Long.MAX_VALUE));
    }

    @Test
    void lastTimeOfTheRangeIsATime() {
        long last = Cron.FARTHEST_MS;
        Recurrence each = Recurrence.fixedRate(Duration.ofMillis(1));
        assertThat(each.first(last - 1)).hasValue(last);
        assertThat(each.turn(last - 1, last - 1, 0)).isEqualTo(starts(last));
        assertThat(each.turn(last, last, 0)).isEqualTo(Turn.ended(true));
        assertThat(each.preview(last - 2, 5)).containsExactly(at(last - 1), at(last));
        assertThat(each.withFrom(at(last)).first(-last)).hasValue(last);
        assertThat(each.withUntil(at(last)).preview(last - 2, 5)).containsExactly(at(last - 1));
        assertThat(each.withUntil(at(last)).after(last - 1, last - 1)).isEmpty();
        assertThat(A_MINUTE_AFTER.afterRun(last - MINUTE)).hasValue(last);
        assertThat(A_MINUTE_AFTER.afterRun(last - MINUTE + 1)).isEmpty();
        assertThat(A_MINUTE_AFTER.withFrom(at(last)).first(last - 1)).hasValue(last);
        // The last second of all begins before the last millisecond.
        long second = last / 1_000 * 1_000;
        Recurrence eachSecond = Recurrence.cron("* * * * * *", UTC);
        assertThat(eachSecond.preview(second - 1_001, 5)).containsExactly(at(second - 1_000), at(second));
        assertThat(eachSecond.first(second)).isEmpty();
        assertThat(eachSecond.withFrom(at(second + 1)).first(0)).isEmpty();
        assertThat(eachSecond.withFrom(at(second)).first(0)).hasValue(second);
        assertThat(Recurrence.parse(each.withFrom(at(last)).toString()).from()).isEqualTo(at(last));
    }

    @Test
    void anExpressionThatNeverComesHasNoFirstTime() {
        assertThat(Recurrence.cron("0 0 0 30 2 *", UTC).first(0)).isEmpty();
        assertThat(Recurrence.cron("0 0 0 30 2 *", UTC).preview(0, 5)).isEmpty();
    }

    @Test
    void previewIsWhatComes() {
        assertThat(HOURLY.withFrom(at(0)).preview(9 * HOUR + 1, 2)).containsExactly(at(10 * HOUR), at(11 * HOUR));
        assertThat(HOURLY.preview(9 * HOUR, 2)).containsExactly(at(10 * HOUR), at(11 * HOUR));
        assertThat(HOURLY_BY_CRON.withCount(1).preview(9 * HOUR, 2)).containsExactly(at(10 * HOUR));
        assertThat(HOURLY.withUntil(at(11 * HOUR)).preview(9 * HOUR, 5)).containsExactly(at(10 * HOUR));
        assertThat(A_MINUTE_AFTER.preview(0, 2)).containsExactly(at(MINUTE), at(2 * MINUTE));
        assertThat(HOURLY.preview(0, Recurrence.MAX_PREVIEW)).hasSize(Recurrence.MAX_PREVIEW);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HOURLY.preview(0, 0))
                .withMessage("number of times is 0, must be 1 to 1000");
        assertThatIllegalArgumentException().isThrownBy(() -> HOURLY.preview(0, 1_001));
    }

    @Test
    void rangesAreKept() {
        assertThat(Recurrence.fixedRate(Duration.ofMillis(1)).every()).isEqualTo(Duration.ofMillis(1));
        assertThat(Recurrence.fixedDelay(Duration.ofDays(36_500)).delay()).isEqualTo(Duration.ofDays(36_500));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recurrence.fixedRate(Duration.ZERO))
                .withMessage("every is PT0S, must be PT0.001S to PT876000H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recurrence.fixedDelay(Duration.ofDays(36_500).plusMillis(1)))
                .withMessage("delay is PT876000H0.001S, must be PT0.001S to PT876000H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Recurrence.fixedRate(Duration.ofNanos(1_500_000)))
                .withMessage("every is PT0.0015S, must be whole milliseconds");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HOURLY.withCount(0))
                .withMessage("count is 0, must be 1 to 1000000000000000");
        assertThatIllegalArgumentException().isThrownBy(() -> HOURLY.withCount(Recurrence.MAX_COUNT + 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HOURLY.withFrom(Instant.ofEpochSecond(0, 1)))
                .withMessage("from is 1970-01-01T00:00:00.000000001Z, must be whole milliseconds");
        assertThatIllegalArgumentException().isThrownBy(() -> HOURLY.withFrom(at(Cron.FARTHEST_MS + 1)));
        assertThatIllegalArgumentException().isThrownBy(() -> HOURLY.withUntil(Instant.MIN));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HOURLY.withUntil(at(5)).withFrom(at(5)))
                .withMessage(
                        "from is 1970-01-01T00:00:00.005Z, must be before until, which is 1970-01-01T00:00:00.005Z");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HOURLY.withFrom(at(5)).withUntil(at(4)));
        assertThat(HOURLY.withFrom(at(5)).withUntil(at(6)).from()).isEqualTo(at(5));
    }

    @ParameterizedTest
    @EnumSource(
            value = Overlap.class,
            names = {"QUEUE", "ALLOW"})
    void runsOfAFixedDelayNeitherOverlapNorPileUp(Overlap overlap) {
        assertThat(HOURLY.withOverlap(overlap).overlap()).isEqualTo(overlap);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> A_MINUTE_AFTER.withOverlap(overlap))
                .withMessage("overlap is " + overlap + ", must be SKIP with a fixed delay, whose runs never overlap");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> A_MINUTE_AFTER.withMisfire(Misfire.ALL))
                .withMessage("misfire is ALL, must be ONCE or SKIP with a fixed delay, which misses one run at most");
    }

    private static Turn starts(long nextMs) {
        return new Turn(true, Then.DUE_AGAIN, OptionalLong.of(nextMs));
    }

    private static Turn leavesOut(long nextMs) {
        return new Turn(false, Then.DUE_AGAIN, OptionalLong.of(nextMs));
    }

    private static Instant at(long ms) {
        return Instant.ofEpochMilli(ms);
    }

    /** The grid stays, wherever the time is that it is asked for. */
    @Test
    void nominalTimesThatFollowOneAndATime() {
        Recurrence rate = Recurrence.fixedRate(Duration.ofMillis(10)).withUntil(Instant.ofEpochMilli(45));
        assertThat(rate.after(5, 5)).hasValue(15);
        assertThat(rate.after(5, 14)).hasValue(15);
        assertThat(rate.after(5, 15)).hasValue(25);
        assertThat(rate.after(5, -100)).hasValue(15);
        assertThat(rate.after(5, 35)).isEmpty();
        assertThat(rate.shortestPeriodMs()).isEqualTo(10);
        Recurrence delay = Recurrence.fixedDelay(Duration.ofMillis(10));
        assertThat(delay.after(5, 7)).hasValue(17);
        assertThat(delay.after(5, 2)).hasValue(15);
        assertThat(delay.shortestPeriodMs()).isEqualTo(10);
        Recurrence cron = Recurrence.cron("@hourly", ZoneId.of("UTC"));
        assertThat(cron.after(0, 3_600_000)).hasValue(7_200_000);
        assertThat(cron.after(3_600_000, 1_000)).hasValue(7_200_000);
        assertThat(cron.shortestPeriodMs()).isEqualTo(1_000);
        assertThat(rate.isMissed(5, 15)).isFalse();
        assertThat(rate.isMissed(5, 16)).isTrue();
    }
}
