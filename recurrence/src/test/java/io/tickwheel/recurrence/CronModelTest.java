package io.tickwheel.recurrence;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/**
 * {@link Cron} against the rule as it is written: all days of some weeks, all local times of each, looked up in the rules of the zone one by one. The
 * weeks are most often those in which a clock is changed.
 */
class CronModelTest {

    private static final int DAYS = 40;
    private static final int MOST = 200;
    private static final List<ZoneId> ZONES =
            ZoneId.getAvailableZoneIds().stream().sorted().map(ZoneId::of).toList();

    /** A day field: its text, and which days it is about. */
    record Day(String text, Predicate<LocalDate> matches) {}

    /** What is asked: an expression, and what it means. */
    record Question(Set<Integer> seconds, Set<Integer> minutes, Set<Integer> hours, Day ofMonth, Day ofWeek) {

        String expression() {
            return text(seconds) + " " + text(minutes) + " " + (hours.size() == 24 ? "*" : text(hours)) + " "
                    + ofMonth.text + " * " + ofWeek.text;
        }

        private static String text(Set<Integer> values) {
            return values.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
    }

    @Provide
    Arbitrary<Question> questions() {
        Arbitrary<Integer> sixty = Arbitraries.integers().between(0, 59);
        Arbitrary<Set<Integer>> hours = Arbitraries.oneOf(
                Arbitraries.just(new TreeSet<>(IntStream.range(0, 24).boxed().toList())),
                Arbitraries.integers().between(0, 23).set().ofMinSize(1).ofMaxSize(5),
                Arbitraries.integers().between(0, 3).set().ofMinSize(1));
        return Combinators.combine(
                        sixty.set().ofMinSize(1).ofMaxSize(2),
                        sixty.set().ofMinSize(1).ofMaxSize(4),
                        hours,
                        daysOfMonth(),
                        daysOfWeek())
                .as(Question::new);
    }

    private static Arbitrary<Day> daysOfMonth() {
        Arbitrary<Integer> days = Arbitraries.integers().between(1, 31);
        return Arbitraries.oneOf(
                Arbitraries.just(new Day("*", date -> true)),
                Arbitraries.just(new Day("?", date -> true)),
                days.map(day -> new Day("" + day, date -> date.getDayOfMonth() == day)),
                days.map(day -> new Day(day + "-31", date -> date.getDayOfMonth() >= day)),
                Arbitraries.integers()
                        .between(0, 30)
                        .map(n -> new Day(
                                n == 0 ? "L" : "L-" + n, date -> date.getDayOfMonth() == date.lengthOfMonth() - n)),
                Arbitraries.just(new Day("LW", date -> date.equals(nearest(date, date.lengthOfMonth())))),
                days.map(day ->
                        new Day(day + "W", date -> day <= date.lengthOfMonth() && date.equals(nearest(date, day)))));
    }

    private static LocalDate nearest(LocalDate month, int day) {
        LocalDate date = month.withDayOfMonth(day);
        List<LocalDate> near = new ArrayList<>();
        for (int i : List.of(0, -1, 1, -2, 2)) {
            near.add(date.plusDays(i));
        }
        return near.stream()
                .filter(each -> each.getMonth() == month.getMonth())
                .filter(each -> each.getDayOfWeek().getValue() <= DayOfWeek.FRIDAY.getValue())
                .findFirst()
                .orElseThrow();
    }

    private static Arbitrary<Day> daysOfWeek() {
        Arbitrary<DayOfWeek> days = Arbitraries.of(DayOfWeek.class);
        return Arbitraries.oneOf(
                Arbitraries.just(new Day("*", date -> true)),
                days.map(day -> new Day("" + day.getValue(), date -> date.getDayOfWeek() == day)),
                days.map(day ->
                        new Day("MON-" + name(day), date -> date.getDayOfWeek().compareTo(day) <= 0)),
                days.map(day ->
                        new Day(name(day) + "L", date -> date.equals(date.with(TemporalAdjusters.lastInMonth(day))))),
                Combinators.combine(days, Arbitraries.integers().between(1, 5))
                        .as((day, n) -> new Day(
                                name(day) + "#" + n,
                                date -> date.getDayOfWeek() == day && (date.getDayOfMonth() - 1) / 7 + 1 == n)));
    }

