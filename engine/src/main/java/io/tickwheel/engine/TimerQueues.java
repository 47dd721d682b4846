package io.tickwheel.engine;

import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreUnavailableException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Queues, and what is set of them. Thread-safe. */
public interface TimerQueues {

    /** The queues that have or had timers since the start, or of which something is set, by name, with their counts. */
    CompletableFuture<List<QueueCounts>> queues();

    /** A queue with what is set of it and its counts; empty for one that has had no timer since the start, and of which nothing is set. */
    CompletableFuture<Optional<QueueView>> queue(String queue);

    /**
     * What applies to a queue beside what does to each, as far as this node knows by now: at most a second after a change, on any node.
     *
     * @throws StoreUnavailableException when nothing is known yet, because the engine has just been opened and the store has not said what is set
     */
    QueueSettings settingsOf(String queue);

    /**
     * Sets, for a queue, where its timers go, how often they are tried, how many attempts may start and run, and more; see {@link QueueSettings}. It is kept in
     * the store, and applies to every attempt that starts once the future has completed; on other nodes that share the store, a second later.
     *
     * <pre>{@code
     * timers.changeQueue("close-order", QueueChange.pause()).join();
     * timers.changeQueue("close-order", QueueChange.resume(SlowStart.of(50))).join();
     * }</pre>
     */
    default CompletableFuture<QueueView> changeQueue(String queue, QueueChange change) {
        return changeQueue(queue, change, CommandOptions.NONE);
    }

    /**
     * As {@link #changeQueue(String, QueueChange)}, on a condition, or with a durability of its own. The id that an option expects is that of the settings; the
     * future fails with {@link QueueChangedException} when they have another one.
     */
    CompletableFuture<QueueView> changeQueue(String queue, QueueChange change, CommandOptions options);

    /**
     * Forgets what is set of a queue; its timers stay.
     *
     * @return whether something was set
     */
    default CompletableFuture<Boolean> forgetQueue(String queue) {
        return forgetQueue(queue, CommandOptions.NONE);
    }

    /** As {@link #forgetQueue(String)}, on a condition as {@link #changeQueue(String, QueueChange, CommandOptions)} has it. */
    CompletableFuture<Boolean> forgetQueue(String queue, CommandOptions options);
}
