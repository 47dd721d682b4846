package io.tickwheel.recurrence;

import java.time.ZoneId;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A cron expression in a zone: which second is the next one that matches. Immutable and thread-safe. The next time is found field by field, by bits,
 * mostly without a look at the rules of the zone.
 *
 * <p>Six fields, or five for those that begin with second 0:
 *
 * <pre>
 *   second  minute  hour  day-of-month  month    day-of-week
 *   0-59    0-59    0-23  1-31          1-12     0-7, where 0 and 7 are Sunday
 *                                       JAN-DEC  MON-SUN
 *
 *   *      each value                      ?      the same, of a day field only
 *   1,3-5  a list of values and ranges     8/15   from 8 to the end in steps of 15; also 8-40/15, *&#47;15
 *   L      the last day of the month       L-3    three days before it
 *   15W    the weekday (Monday to Friday) nearest to the 15th, in the same month
 *   LW     the last weekday of the month
 *   5L     the last Friday of the month    MON#2  the second Monday of the month
 *
 *   &#64;hourly  &#64;daily  &#64;midnight  &#64;weekly (Sunday)  &#64;monthly  &#64;yearly  &#64;annually
 * </pre>
 *
 * Where both day fields are restricted, a day must match both: {@code 0 0 12 13 * FRI} is each Friday the 13th at noon. That is what Spring does; the
 * cron of Unix takes days that match either. A step of the days of the week that has no start counts from Monday. Letters may be small. A range does
 * not go over the end of its field, but for Sunday, which may be its first and its last day: {@code SUN-TUE}, {@code FRI-SUN}.
 *
 * <h2>When clocks are changed</h2>
 *
 * What is written down are local times. In most zones one hour of the year has no local time, a <em>gap</em>, and another one has a local
 * time that was there before. The rule depends on the hour field alone:
 *
 * <ul>
 *   <li>When it has all 24 hours, the expression is about the minutes of each hour: it follows the time that really passes. Nothing
 *       happens in a gap, as no time passes there, and what comes twice is taken twice.
 *   <li>When it has not, each local time is taken once: in what comes twice, the first time. What matches in a gap is taken at its end, once,
 *       however much of it matches, and also when the end of the gap matches itself.
 * </ul>
 *
 * So nothing that happens once a day is left out, or happens twice, and what happens every ten minutes does so. Spring's {@code CronExpression} has
 * the first rule for all expressions: a daily job in the gap is left out that day, and one that comes twice runs twice.
 *
 * <p>An example, in Berlin. On 29 March 2026 clocks go from 02:00 to 03:00, on 25 October from 03:00 back to 02:00:
 *
 * <pre>
 *                       29 March                           25 October
 *   0 30 2 * * *        03:00                              02:30 (+02:00)
 *   0 0 3 * * *         03:00                              03:00
 *   0 0,30 1-3 * * *    01:00 01:30 03:00 03:30            01:00 01:30 02:00 02:30 (+02:00) 03:00 03:30
 *   0 30 * * * *        ... 01:30 03:30 04:30 ...          ... 01:30 02:30 (+02:00) 02:30 (+01:00) 03:30 ...
 * </pre>
 *
 * A day that a zone has left out, as Samoa did with 30 December 2011, is a gap as well.
 */
public final class Cron {

    /** The greatest time; its negative is the least. As of the due times of timers, about 35,000 years before and after the epoch. */
    public static final long FARTHEST_MS = 1L << 50;

    /** What is later than all times, inside of this package. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int MILLIS = 1_000;

    private final String expression;
    private final ZoneId zone;
    private final CronTimes times;
    private final CronDays days;
    private final boolean isEveryHour;
    private final boolean isEveryDay;
    private final ZoneSpans spans;

    Cron(String expression, ZoneId zone, CronTimes times, CronDays days) {
        this.expression = expression;
        this.zone = zone;
        this.times = times;
        this.days = days;
        isEveryHour = times.isEveryHour();
        isEveryDay = days.isEveryDay();
        spans = new ZoneSpans(zone);
    }

    /**
     * Reads an expression.
     *
     * @throws IllegalArgumentException when it breaks a rule; names the field, the value and the rule
     */
    public static Cron parse(String expression, ZoneId zone) {
        Objects.requireNonNull(zone, "zone");
        return CronParser.parse(expression, zone);
    }

    /**
     * The first time after another one, both in milliseconds since the epoch; empty when there is none up to {@link #FARTHEST_MS}, as with 30
     * February. The search ends after the 400 years in which the calendar repeats.
     *
     * @param afterMs -{@link #FARTHEST_MS} to {@link #FARTHEST_MS}
     * @throws IllegalArgumentException when {@code afterMs} is out of its range
     */
    public OptionalLong next(long afterMs) {
        checkRange("time", afterMs);
        long found = after(afterMs);
        return found == NEVER ? OptionalLong.empty() : OptionalLong.of(found);
    }

    /** As {@link #next}, without a check. */
    long after(long afterMs) {
        long second = Math.floorDiv(afterMs, (long) MILLIS) + 1;
        while (true) {
            ZoneSpans.Span span = spans.at(second);
            long found = notBefore(second, span);
            if (found < span.end()) {
                return found <= FARTHEST_MS / MILLIS ? found * MILLIS : NEVER;
            }
            if (found == NEVER || span.end() > FARTHEST_MS / MILLIS) {
                return NEVER;
            }
            second = span.end();
        }
    }

    /** The first match not before a second of a span, as if the span did not end. */
    private long notBefore(long second, ZoneSpans.Span span) {
        long from = second;
        if (!isEveryHour && span.offset() != span.offsetBefore()) {
            if (second == span.start() && matchesInGap(span)) {
                return second;
            }
            long repeated = span.offsetBefore() - (long) span.offset();
            from = Math.max(second, span.start() + repeated);
        }
        long local = localNotBefore(from + span.offset());
        return local == NEVER ? NEVER : local - span.offset();
    }

    private boolean matchesInGap(ZoneSpans.Span span) {
        return localNotBefore(span.start() + span.offsetBefore()) < span.start() + span.offset();
    }

    /** The first match in local time, where each day has 86,400 seconds. */
    private long localNotBefore(long local) {
        long day = Math.floorDiv(local, (long) CronTimes.DAY);
        if (isEveryDay || days.contains(day)) {
            int time = times.notBefore((int) (local - day * CronTimes.DAY));
            if (time < CronTimes.DAY) {
                return day * CronTimes.DAY + time;
            }
        }
        long later = isEveryDay ? day + 1 : days.after(day);
        return later == NEVER ? NEVER : later * CronTimes.DAY + times.first();
    }

    /** The expression as it was given, with one space between its fields. */
    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    /** Two are equal when text and zone are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Cron that && expression.equals(that.expression) && zone.equals(that.zone);
    }

    @Override
    public int hashCode() {
        return Objects.hash(expression, zone);
    }

    @Override
    public String toString() {
        return expression + " in " + zone;
    }

    static void checkRange(String what, long ms) {
        if (ms < -FARTHEST_MS || ms > FARTHEST_MS) {
            throw new IllegalArgumentException(
                    what + " is " + ms + " ms, must be from " + -FARTHEST_MS + " to " + FARTHEST_MS);
        }
    }
}
