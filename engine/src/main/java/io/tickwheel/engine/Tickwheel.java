package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Durable timers inside this program. Thread-safe.
 *
 * <pre>{@code
 * try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Path.of("data")))) {
 *     timers.handle("close-order", attempt -> orders.closeIfUnpaid(attempt.key()));
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

    private final EngineLoop loop;
    private final Commands commands;

    Tickwheel(EngineLoop loop) {
        this.loop = loop;
        this.commands = loop.commands();
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
        loop.handle(queue, handler);
    }

    /**
     * Removes the handler of a queue. Attempts that have started go on and end; timers of the queue that have no destination of their own wait
     * from then on, as for a queue that never had a handler, until there is one again.
     *
     * @return whether the queue had a handler
     * @throws IllegalStateException when the engine is closed
     */
    public boolean removeHandler(String queue) {
        TimerNames.checkQueue(queue);
        return loop.removeHandler(queue);
    }

    /**
     * Waits for an answer, for those who block anyway: what went wrong is thrown as it is, and not in a {@link CompletionException}.
     *
     * <pre>{@code
     * Scheduled scheduled = Tickwheel.await(timers.schedule("close-order", "order-42", Duration.ofMinutes(30)));
     * }</pre>
     *
     * @throws StoreException when the store failed
     * @throws OverloadedException when too much waited
     * @throws InterruptedException when the thread is interrupted; the command goes on
     */
    public static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException reason) {
                // It was made on another thread: this one's stack says where it was waited for.
                reason.addSuppressed(new RuntimeException("waited for here"));
                throw reason;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new CompletionException(cause);
        }
    }

    /** Schedules what is asked; see {@link Scheduled} for the answer. */
    public CompletableFuture<Scheduled> schedule(TimerRequest request) {
        Objects.requireNonNull(request, "request");
        return commands.schedule(request);
    }

    /** Schedules a timer without payload due after {@code delay}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Duration delay) {
        return schedule(TimerRequest.after(queue, key, delay));
    }

    /** Schedules a timer without payload due at {@code dueAt}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Instant dueAt) {
        return schedule(TimerRequest.at(queue, key, dueAt));
    }

    /** Schedules a timer due after {@code delay}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Duration delay, byte[] payload) {
        return schedule(TimerRequest.after(queue, key, delay).withPayload(payload));
    }

    /** Schedules a timer due at {@code dueAt}, replacing the live one of that key. */
    public CompletableFuture<Scheduled> schedule(String queue, String key, Instant dueAt, byte[] payload) {
        return schedule(TimerRequest.at(queue, key, dueAt).withPayload(payload));
    }

    /** Cancels the timer of a key: no further attempt of it starts. See {@link Cancelled} for the answer. */
    public CompletableFuture<Cancelled> cancel(String queue, String key) {
        return commands.cancel(TimerNames.check(queue, key), null);
    }

    /**
     * As {@link #cancel(String, String)}, and answered only when that much is certain.
     *
     * @throws IllegalArgumentException when the store does not offer that level
     */
    public CompletableFuture<Cancelled> cancel(String queue, String key, Durability durability) {
        return commands.cancel(TimerNames.check(queue, key), Objects.requireNonNull(durability, "durability"));
    }

    /** Finds the timer of a key: live, dead, or finished not long ago. */
    public CompletableFuture<Optional<TimerView>> find(String queue, String key) {
        TimerKey name = TimerNames.check(queue, key);
        return commands.find(name);
    }

    /**
     * Finds the timer of a key with what it is to deliver, and where and how: of one that is pending, claimed or dead. Of any other that is not kept.
     * {@link #find} is lighter.
     */
    public CompletableFuture<Optional<TimerDetails>> read(String queue, String key) {
        return commands.read(TimerNames.check(queue, key));
    }

    /** The queues that have or had timers since the start, by name, with their counts. */
    public CompletableFuture<List<QueueCounts>> queues() {
        return commands.queues();
    }

    /**
     * Lists timers of a queue that are pending, claimed or dead, a page at a time, in the order of due time, then age. A page
     * may be short although more follow; {@link TimerPage#next} says whether. Pages are no snapshot: a timer that is there
     * all the time, with the same due time and state, is on exactly one of them; others are shown as they stood when the list
     * came by.
     *
     * @throws IllegalArgumentException when the queue or the key prefix breaks the rules for names
     */
    public CompletableFuture<TimerPage> list(TimerQuery query) {
        Objects.requireNonNull(query, "query");
        TimerNames.checkQueue(query.queue());
        TimerNames.checkKeyPrefix(query.keyPrefix());
        return commands.list(query);
    }

    /**
     * The load histogram: how many live timers come due in each of some buckets. Counts are exact, each for a moment between
     * the call and the answer, the later buckets at a later moment. Costs what there is in the asked time only.
     *
     * @throws IllegalArgumentException when the queue breaks the rules for names
     */
    public CompletableFuture<DueCounts> countDue(DueCountQuery query) {
        if (query.queue() != null) {
            TimerNames.checkQueue(query.queue());
        }
        return commands.countDue(query);
    }

    /**
     * The load histogram of a queue from now on. The first bucket is the one that now is in, from its beginning: buckets begin
     * at multiples of their length since the epoch, so that two answers can be compared.
     *
     * @param bucket how long a bucket is: 1 s to 36,500 d, in whole milliseconds
     * @param buckets how many: 1 to {@value DueCountQuery#MAX_BUCKETS}
     * @throws IllegalArgumentException when one of these is not, or the queue breaks the rules for names
     */
    public CompletableFuture<DueCounts> countDue(String queue, Duration bucket, int buckets) {
        Duration longest = Duration.ofMillis(DueCountQuery.MAX_BUCKET_MS);
        if (bucket.compareTo(Duration.ofMillis(DueCountQuery.MIN_BUCKET_MS)) < 0 || bucket.compareTo(longest) > 0) {
            throw new IllegalArgumentException("bucket is " + bucket + ", must be "
                    + Duration.ofMillis(DueCountQuery.MIN_BUCKET_MS) + " to " + longest);
        }
        long bucketMs = bucket.toMillis();
        if (!bucket.equals(Duration.ofMillis(bucketMs))) {
            throw new IllegalArgumentException("bucket is " + bucket + ", must be of whole milliseconds");
        }
        long nowMs = loop.clock().wallMs();
        return countDue(new DueCountQuery(queue, nowMs - Math.floorMod(nowMs, bucketMs), bucketMs, buckets));
    }

    /** Live timers, pending and claimed; as of the last turn of the loop. */
    public long liveCount() {
        return loop.liveCount();
    }

    /** What is certain once a future has completed, unless the request asked for another level; fixed while the engine is open. */
    public Durability durability() {
        return commands.durability();
    }

    /** Whether a request can ask for that level. */
    public boolean offers(Durability durability) {
        return commands.offers(durability);
    }

    /** False once the engine failed or was asked to close. */
    public boolean isRunning() {
        return loop.isRunning();
    }

    /**
     * Why the store takes no commands and delivers nothing until an operator acts, in words for him; empty while it does both. Commands
     * fail with {@link StoreGoneException} meanwhile. A store on Redis says so when what it held is gone.
     */
    public Optional<String> unready() {
        return loop.unready();
    }

    /**
     * Stops taking commands and starting attempts, lets running attempts end (at most the drain timeout), makes everything
     * durable and closes the store. What is not delivered stays for the next opening.
     */
    public CompletableFuture<Void> closeAsync() {
        return loop.close();
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
