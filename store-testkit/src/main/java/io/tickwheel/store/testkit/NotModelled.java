package io.tickwheel.store.testkit;

/** Refusals: the disk would rather stop a test than answer what it does not simulate. */
final class NotModelled {
    private NotModelled() {}

    static UnsupportedOperationException operation(String what) {
        return new UnsupportedOperationException("the simulated disk does not model " + what);
    }
}
