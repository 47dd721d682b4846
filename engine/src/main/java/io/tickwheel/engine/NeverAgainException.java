package io.tickwheel.engine;

/** Thrown by a {@link TimerHandler} whose timer must not be tried again: it is dead at once, with the reason. See {@link Delivery#reject}. */
public final class NeverAgainException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public NeverAgainException(String reason) {
        super(reason, null, false, false);
    }
}
