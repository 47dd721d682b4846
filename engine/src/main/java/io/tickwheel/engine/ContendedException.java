package io.tickwheel.engine;

import io.tickwheel.store.TimerKey;

/** A timer was changed by others each time that a command had looked at it and came to change it: nothing was done. */
public final class ContendedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ContendedException(TimerKey key, int times) {
        super("the timer " + key.key() + " of queue " + key.queue() + " was changed by others " + times
                + " times between a look at it and its change; nothing was done");
    }
}
