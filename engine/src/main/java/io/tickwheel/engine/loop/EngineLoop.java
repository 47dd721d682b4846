package io.tickwheel.engine.loop;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Threads;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.attempt.FailureLog;
import io.tickwheel.engine.attempt.HandlerTarget;
import io.tickwheel.engine.attempt.Targets;
import io.tickwheel.engine.bulk.BulkRuns;
import io.tickwheel.engine.bulk.DeadRetention;
import io.tickwheel.engine.delivery.Deliveries;
import io.tickwheel.engine.delivery.DueIndex;
import io.tickwheel.engine.delivery.WaitingWatch;
import io.tickwheel.engine.due.DueWheel;
import io.tickwheel.engine.due.LeaseCredits;
import io.tickwheel.engine.due.StartGates;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.ContentRoom;
import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.inbox.Replies;
import io.tickwheel.engine.inbox.Submissions;
import io.tickwheel.engine.lease.CommandListener;
import io.tickwheel.engine.lease.Consumers;
import io.tickwheel.engine.lease.LeaseCalls;
import io.tickwheel.engine.lease.LeaseOwners;
import io.tickwheel.engine.lease.Leases;
import io.tickwheel.engine.lease.Lenders;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.neighbour.Neighbours;
import io.tickwheel.engine.queue.QueueBook;
import io.tickwheel.engine.queue.QueueQuotas;
import io.tickwheel.engine.queue.RedriveListener;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one loop that owns a calendar, and the index over its next slices. Other threads reach it through the {@link Inbox} only, in which
 * {@link Commands} leaves what programs ask for.
 *
 * <pre>
 *   turn:  notes, commands -> load -> expire -> claim, deliver -> calendar (write, answer) -> replies
 *          ^                                        |
 *          '---- the outcome of an attempt ---------'
 * </pre>
 *
 * Each step of a turn is bounded. A turn that leaves work asks for the next one at once, else the loop sleeps until something is due,
 * is to be loaded, or must be looked at again. It sleeps as long as that takes: {@link Threads} see to it that a step of the wall clock is noticed.
 */
public final class EngineLoop implements Threads.Loop {

    private static final Logger LOG = LoggerFactory.getLogger(EngineLoop.class);

    private static final int COMMANDS_A_TURN = 512;

    /** More than are loaded in a turn: overdue timers must not gather in the wheel, where no fresh one overtakes them. */
    private static final int EXPIRIES_A_TURN = 2 * LoadAhead.LOADS_A_TURN;

    private static final int ANSWERS_A_TURN = 8_192;

    /** A turn that did so much is followed by the next one at once. */
    private static final int BUSY_TURN = 256;

    private static final long LOOK_NANOS = LoadAhead.LOOK_MS * 1_000_000;

    /** What the index keeps of a loaded timer, about. */
    private static final int DUE_TIMER_BYTES = 100;

    private final EngineOptions options;
    private final Clock clock;
    private final Calendar calendar;
    private final Destinations destinations;
    private final QueueBook book;
    private final StartGates gates;
    private final DueWheel wheel = new DueWheel();
    private final DueIndex index;
    private final LoadAhead ahead;
    private final Alarms alarms;
    private final LeaseCredits leased;
    private final Polls polls;
    private final LeaseOwners owners;
    private final Deliveries deliveries;
    private final QueueUpdates updates;
    private final WaitingWatch watch;
    private final FailureLog failures;
    private final BulkRuns bulks;
    private final DeadRetention retention;
    private final HandlerTarget handlers;
    private final Inbox inbox = new Inbox();
    private final Replies replies;
    private final Submissions submissions;
    private final Commands commands;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile boolean running = true;
    private long gatherNanos;
    private volatile long liveCount;
    private volatile int inFlight;
    private boolean closing;
    private long drainDeadlineNanos;
    private @Nullable RuntimeException failure;

