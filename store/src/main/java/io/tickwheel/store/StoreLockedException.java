package io.tickwheel.store;

/** The store is open in another process or engine. */
public final class StoreLockedException extends StoreException {

    private static final long serialVersionUID = 1L;

    public StoreLockedException(String message) {
        super(message);
    }

    public StoreLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
