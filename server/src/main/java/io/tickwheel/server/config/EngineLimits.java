package io.tickwheel.server.config;

import org.jspecify.annotations.Nullable;

/**
 * What the engine may run and hold at once.
 *
 * @param attemptsPerQueue how many attempts of one queue, 1 to 100,000; 256 unless told otherwise
 * @param attemptsInAll how many attempts, 1 to 100,000; 2,048 unless told otherwise
 * @param attemptBytes how much content these have, from 1 MiB; null for what the engine takes of the heap
 * @param loadedBytes how much memory timers take that are due soon, from 1 MiB; null for what the engine takes of the heap
 */
public record EngineLimits(
        int attemptsPerQueue,
        int attemptsInAll,
        @Nullable Long attemptBytes,
        @Nullable Long loadedBytes) {

    public static final EngineLimits DEFAULT = new EngineLimits(256, 2_048, null, null);
}
