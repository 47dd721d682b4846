package io.tickwheel.engine;

import java.util.concurrent.CompletableFuture;

/**
 * What {@link TimerLeases#consume} has started: it leases timers and works on them until it is closed, or the engine is, also when nobody refers to it any more. What a process held that
 * ends without that is due again once its leases expire, or at the next start of the engine that had given them. Thread-safe.
 */
public interface LeaseConsumer extends AutoCloseable {

    /**
     * Leases nothing from now on, gives back what has not begun, which is due again at once as if it had not been leased, and lets what runs go on. The future completes
     * when nothing runs any more, at the latest after {@link ConsumerOptions#drain}: the leases of what still runs then are not extended any more, so others are given
     * these timers once they expire. It also completes when the engine is closed.
     */
    CompletableFuture<Void> closeAsync();

    /** As {@link #closeAsync}, and waits for it. Idempotent. A handler of this consumer must not call it: it would wait for itself. */
    @Override
    default void close() {
        closeAsync().join();
    }
}
