package io.tickwheel.engine;

import io.tickwheel.store.TimerView;

/** A timer that was to be pushed back by its delay does not know its delay: nothing was done. */
public final class NotTouchableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // No one sends it over a wire.
    private final TimerView timer;

    public NotTouchableException(TimerView timer, String reason) {
        super("the timer " + timer.key().key() + " of queue " + timer.key().queue() + " " + reason);
        this.timer = timer;
    }

    /** The timer, as it stands. */
    public TimerView timer() {
        return timer;
    }
}
