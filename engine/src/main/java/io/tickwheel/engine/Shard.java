package io.tickwheel.engine;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Durability;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerStore;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one loop that owns a calendar, and the index over its next slices. Other threads reach it through the {@link Inbox} only.
 *
 * <pre>
 *   turn:  notes, commands -> load -> expire -> claim, deliver -> calendar (write, answer) -> replies
 *          ^                                        |
 *          '---- the outcome of an attempt ---------'
 * </pre>
 *
 * Each step of a turn is bounded. A turn that leaves work asks for the next one at once, else the loop sleeps until the next
 * deadline, and now and then looks whether the wall clock was stepped, and what is to be loaded next.
 */
final class Shard implements Threads.Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);

    private static final int COMMANDS_A_TURN = 512;
    private static final int LOADS_A_TURN = 4_096;

    /** More than are loaded in a turn: overdue timers must not gather in the wheel, where no fresh one overtakes them. */
    private static final int EXPIRIES_A_TURN = 2 * LOADS_A_TURN;

    private static final int ANSWERS_A_TURN = 8_192;
    private static final long LONGEST_SLEEP_MS = 500;

    /** A turn that did so much is followed by the next one at once. */
    private static final int BUSY_TURN = 256;

    /**
     * Ten times the longest sleep, so that a loop that wakes late, or waits for a read of the store, still has each timer
     * before it is due. No more, as what is loaded takes room: at 50,000 timers due a second this is about all of it.
     */
    private static final long LOAD_AHEAD_MS = 10 * LONGEST_SLEEP_MS;

    /** What the index keeps of a loaded timer, about. */
    private static final int DUE_TIMER_BYTES = 100;

    /** What a command keeps in memory beside its content, about. */
    private static final int COMMAND_BYTES = 512;

    /** What a timer on a page keeps in memory, about. */
    private static final int LISTED_BYTES = 512;

    /** What a count keeps in memory, about. */
    private static final int COUNT_BYTES = 32;

    private final ShardOptions options;
    private final Clock clock;
    private final Calendar calendar;
    private final Durability durability;
    private final Destinations destinations;
    private final DueIndex index;
    private final Deliveries deliveries;
    private final WaitingWatch watch;
    private final HandlerTarget handlers;
    private final Inbox inbox = new Inbox();
    private final Replies replies;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean running = true;
    private long gatherNanos;
    private volatile long liveCount;
    private volatile Threads.@Nullable Running loop;
    private boolean closing;
    private int bytesToFree;
    private long drainDeadlineNanos;
    private @Nullable RuntimeException failure;

    private Shard(TimerStore store, ShardOptions options) {
        this.options = options;
        this.replies = new Replies(options.answers());
        this.handlers = new HandlerTarget(options.threads().handlers(), options.clock());
        this.destinations = new Destinations(options.targets(), options.queueDestinations());
        long loadedBytes = Math.max(options.loadedTimers(), options.loadedBytes());
        this.index = new DueIndex(destinations, new LoadRoom(options.loadedTimers(), loadedBytes, DUE_TIMER_BYTES));
        StoreContext context = new StoreContext(
                options.threads().serial("log"),
                options.threads().serial("checkpoint"),
                this::wake,
                options.random(),
                options.clock()::monoNanos,
                options.listener()::synced);
        this.calendar = store.open(context, index);
        this.clock = SharedClock.of(options.clock(), calendar.clock());
        this.durability = calendar.durability();
        this.deliveries = new Deliveries(this, options, clock, calendar, index, destinations, handlers);
        this.watch = new WaitingWatch(calendar, deliveries, destinations, options.listener(), clock.monoNanos());
        index.start(deliveries, clock.wallMs());
        this.liveCount = calendar.liveCount();
    }

    static Shard open(TimerStore store, ShardOptions options) {
        Shard shard = new Shard(store, options);
        shard.loop = options.threads().run("shard", shard);
        // Who woke the loop before it was known here woke nobody.
        shard.wake();
        return shard;
    }

    // ---- called by any thread

    void handle(String queue, TimerHandler handler) {
        if (!running) {
            throw new IllegalStateException("the engine is closed");
        }
        handlers.register(queue, handler);
        inbox.note(() -> {
            destinations.setOfQueue(queue, new Destination(HandlerTarget.NAME, queue));
            calendar.resume(new Lane(queue, Lane.QUEUE_ROUTE));
        });
        wake();
    }

    CompletableFuture<Scheduled> schedule(TimerRequest request) {
        byte[] content = request.content().encode();
        ScheduleCommand command = new ScheduleCommand(
                request.key(),
                request.dueAtMs(clock),
                content,
                destinations.route(request.content().destination()),
                request.onConflict(),
                request.requestHash(),
                offered(request.durability()));
        return submit(
                COMMAND_BYTES + content.length,
                (Answer<Scheduled> answer) -> calendar.schedule(command, answer),
                options.listener()::scheduled);
    }

    private @Nullable Durability offered(@Nullable Durability level) {
        if (level != null && !offers(level)) {
            throw new IllegalArgumentException(
                    "durability is " + level + ", must be one that the store offers, such as " + durability);
        }
        return level;
    }

    boolean offers(Durability level) {
        return calendar.offers(level);
    }

    CompletableFuture<Cancelled> cancel(TimerKey key, @Nullable Durability level) {
        offered(level);
        return submit(
                COMMAND_BYTES,
                (Answer<Cancelled> answer) -> calendar.cancel(key, level, answer),
                options.listener()::cancelled);
    }

    CompletableFuture<Optional<TimerView>> find(TimerKey key) {
        return this.<List<TimerView>>submit(COMMAND_BYTES, answer -> calendar.find(key, answer), found -> {})
                .thenApply(found -> found.stream().findFirst());
    }

    CompletableFuture<List<QueueCounts>> queues() {
        return submit(COMMAND_BYTES, calendar::queues, counts -> {});
    }

    CompletableFuture<TimerPage> list(TimerQuery query) {
        return submit(
                COMMAND_BYTES + LISTED_BYTES * query.limit(),
                (Answer<TimerPage> answer) -> calendar.list(query, answer),
                page -> {});
    }

    CompletableFuture<DueCounts> countDue(DueCountQuery query) {
        return submit(
                COMMAND_BYTES + COUNT_BYTES * query.buckets(),
                (Answer<DueCounts> answer) -> calendar.countDue(query, answer),
                counts -> {});
    }

    Durability durability() {
        return durability;
    }

    /** The clock by which timers are due. */
    Clock clock() {
        return clock;
    }

    long liveCount() {
        return liveCount;
    }

    boolean isRunning() {
        return running;
    }

    Optional<String> unready() {
        return Optional.ofNullable(calendar.unready());
    }

    CompletableFuture<Void> close() {
        running = false;
        inbox.close();
        inbox.note(this::startClosing);
        wake();
        return closed.copy();
    }

    void attemptEnded(InFlight attempt) {
        inbox.note(attempt);
        wake();
    }

    private <T> CompletableFuture<T> submit(int needed, Consumer<Answer<T>> call, Consumer<T> told) {
        int bytes = Math.min(needed, Inbox.MAX_BYTES);
        if (options.whenFull() == TickwheelBuilder.WhenFull.BLOCK) {
            inbox.awaitRoom(bytes);
        } else if (!inbox.tryRoom(bytes)) {
            return CompletableFuture.failedFuture(
                    new OverloadedException(Inbox.MAX_BYTES + " bytes of commands wait for their answers"));
        }
        Request<T> request = new Request<>(bytes, call, told);
        if (!inbox.offer(request)) {
            inbox.free(bytes);
            return CompletableFuture.failedFuture(new IllegalStateException("the engine is closed"));
        }
        wake();
        return request.future;
    }

    private void wake() {
        Threads.Running started = loop;
        if (started != null) {
            started.wake();
        }
    }

    /** A command and its way back. */
    private final class Request<T> extends Inbox.Command implements Answer<T>, Runnable {

        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final int bytes;
        private final Consumer<Answer<T>> call;
        private final Consumer<T> told;
        private @Nullable T result;
        private @Nullable RuntimeException failure;

        Request(int bytes, Consumer<Answer<T>> call, Consumer<T> told) {
            this.bytes = bytes;
            this.call = call;
            this.told = told;
        }

        @Override
        void decide() {
            call.accept(this);
        }

        @Override
        public void accept(T given) {
            told.accept(given);
            result = given;
            reply();
        }

        @Override
        public void fail(StoreException reason) {
            if (reason instanceof StoreFullException full) {
                options.listener().refused(full);
            }
            refuse(reason);
        }

        @Override
        void refuse(RuntimeException reason) {
            failure = reason;
            reply();
        }

        private void reply() {
            bytesToFree += bytes;
            replies.add(this);
        }

        /** Completes the future, away from the loop. */
        @Override
        public void run() {
            if (failure != null) {
                future.completeExceptionally(failure);
            } else {
                future.complete(result);
            }
        }
    }

    // ---- called by the loop

    @Override
    public long turn() {
        long sleep;
        long lookAgain;
        gatherNanos = 0;
        try {
            sleep = failure == null ? work() : refuseAll(failure);
            lookAgain = handlers.handOver();
        } catch (RuntimeException | Error e) {
            sleep = stop(e);
            lookAgain = sleep;
        }
        reply();
        return sleep == DONE ? DONE : Math.min(sleep, lookAgain);
    }

    @Override
    public long gatherNanos() {
        return gatherNanos;
    }

    private void reply() {
        inbox.free(bytesToFree);
        bytesToFree = 0;
        replies.send();
    }

    void takeOutcome(InFlight attempt, InFlight.Outcome outcome, String reason, Duration wait) {
        deliveries.ended(attempt, outcome, reason, wait);
    }

    private long work() {
        int done = takeNotes();
        done += takeCommands();
        long nowMs = clock.wallMs();
        if (!closing) {
            done += load(nowMs);
            done += index.expire(nowMs, EXPIRIES_A_TURN);
            done += deliveries.start(nowMs);
            watch.work(nowMs, clock.monoNanos());
        }
        done += calendar.work(ANSWERS_A_TURN);
        liveCount = calendar.liveCount();
        if (done > 0) {
            gatherNanos = done < BUSY_TURN && !closing ? calendar.gatherNanos() : 0;
            return 0;
        }
        if (closing && canClose()) {
            return end();
        }
        return sleepNanos();
    }

    /**
     * Loads what is due soon, as far as there is room, and returns how many timers that were. When that is not all, the loop
     * comes back without being told to: room is made by an outcome or a cancel, and a store that stops for another reason calls
     * the waker.
     */
    private int load(long nowMs) {
        long before = index.loadedSoFar();
        calendar.load(nowMs, nowMs + LOAD_AHEAD_MS, LOADS_A_TURN);
        return (int) (index.loadedSoFar() - before);
    }

    private int takeNotes() {
        int done = 0;
        for (Inbox.Note note = inbox.nextNote(); note != null; note = inbox.nextNote()) {
            note.take();
            done++;
            if (done == COMMANDS_A_TURN) {
                break;
            }
        }
        return done;
    }

    private int takeCommands() {
        int done = 0;
        while (done < COMMANDS_A_TURN && calendar.hasRoom()) {
            Inbox.Command command = inbox.next();
            if (command == null) {
                break;
            }
            try {
                command.decide();
            } catch (RuntimeException | Error e) {
                command.refuse(new StoreFailedException("the engine stopped: " + e, true, e));
                throw e;
            }
            done++;
        }
        return done;
    }

    private long sleepNanos() {
        return Math.min(calendar.idleNanos(), nextDueNanos());
    }

    private long nextDueNanos() {
        if (closing) {
            return Math.max(1, Math.min(LONGEST_SLEEP_MS * 1_000_000, drainDeadlineNanos - clock.monoNanos()));
        }
        Instant now = clock.now();
        long wakeAtMs = index.nextDueMs();
        long loadedTo = calendar.loadedTo();
        // What was not loaded ahead for want of room is due from then on; what is overdue waits for an outcome to make
        // room.
        if (loadedTo > now.toEpochMilli()) {
            wakeAtMs = Math.min(wakeAtMs, loadedTo);
        }
        if (wakeAtMs >= now.toEpochMilli() + LONGEST_SLEEP_MS) {
            return LONGEST_SLEEP_MS * 1_000_000;
        }
        return Math.max(0, Duration.between(now, Instant.ofEpochMilli(wakeAtMs)).toNanos());
    }

    private void startClosing() {
        if (!closing) {
            closing = true;
            deliveries.stop();
            calendar.handOver();
            drainDeadlineNanos = clock.monoNanos() + options.drainTimeout().toNanos();
        }
    }

    private boolean canClose() {
        boolean drained = deliveries.inFlight() == 0 || clock.monoNanos() - drainDeadlineNanos >= 0;
        return drained && calendar.isQuiet();
    }

    /**
     * The store failed, or the loop met a bug: nothing is done any more but to say so.
     *
     * @return how long to sleep then
     */
    private long stop(Throwable cause) {
        running = false;
        boolean first = failure == null;
        if (first) {
            failure = cause instanceof StoreFailedException failed
                    ? failed
                    : new StoreFailedException("the engine stopped: " + cause, false, cause);
        }
        // Whatever fails here, too, must not keep the loop from refusing what waits.
        guarded(() -> LOG.error(
                first ? "The engine stopped: {}" : "The engine, which has stopped, met an error: {}",
                cause.toString(),
                cause instanceof StoreException ? null : cause));
        guarded(() -> calendar.fail(cause));
        if (first) {
            guarded(() -> options.listener().stopped(cause));
        }
        return first ? 0 : LONGEST_SLEEP_MS * 1_000_000;
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (failure != null && failure != e) {
                failure.addSuppressed(e);
            }
        }
    }

    private long refuseAll(RuntimeException reason) {
        // The end of an attempt may meet again what stopped the engine.
        for (Inbox.Note note = inbox.nextNote(); note != null; note = inbox.nextNote()) {
            guarded(note::take);
        }
        for (Inbox.Command command = inbox.next(); command != null; command = inbox.next()) {
            command.refuse(reason);
        }
        if (!closing || !calendar.isQuiet()) {
            return LONGEST_SLEEP_MS * 1_000_000;
        }
        return end();
    }

    private long end() {
        @Nullable StoreException notClosed = null;
        try {
            calendar.close();
        } catch (StoreException e) {
            notClosed = e;
            LOG.error("The store did not close: {}", e.toString());
        }
        reply();
        options.threads().close();
        if (notClosed == null) {
            closed.complete(null);
        } else {
            closed.completeExceptionally(notClosed);
        }
        return DONE;
    }
}
