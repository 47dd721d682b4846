package io.tickwheel.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Timers that consumers ask for and work on in their own time: those of queues without a handler and a destination. Thread-safe. */
public interface TimerLeases {

    /**
     * Leases timers of a queue that has neither a handler nor a target, for a consumer that works on them in its own time: those that are due, name no
     * destination, and may start as the settings of the queue say. A lease is an attempt: it ends when the consumer acknowledges it or gives it back, or when it
     * expires, which counts as a failed one. The consumers of a queue are served in the order in which they ask.
     *
     * <p>The future completes as soon as there is one timer, or several at once, and with an empty list when none has come by the end of the wait, and when the
     * engine is closed. It may come up to 250 ms later, when timers are on their way from the store. It fails with {@link QueueNotPulledException} when the queue
     * has a handler or a target, also when it gets one while the consumer waits, and with {@link OverloadedException} when 10,000 consumers wait. Whoever does not
     * want the answer any more cancels this future, or completes it in another way, as {@code orTimeout} and {@code completeOnTimeout} do: what had come for it is due again at once,
     * as if it had not been leased. To end a future that was made of it, by {@code thenApply} or {@code copy}, withdraws nothing: the leases go on to be given to this one.
     *
     * <p>Leases end with the engine: after it is opened again, their timers are due again, and only an acknowledgement is still taken. On a store that nodes share, a consumer is given timers that any node
     * owns, and ends their leases at any node; the node that owns a timer holds its lease.
     */
    CompletableFuture<List<Lease>> lease(LeaseRequest request);

    /**
     * Starts a consumer inside this program, which leases timers of a queue that has neither a handler nor a target, and works on them until it is closed. Unlike a
     * {@link Tickwheel#handle handler} it takes no more timers than it is to work on at once, and any number of consumers work on a queue side by side.
     *
     * <pre>{@code
     * try (LeaseConsumer consumer = timers.consume("thumbnails", ConsumerOptions.DEFAULTS.withConcurrency(4), attempt -> draw(attempt))) {
     *     untilTheProgramEnds();
     * }
     * }</pre>
     *
     * <p>The handler is called on threads for user code. Returning acknowledges the timer, an exception gives it back as {@link #nack(String, String)} does, but
     * {@link TryAgainAtException} and {@link NeverAgainException} act as with {@link TimerHandler}. Leases of what is held are extended for as long as it runs, but for that of
     * a timer that was cancelled. While the queue has a handler or a target the consumer gets nothing, and asks again each second. It is to be closed before the engine, which does not wait for it.
     *
     * @throws IllegalStateException when the engine is closed
     */
    LeaseConsumer consume(String queue, ConsumerOptions options, TimerHandler handler);

    /** As {@link #consume(String, ConsumerOptions, TimerHandler)}, of payloads of a type; one that the codec cannot read makes its timer dead. */
    default <T> LeaseConsumer consume(
            String queue, ConsumerOptions options, PayloadCodec<T> codec, TypedHandler<T> handler) {
        return consume(queue, options, TypedHandler.reading(codec, handler));
    }

    /**
     * Ends a lease: the timer is completed, also when it was cancelled meanwhile. After a crash in the next moment it may be delivered again, as any timer
     * may.
     *
     * <p>The lease of an engine that has ended is acknowledged too, after a crash as well: the timer is completed, unless it was leased again since, has ended or was replaced.
     * Whoever polls first after a restart may be given it before that.
     *
     * <p>Fails, as the others below, with {@link LeaseGoneException} when the lease is not held any more, and with {@link
     * io.tickwheel.store.StoreUnavailableException} when another node holds it that does not answer: the outcome is not known then, and to ask again is safe.
     */
    CompletableFuture<Void> acknowledge(String leaseId);

    /**
     * Ends a lease as a failed attempt. Another follows when the retry policy says so, unless this was the last one, or the timer was cancelled meanwhile.
     *
     * @param reason valid Unicode, as with the others below
     */
    CompletableFuture<Void> nack(String leaseId, String reason);

    /**
     * As {@link #nack(String, String)}, with another attempt after {@code delay}.
     *
     * @param delay 0 to 30 days
     */
    CompletableFuture<Void> nack(String leaseId, Duration delay, String reason);

    /**
     * Has a lease last for so long from now on. That of a timer that was cancelled cannot be extended, but acknowledged.
     *
     * @param ttl 1 s to 1 h
     * @return when it expires
     */
    CompletableFuture<Instant> extend(String leaseId, Duration ttl);

    /**
     * Gives back leases on which nobody has worked: their timers are due again at once, and no attempt counts. Those that are not held any more are left alone. Nobody
     * answers; what gets lost on its way to another node, or with the store, is due again when the lease expires.
     */
    void giveBack(List<Lease> leases);

    /** Ends a lease with a timer that is dead at once: no later attempt could succeed. One that was cancelled meanwhile is cancelled. */
    CompletableFuture<Void> bury(String leaseId, String reason);
}
