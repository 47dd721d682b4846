package io.tickwheel.store;

/**
 * There is no room for another timer: the command was not applied. Timers that were accepted before are cancelled, delivered
 * and tried again as ever, and when there is room the store takes commands again by itself.
 */
public final class StoreFullException extends StoreException {

    private static final long serialVersionUID = 1L;

    public StoreFullException(String message) {
        super(message);
    }
}
