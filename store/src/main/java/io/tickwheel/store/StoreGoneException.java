package io.tickwheel.store;

/**
 * What the store held is not there any more, and it takes no commands until an operator says how to go on; see
 * {@link Calendar#unready}.
 */
public final class StoreGoneException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    public StoreGoneException(String message, boolean outcomeUnknown) {
        super(message);
        this.outcomeUnknown = outcomeUnknown;
    }

    /** True when the command may have been applied before what the store held was gone; false when it was not applied. */
    public boolean outcomeUnknown() {
        return outcomeUnknown;
    }
}
