package io.tickwheel.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What an engine was told when it was opened; {@code TickwheelBuilder} says what each value means.
 *
 */
record EngineOptions(
        Clock clock,
        Threads threads,
        LongSupplier random,
        Executor answers,
        EngineListener listener,
        Map<String, Target> targets,
        Map<String, QueueSettings> queues,
        RetryPolicy retry,
        WhenFull whenFull,
        Duration drainTimeout,
        int attemptsPerQueue,
        int attemptsInAll,
        long attemptBytes,
        int loadedTimers,
        long loadedBytes,
        Duration deadFor,
        int deadPerQueue) {}
