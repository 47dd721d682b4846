package io.tickwheel.recurrence;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * When a recurring timer is due: at a fixed rate, a fixed delay after each run, or by a {@link Cron} expression; between two times, so often at most, and
 * what becomes of runs that were missed or would overlap. Immutable and thread-safe. It has no clock: all times are parameters.
 *
 * <p>A plan is due at <em>nominal times</em>, one after the other. Who starts its runs keeps the nominal time that is next, and how many runs were started:
 *
 * <pre>
 *   nominal = first(scheduledAt)
 *   at nominal, or later:  turn(nominal, now, started) -> starts a run or not, and says the next nominal time
 * </pre>
 *
 * For example every hour, with a process that was away from 09:30 to 12:00:30 and the plan due for 10:00:
 *
 * <pre>
 *   misfire  runs start for             next
 *   ONCE     10:00                      13:00
 *   SKIP     12:00, late by less than   13:00
 *            a minute: not missed
 *   ALL      10:00, 11:00, 12:00        13:00
 * </pre>
 *
 * Its text form ({@link #toString}, {@link #parse}) is stored, and every later version understands it. It says only what is not the default:
 *
 * <pre>
 *   every PT5M
 *   delay PT30S; from 2026-12-01T08:00:00Z; count 10
 *   cron 0 0 9 * * MON-FRI; zone Europe/Berlin; until 2027-01-01T00:00:00Z; misfire skip; overlap queue
 * </pre>
 */
public final class Recurrence {

    /** The shortest rate and delay: due times are kept in milliseconds, and only its owner knows how many runs a plan can bear. */
    public static final Duration SHORTEST = Duration.ofMillis(1);

    /** The longest rate and delay: 36,500 days, about a century. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    /** The most runs of a plan: one each millisecond for thirty thousand years. */
    public static final long MAX_COUNT = 1_000_000_000_000_000L;

    /** The most times of a preview. */
    public static final int MAX_PREVIEW = 1_000;

    private static final Instant EARLIEST = Instant.ofEpochMilli(-Cron.FARTHEST_MS);
    private static final Instant LATEST = Instant.ofEpochMilli(Cron.FARTHEST_MS);

    private final Pace pace;
    private final @Nullable Instant from;
    private final @Nullable Instant until;
    private final OptionalLong count;
    private final Misfire misfire;
    private final Overlap overlap;

    /** The text form, once somebody has asked for it. Two threads may write the same at once. */
    private @Nullable String text;

    private Recurrence(
            Pace pace,
            @Nullable Instant from,
            @Nullable Instant until,
            OptionalLong count,
            Misfire misfire,
            Overlap overlap) {
        this.pace = pace;
        this.from = from;
        this.until = until;
        this.count = count;
        this.misfire = misfire;
        this.overlap = overlap;
    }

    /**
     * A time each so often. With a {@code from} the times are that one and those that follow it; without, the first one is a period after the plan was made.
     *
     * @param every whole milliseconds, {@link #SHORTEST} to {@link #LONGEST}
     * @throws IllegalArgumentException when it is out of its range
     */
    public static Recurrence fixedRate(Duration every) {
        return of(new Pace.FixedRate(checkedMillis("every", every)));
    }

    /**
     * A time so long after the run before it has ended. The first one is {@code from} when that is after the plan was made, and else a delay after that.
     *
     * @param delay whole milliseconds, {@link #SHORTEST} to {@link #LONGEST}
     * @throws IllegalArgumentException when it is out of its range
     */
    public static Recurrence fixedDelay(Duration delay) {
        return of(new Pace.FixedDelay(checkedMillis("delay", delay)));
    }

    /**
     * The times of an expression in a zone, as {@link Cron} says them.
     *
     * @throws IllegalArgumentException when the expression breaks a rule; names the field, the value and the rule
     */
    public static Recurrence cron(String expression, ZoneId zone) {
        return of(new Pace.ByCron(Cron.parse(expression, zone)));
    }

    private static Recurrence of(Pace pace) {
        return new Recurrence(pace, null, null, OptionalLong.empty(), Misfire.ONCE, Overlap.SKIP);
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException when it is not exactly what {@link #toString} gives; says what is wrong
     */
    public static Recurrence parse(String text) {
        return RecurrenceText.parse(text);
    }

    /**
     * Without nominal times before an instant.
     *
     * @param instant whole milliseconds, within {@link Cron#FARTHEST_MS} of the epoch, before {@code until}
     */
    public Recurrence withFrom(Instant instant) {
        checkInstant("from", instant);
        checkOrder(instant, until);
        return new Recurrence(pace, instant, until, count, misfire, overlap);
    }

    /**
     * Without nominal times at an instant or after it. A run that is late may still start after it.
     *
     * @param instant whole milliseconds, within {@link Cron#FARTHEST_MS} of the epoch, after {@code from}
     */
    public Recurrence withUntil(Instant instant) {
        checkInstant("until", instant);
        checkOrder(from, instant);
        return new Recurrence(pace, from, instant, count, misfire, overlap);
    }

    /**
     * With so many runs at most. Those that were left out do not count.
     *
     * @param runs 1 to {@value #MAX_COUNT}
     */
    public Recurrence withCount(long runs) {
        if (runs < 1 || runs > MAX_COUNT) {
            throw new IllegalArgumentException("count is " + runs + ", must be 1 to " + MAX_COUNT);
        }
        return new Recurrence(pace, from, until, OptionalLong.of(runs), misfire, overlap);
    }

    /** With another rule for runs that were missed; of a fixed delay there is never more than one, so {@code ALL} is refused. */
    public Recurrence withMisfire(Misfire rule) {
        Objects.requireNonNull(rule, "misfire");
        if (isFixedDelay() && rule == Misfire.ALL) {
            throw new IllegalArgumentException(
                    "misfire is ALL, must be ONCE or SKIP with a fixed delay, which misses one run at most");
        }
        return new Recurrence(pace, from, until, count, rule, overlap);
    }

    /** With another rule for runs that would overlap; those of a fixed delay never do, so only {@code SKIP} is taken. */
    public Recurrence withOverlap(Overlap rule) {
        Objects.requireNonNull(rule, "overlap");
        if (isFixedDelay() && rule != Overlap.SKIP) {
            throw new IllegalArgumentException(
                    "overlap is " + rule + ", must be SKIP with a fixed delay, whose runs never overlap");
        }
        return new Recurrence(pace, from, until, count, misfire, rule);
    }

    /**
     * The first nominal time of a plan; empty when there is none.
     *
     * @param scheduledAtMs when the plan was made, in milliseconds since the epoch; the first nominal time is after it, or is {@code from}
     */
    public OptionalLong first(long scheduledAtMs) {
        Cron.checkRange("scheduled at", scheduledAtMs);
        return bounded(from == null ? pace.first(scheduledAtMs) : pace.first(scheduledAtMs, from.toEpochMilli()));
    }

    /**
     * What to do with a plan that has come due.
     *
     * @param nominalMs the nominal time that it is due for, in milliseconds since the epoch
     * @param nowMs the time, in milliseconds since the epoch; nothing was missed when it is before {@code nominalMs}
     * @param started how many runs were started before
     */
    public Turn turn(long nominalMs, long nowMs, long started) {
        Cron.checkRange("nominal time", nominalMs);
        Cron.checkRange("time", nowMs);
        if (isSpent(started)) {
            return Turn.ended(false);
        }
        boolean isMissed = isMissed(nominalMs, nowMs);
        if (isMissed && misfire == Misfire.SKIP) {
            return then(false, firstNotMissed(nominalMs, nowMs));
        }
        if (isSpent(started + 1)) {
            return Turn.ended(true);
        }
        if (isFixedDelay()) {
            return new Turn(true, Turn.Then.RUN_HAS_TO_END, OptionalLong.empty());
        }
        boolean leavesOut = isMissed && misfire == Misfire.ONCE;
        return then(true, leavesOut ? pace.after(nominalMs, nowMs) : pace.after(nominalMs));
    }

    /**
     * The nominal time that follows a run of a fixed delay; empty when there is none.
     *
     * @param endedMs when the run ended, in milliseconds since the epoch
     * @throws IllegalStateException when this is no fixed delay: its {@link #turn} has said the time
     */
    public OptionalLong afterRun(long endedMs) {
        if (!isFixedDelay()) {
            throw new IllegalStateException(this + " is no fixed delay, the end of a run changes nothing");
        }
        Cron.checkRange("end of the run", endedMs);
        return bounded(pace.after(endedMs));
    }

    /**
     * The nominal times of a plan that is made at a time, if each run starts in time and takes none. For one that was made before, those that follow
     * a nominal time.
     *
     * @param afterMs when it is made, in milliseconds since the epoch
     * @param most how many at most: 1 to {@value #MAX_PREVIEW}
     */
    public List<Instant> preview(long afterMs, int most) {
        if (most < 1 || most > MAX_PREVIEW) {
            throw new IllegalArgumentException("number of times is " + most + ", must be 1 to " + MAX_PREVIEW);
        }
        List<Instant> times = new ArrayList<>();
        OptionalLong next = first(afterMs);
        while (next.isPresent() && times.size() < most && !isSpent(times.size())) {
            times.add(Instant.ofEpochMilli(next.getAsLong()));
            next = bounded(pace.after(next.getAsLong()));
        }
        return times;
    }

    /**
     * The first nominal time that follows one and is after a time; empty when there is none. Of a fixed delay, a delay after the later one of both.
     *
     * @param nominalMs a nominal time, in milliseconds since the epoch
     * @param timeMs in milliseconds since the epoch
     */
    public OptionalLong after(long nominalMs, long timeMs) {
        Cron.checkRange("nominal time", nominalMs);
        Cron.checkRange("time", timeMs);
        return bounded(pace.after(nominalMs, timeMs));
    }

    /** The shortest time from one nominal time to the next, in milliseconds; a second for an expression, whose times may be so near. */
    public long shortestPeriodMs() {
        return pace.shortestMs();
    }

    private boolean isSpent(long started) {
        return count.isPresent() && started >= count.getAsLong();
    }

    /** Asks whether a run that is due for a nominal time counts as missed at a time, as {@link Misfire} says; both in milliseconds since the epoch. */
    public boolean isMissed(long nominalMs, long nowMs) {
        long lateMs = nowMs - nominalMs;
        if (lateMs > Pace.LONGEST_GRACE_MS) {
            return true;
        }
        // A run without a successor has no period.
        return lateMs > 0 && pace.after(nominalMs) < nowMs;
    }

    /** Ends soon: none of the times that it begins with is more than a minute before now, and two of a cron expression are a second apart. */
    private long firstNotMissed(long nominalMs, long nowMs) {
        if (isFixedDelay()) {
            return pace.after(nowMs);
        }
        long next = pace.after(nominalMs, nowMs - pace.graceMs() - 1);
        while (next != Cron.NEVER && isMissed(next, nowMs)) {
            next = pace.after(next);
        }
        return next;
    }

    private Turn then(boolean starts, long nextMs) {
        OptionalLong next = bounded(nextMs);
        return next.isPresent() ? new Turn(starts, Turn.Then.DUE_AGAIN, next) : Turn.ended(starts);
    }

    private OptionalLong bounded(long nominalMs) {
        boolean isBeyond = nominalMs == Cron.NEVER || (until != null && nominalMs >= until.toEpochMilli());
        return isBeyond ? OptionalLong.empty() : OptionalLong.of(nominalMs);
    }

    /** Asks whether the end of a run says when the next one is. */
    public boolean isFixedDelay() {
        return pace instanceof Pace.FixedDelay;
    }

    /** Before which there is no nominal time; null when there is no such bound. */
    public @Nullable Instant from() {
        return from;
    }

    /** The nominal times are before it; null when there is no such bound. */
    public @Nullable Instant until() {
        return until;
    }

    /** How many runs there are at most; empty when there is no such bound. */
    public OptionalLong count() {
        return count;
    }

    public Misfire misfire() {
        return misfire;
    }

    public Overlap overlap() {
        return overlap;
    }

    /** The rate of a fixed rate, else null. */
    public @Nullable Duration every() {
        return pace instanceof Pace.FixedRate rate ? Duration.ofMillis(rate.everyMs()) : null;
    }

    /** The delay of a fixed delay, else null. */
    public @Nullable Duration delay() {
        return pace instanceof Pace.FixedDelay fixed ? Duration.ofMillis(fixed.delayMs()) : null;
    }

    /** The expression and its zone, or null when it goes by none. */
    public @Nullable Cron cron() {
        return pace instanceof Pace.ByCron by ? by.cron() : null;
    }

    /** Two are equal when their texts are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Recurrence that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /** The text form. */
    @Override
    public String toString() {
        String written = text;
        if (written == null) {
            written = RecurrenceText.write(this, pace);
            text = written;
        }
        return written;
    }

    private static long checkedMillis(String what, Duration duration) {
        if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(what + " is " + duration + ", must be " + SHORTEST + " to " + LONGEST);
        }
        checkWhole(what, duration, Duration.ofMillis(duration.toMillis()));
        return duration.toMillis();
    }

    private static void checkInstant(String what, Instant instant) {
        if (instant.isBefore(EARLIEST) || instant.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    what + " is " + instant + ", must be from " + EARLIEST + " to " + LATEST);
        }
        checkWhole(what, instant, Instant.ofEpochMilli(instant.toEpochMilli()));
    }

    private static void checkWhole(String what, Object value, Object whole) {
        if (!value.equals(whole)) {
            throw new IllegalArgumentException(what + " is " + value + ", must be whole milliseconds");
        }
    }

    private static void checkOrder(@Nullable Instant from, @Nullable Instant until) {
        if (from != null && until != null && !from.isBefore(until)) {
            throw new IllegalArgumentException("from is " + from + ", must be before until, which is " + until);
        }
    }
}
