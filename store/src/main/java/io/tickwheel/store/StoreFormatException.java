package io.tickwheel.store;

/** The store was written in a format that this version does not read. */
public final class StoreFormatException extends StoreException {

    private static final long serialVersionUID = 1L;

    public StoreFormatException(String message) {
        super(message);
    }

    public StoreFormatException(String message, Throwable cause) {
        super(message, cause);
    }
}
