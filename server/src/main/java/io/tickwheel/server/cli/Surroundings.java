package io.tickwheel.server.cli;

import io.tickwheel.engine.Clock;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * What a command finds around it. Immutable.
 *
 * @param environment the variables of the process
 * @param showsOutput whether what it prints goes to a terminal
 * @param showsErrors whether what it says beside that goes to one
 * @param clock for rates and for the time that is left
 * @param pause waits for about so many nanoseconds, or shorter
 * @param random 64 secure random bits at each call
 */
record Surroundings(
        Map<String, String> environment,
        boolean showsOutput,
        boolean showsErrors,
        Clock clock,
        LongConsumer pause,
        LongSupplier random) {

    /** Which streams are terminals, of {@code out} and {@code err}: the JVM does not know, the script that starts it does. */
    private static final String TERMINALS = "tickwheel.terminals";

    static Surroundings ofProcess(LongSupplier random) {
        String terminals = System.getProperty(TERMINALS, "");
        return new Surroundings(
                System.getenv(),
                terminals.contains("out"),
                terminals.contains("err"),
                Clock.system(),
                LockSupport::parkNanos,
                random);
    }
}