    private EngineLoop(TimerStore store, EngineOptions options) {
        this.options = options;
        this.replies = new Replies(options.answers());
        this.handlers = new HandlerTarget(options.threads().handlers(), options.clock());
        this.destinations = new Destinations(options.targets());
        long loadedBytes = Math.max(options.loadedTimers(), options.loadedBytes());
        this.index =
                new DueIndex(wheel, destinations, new LoadRoom(options.loadedTimers(), loadedBytes, DUE_TIMER_BYTES));
        StoreContext context = new StoreContext(
                options.threads().serial("log"),
                options.threads().serial("checkpoint"),
                options.threads().readers(),
                inbox::wake,
                options.random(),
                options.clock()::monoNanos,
                options.listener()::synced);
        this.calendar = store.open(context, index);
        this.clock = SharedClock.of(options.clock(), calendar.clock());
        this.ahead = new LoadAhead(calendar, index, wheel, clock);
        this.failures = new FailureLog(options.targets(), LOG::warn, LOG::info);
        this.book = new QueueBook(calendar, clock, options.queues());
        this.gates = new StartGates(clock, book, calendar.limits());
        this.alarms = new Alarms(clock);
        ContentRoom contents = new ContentRoom(options.attemptBytes(), inbox::wake);
        this.leased = new LeaseCredits(options.attemptBytes(), contents);
        Leases leases = new Leases(options, calendar, clock, alarms, leased);
        this.polls = new Polls(calendar, inbox, replies, contents, destinations, alarms, leased, leases);
        EngineListener told = new CommandListener(options.listener(), leases);
        QueueQuotas quotas = new QueueQuotas(calendar, clock, book, inbox);
        EngineListener toldOfRedrives = new RedriveListener(told, quotas);
        this.bulks = new BulkRuns(calendar, clock, inbox, replies, toldOfRedrives, LOG::info);
        Targets targets = new Targets(options, handlers, bulks);
        this.deliveries = new Deliveries(
                inbox, options, clock, calendar, wheel, destinations, targets, polls, gates, failures, quotas::made);
        this.updates = new QueueUpdates(calendar, destinations, book, gates, index, deliveries, polls);
        this.watch = new WaitingWatch(calendar, deliveries, destinations, options.listener(), clock.monoNanos());
        Neighbours others = Neighbours.of(calendar, inbox, clock, alarms, polls, leases, deliveries);
        this.owners = others == null ? LeaseOwners.NONE : others.owners();
        LeaseCalls calls = new LeaseCalls(leases, owners);
        Consumers consumers =
                new Consumers(clock, options.threads().handlers(), inbox, replies, alarms, calls, polls, closed);
        this.submissions = new Submissions(calendar, inbox, replies, contents, told, options.whenFull(), book);
        this.commands = new Commands(
                calendar,
                clock,
                destinations,
                book,
                quotas,
                inbox,
                submissions,
                told,
                toldOfRedrives,
                calls,
                polls,
                bulks,
                consumers);
        this.retention = new DeadRetention(calendar, clock, bulks, book, deliveries::deaths, options);
        wheel.start(clock.wallMs());
        index.start(deliveries);
        options.queues().keySet().forEach(updates::takeSettings);
        book.start(updates::settingsChanged);
        polls.start(updates::pollsChanged, others == null ? Lenders.NONE : others);
        this.liveCount = calendar.liveCount();
    }

    public static EngineLoop open(TimerStore store, EngineOptions options) {
        EngineLoop loop = new EngineLoop(store, options);
        loop.inbox.start(options.threads().run("loop", loop));
        options.onMayDeliver(loop.inbox::wake);
        return loop;
    }

    // ---- any thread may call this

    /** What programs ask of this loop. */
    public Commands commands() {
        return commands;
    }

    public void handle(String queue, TimerHandler handler) {
        checkRunning();
        handlers.register(queue, handler);
        inbox.note(() -> updates.handlerAdded(queue));
    }

    public boolean removeHandler(String queue) {
        checkRunning();
        boolean removed = handlers.unregister(queue);
        if (removed) {
            inbox.note(() -> {
                if (!handlers.has(queue)) {
                    updates.handlerRemoved(queue);
                }
            });
        }
        return removed;
    }

    public Bulk start(BulkRequest request) {
        checkRunning();
        return bulks.ask(request, Long.toHexString(options.random().getAsLong()));
    }

    /** Runs a dry run that nobody else is to see. */
    public CompletableFuture<BulkProgress> count(BulkRequest request) {
        checkRunning();
        return bulks.askForCount(request);
    }

    private void checkRunning() {
        if (!running) {
            throw new IllegalStateException("the engine is closed");
        }
    }

    public List<Bulk> bulks() {
        return bulks.all();
    }

    /** The clock by which timers are due. */
    public Clock clock() {
        return clock;
    }

    public long liveCount() {
        return liveCount;
    }

    /** Attempts that run or are being claimed. */
    public int running() {
        return inFlight;
    }

    public boolean isRunning() {
        return running;
    }

    public Optional<String> unready() {
        return Optional.ofNullable(calendar.unready());
    }

