package io.tickwheel.store;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to end the claim of a timer, the plan, by making another one, its run, and having the plan come again. Immutable and thread-safe, as
 * long as nobody changes the content.
 *
 * @param timer the plan, which is claimed
 * @param dueAtMs when the plan is due from now on, in milliseconds since the epoch, in the range of {@link ScheduleCommand}
 * @param content what the plan delivers from now on: 0 to {@value ScheduleCommand#MAX_CONTENT_BYTES} bytes; must not be changed after the call
 * @param spawned the run; null for none. It is of the queue of the plan, and its key is that of the plan, {@link #SEPARATOR}, and any text. Its rule
 *     for conflicts is {@link OnConflict#KEEP}; it expects no id, and asks for no durability of its own
 */
public record SpawnCommand(
        PendingTimer timer,
        long dueAtMs,
        byte[] content,
        @Nullable ScheduleCommand spawned) {

    /**
     * Stands between the key of a plan and what is added to it for a run. A store that is divided keeps all timers in one place whose keys are the same up to
     * the first one.
     */
    public static final char SEPARATOR = '\u001f';

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException when one is out of its range, or the other timer can be no run of the plan
     */
    public SpawnCommand {
        Objects.requireNonNull(timer, "timer");
        Objects.requireNonNull(content, "content");
        ScheduleCommand.checkDue(dueAtMs);
        ScheduleCommand.checkContent(content);
        if (spawned != null) {
            checkRun(timer.key(), spawned);
        }
    }

    private static void checkRun(TimerKey plan, ScheduleCommand run) {
        if (!run.key().queue().equals(plan.queue())) {
            throw new IllegalArgumentException(
                    "a run is of the queue " + run.key().queue() + ", must be of " + plan.queue() + " as its plan");
        }
        if (!run.key().key().startsWith(plan.key() + SEPARATOR)) {
            throw new IllegalArgumentException("a run has the key " + run.key().key() + ", must begin with "
                    + plan.key() + " and U+001F, which is the key of its plan");
        }
        if (run.onConflict() != OnConflict.KEEP) {
            throw new IllegalArgumentException(
                    "a run has the rule for conflicts " + run.onConflict() + ", must have " + OnConflict.KEEP);
        }
        if (run.expectedId() != null) {
            throw new IllegalArgumentException("a run expects the id " + run.expectedId() + ", must expect none");
        }
        if (run.durability() != null) {
            throw new IllegalArgumentException("a run asks for " + run.durability() + ", must ask for no durability");
        }
    }
}
