package io.tickwheel.target.kafka;

/** A record no timer can be made of; the message says why. Has no stack trace: it is an answer, not a fault. */
final class Refusal extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
        super(reason);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
