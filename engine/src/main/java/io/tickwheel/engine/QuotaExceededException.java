package io.tickwheel.engine;

import io.tickwheel.store.StoreException;

/** A queue has as many timers as its settings allow: nothing was scheduled. Replacing a timer that is there is still possible. */
public final class QuotaExceededException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final long most;

    public QuotaExceededException(String queue, long pending, long most) {
        super("queue " + queue + " has " + pending + " timers that are pending or claimed, must have at most " + most);
        this.most = most;
    }

    /** How many timers the queue may have. */
    public long most() {
        return most;
    }
}
