package io.tickwheel.engine;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Durable timers. Thread-safe.
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
 * the store failed, {@link IdMismatchException} when the timer has another id than the command expects, {@link QuotaExceededException} when a queue is full, {@link OverloadedException} when too much waits
 * (where the builder said so) and {@link IllegalStateException} after close.
 *
 * <p>All threads of an engine are daemons: they keep no program from ending, so whoever has nothing else to do must wait for something. What was
 * answered is durable, however the program ends.
 */
public interface Tickwheel extends TimerLeases, TimerPlans, TimerQueues, ProgramDocuments, AutoCloseable {

    /** Opens an engine inside this program, on a store, with the default options. Blocks until everything accepted before is recovered. */
    static Tickwheel open(TimerStore store) {
        return builder(store).open();
    }

    /** The options of an engine inside this program. */
    static TickwheelBuilder builder(TimerStore store) {
        return new TickwheelBuilder(store);
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
    static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException reason) {
                // As it is, and not changed: one of them may be the answer to many.
                throw reason;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new CompletionException(cause);
        }
    }

    // ---- what is delivered here

    /**
     * Registers the handler of a queue. Timers of the queue that were due before and have no destination of their own wait for
     * it, and are then delivered.
     *
     * @throws IllegalStateException when the queue has one already
     */
    void handle(String queue, TimerHandler handler);

    /**
     * Registers the handler of a queue whose payloads are of a type. A payload that the codec cannot read makes its timer dead: no later attempt could.
     *
     * @throws IllegalStateException when the queue has one already
     */
    default <T> void handle(String queue, PayloadCodec<T> codec, TypedHandler<T> handler) {
        handle(queue, TypedHandler.reading(codec, handler));
    }

    /**
     * Removes the handler of a queue. Attempts that have started go on and end; timers of the queue that have no destination of their own wait
     * from then on, as for a queue that never had a handler, until there is one again.
     *
     * @return whether the queue had a handler
     * @throws IllegalStateException when the engine is closed
     */
    boolean removeHandler(String queue);

    // ---- one timer

    /** Schedules what is asked; see {@link Scheduled} for the answer. */
    CompletableFuture<Scheduled> schedule(TimerRequest request);

    /** Schedules a timer without payload due after {@code delay}, replacing the live one of that key. */
    default CompletableFuture<Scheduled> schedule(String queue, String key, Duration delay) {
        return schedule(TimerRequest.after(queue, key, delay));
    }

    /** Schedules a timer without payload due at {@code dueAt}, replacing the live one of that key. */
    default CompletableFuture<Scheduled> schedule(String queue, String key, Instant dueAt) {
        return schedule(TimerRequest.at(queue, key, dueAt));
    }

    /** Schedules a timer due after {@code delay}, replacing the live one of that key. */
    default CompletableFuture<Scheduled> schedule(String queue, String key, Duration delay, byte[] payload) {
        return schedule(TimerRequest.after(queue, key, delay).withPayload(payload));
    }

    /** Schedules a timer due at {@code dueAt}, replacing the live one of that key. */
    default CompletableFuture<Scheduled> schedule(String queue, String key, Instant dueAt, byte[] payload) {
        return schedule(TimerRequest.at(queue, key, dueAt).withPayload(payload));
    }

    /** Cancels the timer of a key: no further attempt of it starts. See {@link Cancelled} for the answer. */
    default CompletableFuture<Cancelled> cancel(String queue, String key) {
        return cancel(queue, key, CommandOptions.NONE);
    }

    /**
     * As {@link #cancel(String, String)}, on a condition, or with a durability of its own.
     *
     * @throws IllegalArgumentException when the store does not offer that level
     */
    CompletableFuture<Cancelled> cancel(String queue, String key, CommandOptions options);

    /** Has the pending timer of a key become due at {@code dueAt}, and its next attempt too. Nothing else changes: attempts that were made count. */
    default CompletableFuture<Changed> reschedule(String queue, String key, Instant dueAt) {
        return reschedule(queue, key, dueAt, CommandOptions.NONE);
    }

    /**
     * As {@link #reschedule(String, String, Instant)}, on a condition, or with a durability of its own.
     *
     * @throws IllegalArgumentException when the time is before {@link TimerRequest#FIRST_DUE} or behind {@link TimerRequest#LAST_DUE}, or the store does not
     *     offer that level
     */
    CompletableFuture<Changed> reschedule(String queue, String key, Instant dueAt, CommandOptions options);

    /** As {@link #reschedule(String, String, Instant)}, after {@code delay} from now on, which must not be negative. */
    default CompletableFuture<Changed> reschedule(String queue, String key, Duration delay) {
        return reschedule(queue, key, delay, CommandOptions.NONE);
    }

    /** As {@link #reschedule(String, String, Duration)}, on a condition, or with a durability of its own. */
    CompletableFuture<Changed> reschedule(String queue, String key, Duration delay, CommandOptions options);

    /**
     * Pushes the pending timer of a key back by the delay that it was scheduled with, counted from now on, and its next attempt too: what says that a connection
     * is alive, or that somebody goes on typing. Nothing else changes: attempts that were made count. A timer that was made with {@link TimerRequest#withMaxWait} is due that long after it was
     * first scheduled at the latest; one whose time cannot be put off any more keeps it, as the answer shows.
     *
     * <p>The future fails with {@link NotTouchableException} when the timer does not know its delay: it was made neither {@link TimerRequest#withTouchable touchable} nor
     * with a longest wait; and with {@link ContendedException} when other nodes change the timer all the time.
     */
    default CompletableFuture<Changed> touch(String queue, String key) {
        return touch(queue, key, CommandOptions.NONE);
    }

    /** As {@link #touch(String, String)}, on a condition, or with a durability of its own. */
    CompletableFuture<Changed> touch(String queue, String key, CommandOptions options);

    /**
     * Has the pending timer of a key become due now. Of a recurring one it makes a run beside those of its schedule, which changes nothing of that, and answers with the run: it has no
     * number, counts for nothing, and nothing waits for it. Who asks twice in a millisecond has one.
     */
    default CompletableFuture<Changed> runNow(String queue, String key) {
        return runNow(queue, key, CommandOptions.NONE);
    }

    /** As {@link #runNow(String, String)}, on a condition, or with a durability of its own. */
    CompletableFuture<Changed> runNow(String queue, String key, CommandOptions options);

    /** Has the dead timer of a key become due now, with the same id; none of its attempts counts. */
    default CompletableFuture<Changed> redrive(String queue, String key) {
        return redrive(queue, key, CommandOptions.NONE);
    }

    /** As {@link #redrive(String, String)}, on a condition, or with a durability of its own. */
    CompletableFuture<Changed> redrive(String queue, String key, CommandOptions options);

    /**
     * Has a dead timer live again as a request says: its due time, payload, headers, destination, retry policy and expiry. It keeps its id, version
     * and request hash, and what the request says of conflicts and ids does not matter. When the timer is not as it was seen any more, also when it was redriven and has died again, nothing is
     * done, and the future fails with {@link IdMismatchException}.
     *
     * <pre>{@code
     * TimerDetails seen = timers.read("close-order", "order-42").join().orElseThrow();
     * timers.redrive(seen, TimerRequest.after("close-order", "order-42", Duration.ZERO).withContentOf(seen).withText("again"));
     * }</pre>
     *
     * @param edited due later than the last attempt that was seen: of one that is due then or before, the first millisecond after it is taken
     * @throws IllegalArgumentException when the request is of another key
     */
    CompletableFuture<Changed> redrive(TimerDetails seen, TimerRequest edited);

    /** Forgets the dead timer of a key. */
    default CompletableFuture<Changed> purge(String queue, String key) {
        return purge(queue, key, CommandOptions.NONE);
    }

    /** As {@link #purge(String, String)}, on a condition, or with a durability of its own. */
    CompletableFuture<Changed> purge(String queue, String key, CommandOptions options);

    /** Finds the timer of a key: live, dead, or finished not long ago. */
    CompletableFuture<Optional<TimerView>> find(String queue, String key);

    /**
     * Finds the timer of a key with what it is to deliver, and where and how: of one that is pending, claimed or dead. Of any other that is not kept.
     * {@link #find} is lighter.
     */
    CompletableFuture<Optional<TimerDetails>> read(String queue, String key);

    // ---- many timers

    /**
     * Cancels, redrives or purges many timers of a queue, in small steps beside the traffic, or only counts them. The run is kept in the store: from {@link Bulk#accepted} on
     * it goes on after a restart or a crash, and on another node when this one dies.
     *
     * @throws IllegalArgumentException when the queue or the key prefix breaks the rules for names
     * @throws IllegalStateException when the engine is closed, or {@value Bulk#MOST_RUNNING} such runs go on
     */
    Bulk start(BulkRequest request);

    /**
     * The bulk runs that were asked for or worked on here, since this was opened: those that go on, and the last {@value Bulk#MOST_REMEMBERED} that have ended; the youngest
     * first.
     */
    List<Bulk> bulks();

    /** The bulk runs of the store, whichever node works on them: those that go on, and the last ones that have ended, for a week at most; the youngest first. */
    CompletableFuture<List<BulkView>> bulkRuns();

    /** One of {@link #bulkRuns}; empty when none has that id. */
    CompletableFuture<Optional<BulkView>> bulkRun(String id);

    /** Has one of {@link #bulkRuns} end soon, whichever node works on it; what it has done stays done. The answer is how it stands; empty when none has that id. */
    CompletableFuture<Optional<BulkView>> stopBulkRun(String id);

    /**
     * Counts the dead timers of a query, and why they died. Looks at each of them, a page at a time.
     *
     * @param timers whose state is {@code DEAD} or none; its limit and its place do not matter
     * @throws IllegalArgumentException when the queue or the key prefix breaks the rules for names
     * @throws IllegalStateException when the engine is closed, or {@value Bulk#MOST_RUNNING} such counts go on
     */
    CompletableFuture<DeadCounts> countDead(TimerQuery timers);

    /**
     * Lists timers of a queue that are pending, claimed or dead, a page at a time, in the order of {@link TimerView#attemptAt}, when their
     * next attempt is due or the last one was, then age. A page
     * may be short although more follow; {@link TimerPage#next} says whether. Pages are no snapshot: a timer that is there
     * all the time, with the same time and state, is on exactly one of them; others are shown as they stood when the list
     * came by.
     *
     * @throws IllegalArgumentException when the queue or the key prefix breaks the rules for names
     */
    CompletableFuture<TimerPage> list(TimerQuery query);

    /**
     * The load histogram: how many live timers come due in each of some buckets, by when their next attempt is due. Counts are exact, each for a moment between
     * the call and the answer, the later buckets at a later moment. Costs what there is in the asked time only.
     *
     * @throws IllegalArgumentException when the queue breaks the rules for names
     */
    CompletableFuture<DueCounts> countDue(DueCountQuery query);

    /**
     * The load histogram of a queue from now on. The first bucket is the one that now is in, from its beginning: buckets begin
     * at multiples of their length since the epoch, so that two answers can be compared.
     *
     * @param bucket how long a bucket is: 1 s to 36,500 d, in whole milliseconds
     * @param buckets how many: 1 to {@value DueCountQuery#MAX_BUCKETS}
     * @throws IllegalArgumentException when one of these is not, or the queue breaks the rules for names
     */
    CompletableFuture<DueCounts> countDue(String queue, Duration bucket, int buckets);

    /**
     * Live timers, pending and claimed; as of the last turn of the loop. In the first moments after a start, no fewer than that: a store
     * may still gather what it recovered, and what is set of queues counts until it is known.
     */
    long liveCount();

    // ---- the engine itself

    /** What it has done since it was opened, and does now. */
    TickwheelStats stats();

    /** What is certain once a future has completed, unless the request asked for another level; fixed while the engine is open. */
    Durability durability();

    /** Whether a request can ask for that level. */
    boolean offers(Durability durability);

    /** False once the engine failed or was asked to close. */
    boolean isRunning();

    /**
     * Why the store takes no commands and delivers nothing until an operator acts, in words for him; empty while it does both. Commands
     * fail with {@link StoreGoneException} meanwhile. A store on Redis says so when what it held is gone.
     */
    Optional<String> unready();

    /**
     * Stops taking commands and starting attempts, lets running attempts end, and reads that wait be answered (both at most the drain timeout), makes everything
     * durable and closes the store. What is not delivered stays for the next opening.
     */
    CompletableFuture<Void> closeAsync();

    /**
     * As {@link #closeAsync}, and waits for it. Idempotent. A handler must not call it: it would wait for itself, as long as
     * the drain timeout.
     *
     * @throws CompletionException with a {@link StoreException} when the store could not be closed
     */
    @Override
    default void close() {
        closeAsync().join();
    }
}
