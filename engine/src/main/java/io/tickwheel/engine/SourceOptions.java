package io.tickwheel.engine;

import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a source is opened with.
 *
 * @param clock the clock of the engine, from which a source takes all its times
 * @param random 64 random bits at each call, from any thread
 * @param settings those of {@link SourceKind#options} that are set, by their names; at least one
 */
public record SourceOptions(Clock clock, LongSupplier random, Map<String, String> settings) {

    public SourceOptions {
        settings = Map.copyOf(settings);
    }
}
