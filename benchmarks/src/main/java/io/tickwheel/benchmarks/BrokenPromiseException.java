package io.tickwheel.benchmarks;

/** A program has seen that the product did not do what it promises; the message says what. */
public final class BrokenPromiseException extends Exception {

    private static final long serialVersionUID = 1;

    public BrokenPromiseException(String message) {
        super(message);
    }
}
