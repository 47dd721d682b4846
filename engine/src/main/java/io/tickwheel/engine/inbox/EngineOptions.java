package io.tickwheel.engine.inbox;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.Threads;
import io.tickwheel.engine.WhenFull;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** What an engine was told when it was opened; {@code TickwheelBuilder} says what each value means. */
public record EngineOptions(
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
        int deadPerQueue,
        CompletableFuture<?> deliverAfter) {

    /** Whether timers may be delivered. */
    public boolean mayDeliver() {
        return deliverAfter.isDone() && !deliverAfter.isCompletedExceptionally();
    }

    /** Has a loop told when timers may be delivered, unless they may already. */
    public void onMayDeliver(Runnable told) {
        if (!mayDeliver()) {
            var unused = deliverAfter.thenRun(told);
        }
    }
}
