package io.tickwheel.recurrence;

import java.util.OptionalLong;

/**
 * What to do with a plan that has come due.
 *
 * @param starts whether the run that it is due for starts now; when not, it was missed or the plan has ended
 * @param then what comes after it
 * @param nextMs when the plan is due again, in milliseconds since the epoch, not after now when there is a backlog; empty unless {@code then} is
 *     {@link Then#DUE_AGAIN}
 */
public record Turn(boolean starts, Then then, OptionalLong nextMs) {

    /** What comes after a run. */
    public enum Then {
        /** The next one, at a time that is known. */
        DUE_AGAIN,
        /** Its end says when the next one is: {@link Recurrence#afterRun}. */
        RUN_HAS_TO_END,
        /** None. */
        ENDED
    }

    static Turn ended(boolean starts) {
        return new Turn(starts, Then.ENDED, OptionalLong.empty());
    }
}
