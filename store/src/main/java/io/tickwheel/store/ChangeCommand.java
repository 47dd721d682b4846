package io.tickwheel.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to change the timer of a key, which keeps its id, its version, its request hash and the attempts that are remembered. Immutable and
 * thread-safe, as long as nobody changes the content.
 *
 * @param key its queue and name
 * @param expectedId the id that it must have; null for any
 * @param expectedAttemptAtMs when its attempt must be due, next or last, in milliseconds since the epoch, so that it is known not to have been changed since it was
 *     looked at; null for any, and without an expected id
 * @param change what is to become of it
 * @param dueAtMs when it is due from now on, in milliseconds since the epoch, in the range of {@link ScheduleCommand}; 0 for a purge
 * @param content what it delivers from now on; null when that stays as it is, and its route too. Only a redrive has one
 * @param route where it goes from now on, as {@link Lane#route} says; only with a content
 * @param durability what must be certain before it is answered; null for what the calendar gives anyway
 */
public record ChangeCommand(
        TimerKey key,
        @Nullable String expectedId,
        @Nullable Long expectedAttemptAtMs,
        Change change,
        long dueAtMs,
        byte @Nullable [] content,
        long route,
        @Nullable Durability durability) {

    /** What can become of a timer. */
    public enum Change {
        /** A pending timer gets another due time, and its next attempt is due then. Attempts that were made count. */
        RESCHEDULE(TimerState.PENDING),
        /** A dead timer is pending again, due at that time, and none of its attempts counts. */
        REDRIVE(TimerState.DEAD),
        /** A dead timer is forgotten, with all that is known of its key. */
        PURGE(TimerState.DEAD);

        private final TimerState from;

        Change(TimerState from) {
            this.from = from;
        }

        /** The state that the timer must be in. */
        public TimerState from() {
            return from;
        }
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range
     */
    public ChangeCommand {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(change, "change");
        if (expectedAttemptAtMs != null && expectedId == null) {
            throw new IllegalArgumentException("there is an expected time of the attempt, must be one with an id only");
        }
        ScheduleCommand.checkDue(dueAtMs);
        if (content != null) {
            if (change != Change.REDRIVE) {
                throw new IllegalArgumentException("there is a content, must be none in a " + change);
            }
            ScheduleCommand.checkContent(content);
        }
        Lane.checkRoute(route, Lane.QUEUE_ROUTE);
    }

    public static ChangeCommand reschedule(TimerKey key, long dueAtMs) {
        return new ChangeCommand(key, null, null, Change.RESCHEDULE, dueAtMs, null, Lane.QUEUE_ROUTE, null);
    }

    public static ChangeCommand redrive(TimerKey key, long dueAtMs) {
        return new ChangeCommand(key, null, null, Change.REDRIVE, dueAtMs, null, Lane.QUEUE_ROUTE, null);
    }

    public static ChangeCommand purge(TimerKey key) {
        return new ChangeCommand(key, null, null, Change.PURGE, 0, null, Lane.QUEUE_ROUTE, null);
    }

    /** With another content, and the route that goes with it. */
    public ChangeCommand withContent(byte[] newContent, long newRoute) {
        return new ChangeCommand(
                key, expectedId, expectedAttemptAtMs, change, dueAtMs, newContent, newRoute, durability);
    }

    /** Whether that timer is not the one that it is meant for, or was changed since; null stands for none. */
    public boolean isForAnother(@Nullable TimerView standing) {
        if (expectedId == null) {
            return false;
        }
        return standing == null
                || !standing.id().equals(expectedId)
                || (expectedAttemptAtMs != null && expectedAttemptAtMs != standing.attemptAtMs());
    }

    /** Only for the timer with that id; null for any. */
    public ChangeCommand withExpectedId(@Nullable String newExpectedId) {
        return new ChangeCommand(key, newExpectedId, null, change, dueAtMs, content, route, durability);
    }

    /** Only for the timer that was seen, unless it was rescheduled, redriven or tried since. */
    public ChangeCommand withExpected(TimerView seen) {
        return new ChangeCommand(key, seen.id(), seen.attemptAtMs(), change, dueAtMs, content, route, durability);
    }

    /** Answered when that much is certain; null for what the calendar gives anyway. */
    public ChangeCommand withDurability(@Nullable Durability newDurability) {
        return new ChangeCommand(key, expectedId, expectedAttemptAtMs, change, dueAtMs, content, route, newDurability);
    }
}
