package io.tickwheel.engine;

import io.tickwheel.store.StoreException;

/** A queue has a handler or a target, to which its timers go: nobody can lease them. */
public final class QueueNotPulledException extends StoreException {

    private static final long serialVersionUID = 1L;

    public QueueNotPulledException(String queue) {
        super("queue " + queue + " has a handler or a target, must have none to be leased from");
    }
}
