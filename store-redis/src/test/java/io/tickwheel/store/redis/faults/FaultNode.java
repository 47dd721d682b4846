package io.tickwheel.store.redis.faults;

import java.util.concurrent.CompletableFuture;

/** A node of a fault test, as the test sees it: in this process or in one of its own. Thread-safe. */
interface FaultNode extends AutoCloseable {

    String name();

    /** Never fails: what goes wrong is an answer. */
    CompletableFuture<FaultAnswer> schedule(String key, String token, long dueAtMs);

    /** Never fails: what goes wrong is an answer. */
    CompletableFuture<FaultAnswer> cancel(String key);

    /** Whether it may take commands. */
    boolean isRunning();

    /** Ends it in an orderly way, if it still runs. */
    @Override
    void close();
}
