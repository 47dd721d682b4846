package io.tickwheel.engine;

/** Too many commands wait for their answer; this one was not taken, and nothing of it remains. */
public final class OverloadedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public OverloadedException(String message) {
        super(message);
    }
}
