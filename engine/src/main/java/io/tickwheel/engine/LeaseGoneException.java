package io.tickwheel.engine;

import io.tickwheel.store.StoreException;

/**
 * A lease is not held any more: it has expired, was given back or acknowledged, or never was; or its timer was cancelled and it cannot be extended; or its
 * timer was replaced, so that nothing that is asked counts. What was asked has had no effect.
 */
public final class LeaseGoneException extends StoreException {

    private static final long serialVersionUID = 1L;

    public LeaseGoneException(String id, String why) {
        this("lease " + id + " " + why);
    }

    public LeaseGoneException(String message) {
        super(message);
    }
}
