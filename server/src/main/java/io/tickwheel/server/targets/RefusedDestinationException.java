package io.tickwheel.server.targets;

/** A destination breaks a rule of where callbacks may go. The message is for operators: it tells what the network looks like. */
final class RefusedDestinationException extends Exception {

    private static final long serialVersionUID = 1L;

    RefusedDestinationException(String rule) {
        super(rule, null, false, false);
    }
}
