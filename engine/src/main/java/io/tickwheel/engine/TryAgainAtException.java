package io.tickwheel.engine;

import java.time.Instant;
import java.util.Objects;

/**
 * Thrown by a {@link TimerHandler} to have its timer again at a certain time, as if there had been no attempt: the attempt does not count. See
 * {@link Delivery#postpone}.
 */
public final class TryAgainAtException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Instant until;

    /**
     * @param reason for the log; why not now
     * @param until when to try again, at most {@link TimerRequest#LAST_DUE}; a moment that has passed means at once
     */
    public TryAgainAtException(String reason, Instant until) {
        super(reason, null, false, false);
        Objects.requireNonNull(until, "until");
        if (until.isAfter(TimerRequest.LAST_DUE)) {
            throw new IllegalArgumentException("until is " + until + ", must be at most " + TimerRequest.LAST_DUE);
        }
        this.until = until;
    }

    public Instant until() {
        return until;
    }
}
