package io.tickwheel.recurrence;

import java.time.Duration;

/** How nominal times follow each other, in milliseconds since the epoch; {@link Cron#NEVER} is none. */
sealed interface Pace {

    /** A run counts as missed when it is late by more, or by more than its period. */
    long LONGEST_GRACE_MS = 60_000;

    long SECOND_MS = 1_000;

    /**
     * The first nominal time after a plan was made.
     *
     * @param fromMs before which there is none
     */
    long first(long scheduledAtMs, long fromMs);

    /** The first nominal time that follows one and is after a time. */
    long after(long nominalMs, long timeMs);

    /** As {@link #first} without a bound that says where to begin. */
    long first(long scheduledAtMs);

    /** The nominal time that follows one. */
    default long after(long nominalMs) {
        return after(nominalMs, nominalMs);
    }

    /** The longest that a run may be late without being missed. */
    long graceMs();

    /** The shortest time from one nominal time to the next. */
    long shortestMs();

    /** As the text form says it. */
    String text();

    /** A time each so often, whatever runs take. */
    record FixedRate(long everyMs) implements Pace {

        @Override
        public long first(long scheduledAtMs) {
            return bounded(scheduledAtMs + everyMs);
        }

        @Override
        public long first(long scheduledAtMs, long fromMs) {
            return fromMs > scheduledAtMs ? fromMs : after(fromMs, scheduledAtMs);
        }

        @Override
        public long after(long nominalMs, long timeMs) {
            long periods = Math.max(0, Math.floorDiv(timeMs - nominalMs, everyMs)) + 1;
            return bounded(nominalMs + periods * everyMs);
        }

        @Override
        public long graceMs() {
            return Math.min(everyMs, LONGEST_GRACE_MS);
        }

        @Override
        public long shortestMs() {
            return everyMs;
        }

        @Override
        public String text() {
            return "every " + Duration.ofMillis(everyMs);
        }
    }

    /** A time so long after the one before it has ended. */
    record FixedDelay(long delayMs) implements Pace {

        @Override
        public long first(long scheduledAtMs) {
            return bounded(scheduledAtMs + delayMs);
        }

        @Override
        public long first(long scheduledAtMs, long fromMs) {
            return fromMs > scheduledAtMs ? fromMs : first(scheduledAtMs);
        }

        @Override
        public long after(long nominalMs, long timeMs) {
            return bounded(Math.max(nominalMs, timeMs) + delayMs);
        }

        @Override
        public long graceMs() {
            return Math.min(delayMs, LONGEST_GRACE_MS);
        }

        @Override
        public long shortestMs() {
            return delayMs;
        }

        @Override
        public String text() {
            return "delay " + Duration.ofMillis(delayMs);
        }
    }

    /** The times of a cron expression. */
    record ByCron(Cron cron) implements Pace {

        @Override
        public long first(long scheduledAtMs) {
            return cron.after(scheduledAtMs);
        }

        @Override
        public long first(long scheduledAtMs, long fromMs) {
            return cron.after(Math.max(scheduledAtMs, fromMs - 1));
        }

        @Override
        public long after(long nominalMs, long timeMs) {
            return cron.after(Math.max(nominalMs, timeMs));
        }

        @Override
        public long graceMs() {
            return LONGEST_GRACE_MS;
        }

        @Override
        public long shortestMs() {
            return SECOND_MS;
        }

        @Override
        public String text() {
            return "cron " + cron.expression() + "; zone " + cron.zone();
        }
    }

    private static long bounded(long timeMs) {
        return timeMs <= Cron.FARTHEST_MS ? timeMs : Cron.NEVER;
    }
}
