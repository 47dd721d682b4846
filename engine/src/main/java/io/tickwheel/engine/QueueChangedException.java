package io.tickwheel.engine;

import io.tickwheel.store.StoreException;
import org.jspecify.annotations.Nullable;

/** A change was meant for the settings of a queue with a certain id, and they have another one, or there are none: nothing was done. */
public final class QueueChangedException extends StoreException {

    private static final long serialVersionUID = 1L;

    public QueueChangedException(String queue, String expectedId, @Nullable String standingId) {
        super("the settings of queue " + queue
                + (standingId == null ? " have no id, as there are none" : " have the id " + standingId)
                + ", must have " + expectedId);
    }
}
