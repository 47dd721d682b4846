package io.tickwheel.engine;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/** The one source of randomness that is not a parameter. */
@SuppressForbidden(reason = "this is the source that all other code gets as a parameter")
final class SystemRandom {

    private SystemRandom() {}

    static LongSupplier secure() {
        return new SecureRandom()::nextLong;
    }
}