    public CompletableFuture<Void> close() {
        running = false;
        inbox.close();
        inbox.note(this::startClosing);
        return closed.copy();
    }

    // ---- only the loop calls this

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
        inbox.freeAnswered();
        replies.send();
    }

    private long work() {
        int done = inbox.takeNotes(COMMANDS_A_TURN);
        done += alarms.work();
        book.work();
        submissions.work();
        done += inbox.takeCommands(COMMANDS_A_TURN, calendar);
        long nowMs = clock.wallMs();
        if (!closing && book.isLoaded() && options.mayDeliver()) {
            commands.settleQueues();
            done += ahead.load(nowMs);
            done += wheel.expire(nowMs, EXPIRIES_A_TURN, due -> deliveries.due(due, nowMs));
            done += deliveries.start(nowMs);
            polls.exchange(nowMs);
            watch.work(nowMs, clock.monoNanos());
            retention.work();
        }
        gates.work(closing);
        done += bulks.work();
        done += calendar.work(ANSWERS_A_TURN, spareNanos(nowMs));
        polls.work(nowMs);
        liveCount = Math.max(0, calendar.liveCount() - commands.documentTimers() - bulks.timers());
        inFlight = deliveries.inFlight() + leased.leased();
        if (done > 0) {
            gatherNanos = done < BUSY_TURN && !closing ? calendar.gatherNanos() : 0;
            return 0;
        }
        if (closing && canClose()) {
            return end();
        }
        return sleepNanos();
    }

    /** For how long there is nothing to do but what comes from outside meanwhile. */
    private long spareNanos(long nowMs) {
        boolean isBusy = closing || !deliveries.lanes().isEmpty();
        return isBusy ? 0 : Math.min(ahead.quietNanos(nowMs), alarms.idleNanos());
    }

    private long sleepNanos() {
        long nowNanos = clock.monoNanos();
        long sleep = Math.min(calendar.idleNanos(), failures.work(nowNanos));
        sleep = Math.min(sleep, Math.min(bulks.idleNanos(), alarms.idleNanos()));
        sleep = Math.min(sleep, Math.min(book.idleNanos(nowNanos), gates.idleNanos(nowNanos)));
        if (closing) {
            return Math.max(1, Math.min(sleep, Math.min(LOOK_NANOS, drainDeadlineNanos - nowNanos)));
        }
        if (!deliveries.lanes().isEmpty()) {
            // One may start again because of what time it is.
            sleep = Math.min(sleep, Math.min(LOOK_NANOS, deliveries.nanosToOpen()));
        }
        long idle = Math.min(watch.idleNanos(liveCount, nowNanos), retention.idleNanos(nowNanos));
        return options.mayDeliver() ? Math.min(sleep, Math.min(idle, ahead.nextDueNanos())) : sleep;
    }

    private void startClosing() {
        if (!closing) {
            closing = true;
            deliveries.stop();
            polls.close();
            bulks.stop();
            calendar.handOver();
            drainDeadlineNanos = clock.monoNanos() + options.drainTimeout().toNanos();
        }
    }

    private boolean canClose() {
        boolean drained = deliveries.inFlight() == 0 && submissions.isQuiet() && owners.isQuiet();
        boolean isLate = clock.monoNanos() - drainDeadlineNanos >= 0;
        return (drained || isLate) && calendar.isQuiet() && bulks.areDone() && gates.areSettled();
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
        guarded(() -> bulks.fail(new StoreFailedException("the engine stopped: " + cause, true, cause)));
        guarded(() -> polls.fail(Objects.requireNonNull(failure)));
        guarded(owners::giveUp);
        if (first) {
            guarded(() -> options.listener().stopped(cause));
        }
        return first ? 0 : LOOK_NANOS;
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
        // One of them may have begun a run.
        guarded(() -> bulks.fail(new StoreFailedException("the engine stopped: " + reason, true, reason)));
        refuseCommands(reason);
        if (!closing || !calendar.isQuiet()) {
            return LOOK_NANOS;
        }
        return end();
    }

    private void refuseCommands(RuntimeException reason) {
        submissions.giveUp();
        for (Inbox.Command command = inbox.next(); command != null; command = inbox.next()) {
            command.refuse(reason);
        }
    }

    private long end() {
        owners.giveUp();
        bulks.endUnbegun();
        // Reads that nobody made room for in time, and what is behind them.
        refuseCommands(new IllegalStateException("the engine is closed"));
        failures.flush(clock.monoNanos());
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