    private static String name(DayOfWeek day) {
        return day.name().substring(0, 3);
    }

    @Property
    void nextIsTheFirstOfTheModel(
            @ForAll("questions") Question question, @ForAll long draw, @ForAll boolean nearChange) {
        ZoneId zone = ZONES.get((int) Math.floorMod(draw, (long) ZONES.size()));
        ZoneRules rules = zone.getRules();
        Instant start = Instant.ofEpochSecond(Math.floorMod(draw / 1_000, 4_000_000_000L));
        ZoneOffsetTransition change = rules.nextTransition(start);
        if (nearChange && change != null) {
            start = change.getInstant().minusSeconds(Math.floorMod(draw, 90_000L));
        }
        List<Long> expected = model(question, rules, start);
        Cron cron = Cron.parse(question.expression(), zone);
        long after = start.toEpochMilli();
        for (long time : expected) {
            assertThat(cron.next(after)).as("%s after %d", cron, after).hasValue(time);
            after = time;
        }
        OptionalLong beyond = cron.next(after);
        assertThat(expected.size() == MOST
                        || beyond.isEmpty()
                        || beyond.getAsLong() > start.toEpochMilli() + (DAYS - 2) * 86_400_000L)
                .as("%s after %d", cron, after)
                .isTrue();
    }

    /** The times after an instant, of some days less one. */
    private static List<Long> model(Question question, ZoneRules rules, Instant start) {
        boolean isEveryHour = question.hours.size() == 24;
        TreeSet<Instant> times = new TreeSet<>();
        LocalDate first = LocalDateTime.ofInstant(start, rules.getOffset(start))
                .toLocalDate()
                .minusDays(2);
        for (LocalDate date = first; date.isBefore(first.plusDays(DAYS + 3)); date = date.plusDays(1)) {
            if (question.ofMonth.matches.test(date) && question.ofWeek.matches.test(date)) {
                for (int hour : question.hours) {
                    for (int minute : question.minutes) {
                        for (int second : question.seconds) {
                            LocalDateTime local = date.atTime(LocalTime.of(hour, minute, second));
                            if (rules.getValidOffsets(local).isEmpty()) {
                                if (!isEveryHour) {
                                    times.add(rules.getTransition(local).getInstant());
                                }
                            } else {
                                int last = isEveryHour
                                        ? rules.getValidOffsets(local).size()
                                        : 1;
                                rules.getValidOffsets(local)
                                        .subList(0, last)
                                        .forEach(offset -> times.add(local.toInstant(offset)));
                            }
                        }
                    }
                }
            }
        }
        Instant end = start.plusSeconds((DAYS - 2) * 86_400L);
        return times.subSet(start, false, end, true).stream()
                .map(Instant::toEpochMilli)
                .limit(MOST)
                .toList();
    }

    /** What the arithmetic rests on: no clock is changed again while it goes through a time that was changed. */
    @Test
    void changesOfAClockAreFarApart() {
        for (ZoneId zone : ZONES) {
            ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.parse("1900-01-01T00:00:00Z"));
            while (change != null && change.toEpochSecond() < 4_000_000_000L) {
                ZoneOffsetTransition next = zone.getRules().nextTransition(change.getInstant());
                long lengthSeconds = Math.abs(change.getDuration().toSeconds());
                assertThat(next == null || next.toEpochSecond() - change.toEpochSecond() > lengthSeconds)
                        .as("%s at %s", zone, change)
                        .isTrue();
                change = next;
            }
        }
    }
}
