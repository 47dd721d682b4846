package io.tickwheel.store;

/** The store met an I/O error and stopped for good; it has to be opened again. */
public final class StoreFailedException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    public StoreFailedException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /** True when the command may or may not be found after the next opening; false when it was not applied. */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
