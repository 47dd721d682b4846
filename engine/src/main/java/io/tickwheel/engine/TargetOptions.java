package io.tickwheel.engine;

import java.util.Map;

/**
 * What a target is opened with.
 *
 * @param clock the clock of the engine, from which a target takes all its times
 * @param attempts how many attempts run at once at most; all of them may be for this target
 * @param settings those of {@link TargetKind#options} that are set, by their names
 */
public record TargetOptions(Clock clock, int attempts, Map<String, String> settings) {

    public TargetOptions {
        settings = Map.copyOf(settings);
    }
}
