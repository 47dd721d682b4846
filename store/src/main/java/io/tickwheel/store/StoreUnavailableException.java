package io.tickwheel.store;

/** The store could not be reached in time, or could not do enough to make the command durable; it goes on trying with others. */
public final class StoreUnavailableException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    public StoreUnavailableException(String message, boolean outcomeUnknown) {
        super(message);
        this.outcomeUnknown = outcomeUnknown;
    }

    /** True when the command may or may not have been applied, or may be lost again; false when it was not applied. */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
