package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Durable timers inside this program. Thread-safe.
 *
 * <pre>{@code
 * try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Path.of("data")))) {
 *     timers.handle("close-order", attempt -> orders.closeIfUnpaid(attempt.key().key()));
 *     timers.schedule("close-order", "order-42", Duration.ofMinutes(30), payload).join();
 *     timers.cancel("close-order", "order-42").join();
 * }
 * }</pre>
 *
 * <p>A future completes when its command is durable, as {@link #durability} says. Futures complete on one thread of the engine, so a dependent stage must
 * be quick and must not wait for another future, or go to an executor of its own. They fail with {@link StoreException} when
 * the store failed, {@link OverloadedException} when too much waits (where the builder said so) and {@link
 * IllegalStateException} after close.
 */
public final class Tickwheel implements AutoCloseable {

    private final Shard shard;
    private final Clock clock;

    Tickwheel(Shard shard, Clock clock) {
        this.shard = shard;
        this.clock = clock;
    }

    /** Opens the engine on a store with the default options. Blocks until everything accepted before is recovered. */
    public static Tickwheel open(TimerStore store) {
        return builder(store).open();
    }

    public static TickwheelBuilder builder(TimerStore store) {
        return new TickwheelBuilder(store);
    }

    /**
     * Registers the handler of a queue. Timers of the queue that were due before and have no destination of their own wait for
     * it, and are then delivered.
     *
     * @throws IllegalStateException when the queue has one already
     */
    public void handle(String queue, TimerHandler handler) {
        TimerNames.checkQueue(queue);
        shard.handle(queue, handler);
    }

    /** Schedules what is asked; see {@link Scheduled} for the answer. */
    public CompletableFuture<Scheduled> schedule(TimerRequest request) {
        return shard.schedule(request.key(), request.dueAtMs(clock), request);
    }

    /** Schedules a timer due after {@code delay}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Duration delay, byte[] payload) {
        return schedule(TimerRequest.after(queue, key, delay).withPayload(payload));
    }

    /** Schedules a timer due at {@code dueAt}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Instant dueAt, byte[] payload) {
        return schedule(TimerRequest.at(queue, key, dueAt).withPayload(payload));
    }

    /** Cancels the pending timer of a key; see {@link Cancelled} for the answer. */
    public CompletableFuture<Cancelled> cancel(String queue, String key) {
        return shard.cancel(TimerNames.check(queue, key));
    }

    /** Finds the timer of a key: live, dead, or finished not long ago. */
    public CompletableFuture<Optional<TimerView>> find(String queue, String key) {
        TimerKey name = TimerNames.check(queue, key);
        return shard.find(name);
    }

    /** The queues that have or had timers since the start, by name, with their counts. */
    public CompletableFuture<List<QueueCounts>> queues() {
        return shard.queues();
    }

    /** Live timers, pending and claimed; as of the last turn of the loop. */
    public long liveCount() {
        return shard.liveCount();
    }

    /** What is certain once a future has completed; fixed while the engine is open. */
    public Durability durability() {
        return shard.durability();
    }

    /** False once the engine failed or was asked to close. */
    public boolean isRunning() {
        return shard.isRunning();
    }

    /**
     * Stops taking commands and starting attempts, lets running attempts end (at most the drain timeout), makes everything
     * durable and closes the store. What is not delivered stays for the next opening.
     */
    public CompletableFuture<Void> closeAsync() {
        return shard.close();
    }

    /**
     * As {@link #closeAsync}, and waits for it. Idempotent. A handler must not call it: it would wait for itself, as long as
     * the drain timeout.
     *
     * @throws CompletionException with a {@link StoreException} when the store could not be closed
     */
    @Override
    public void close() {
        closeAsync().join();
    }
}
