package io.tickwheel.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the engine may run and hold at once, and how many dead timers it keeps.
 *
 * @param attemptsPerQueue how many attempts of one queue, 1 to 100,000; 256 unless told otherwise
 * @param attemptsInAll how many attempts, 1 to 100,000; 2,048 unless told otherwise
 * @param attemptBytes how much content these have, from 1 MiB; null for what the engine takes of the heap
 * @param loadedBytes how much memory timers take that are due soon, from 1 MiB; null for what the engine takes of the heap
 * @param deadFor how long dead timers are kept, 1 h to 36,500 d; 30 d unless told otherwise
 * @param deadPerQueue how many dead timers of a queue are kept, 0 to 2,147,483,647; 100,000 unless told otherwise
 */
public record EngineLimits(
        int attemptsPerQueue,
        int attemptsInAll,
        @Nullable Long attemptBytes,
        @Nullable Long loadedBytes,
        Duration deadFor,
        int deadPerQueue) {

    public static final EngineLimits DEFAULT = new EngineLimits(256, 2_048, null, null, Duration.ofDays(30), 100_000);
}
