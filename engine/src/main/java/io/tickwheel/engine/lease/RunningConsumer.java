package io.tickwheel.engine.lease;

import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.Answers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer inside this program: polls, hands what it is given to a handler, extends what it holds, and tells how it went. Owned by the loop, but for the calls of
 * the handler and {@link #closeAsync}.
 *
 * <pre>
 *   poll -> held, and waiting -> begun on a thread for user code -> acknowledged, postponed, buried or failed
 *                          '--- given back when it is closed first
 * </pre>
 */
final class RunningConsumer extends Alarms.Alarm implements LeaseConsumer {

    private static final Logger LOG = LoggerFactory.getLogger(RunningConsumer.class);

    /** How long after a poll was refused the next one follows: the queue may have a target for now. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A lease is extended when so much of it has passed, so that it lasts although that comes late. */
    private static final int EXTENDED_AFTER = 3;

    private final Consumers engine;
    private final String queue;
    private final ConsumerOptions options;
    private final TimerHandler handler;
    private final Duration period;
    private final ArrayDeque<Lease> waiting = new ArrayDeque<>();

    /** By the ids of leases. */
    private final Map<String, LeaseTerm> held = new HashMap<>();

    private final DrainLimit limit = new DrainLimit();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Read by the threads of the handler. */
    private volatile boolean closing;

    private @Nullable Poll poll;
    private final Pause pause = new Pause();
    private int running;

    /** Follows a poll that was refused; an alarm of its own, as leases are extended meanwhile. */
    private final class Pause extends Alarms.Alarm {

        @Override
        public void ring() {
            goOn();
        }
    }

    /** Rings when a close has waited long enough. */
    private final class DrainLimit extends Alarms.Alarm {

        @Override
        public void ring() {
            held.clear();
            end();
        }
    }

    RunningConsumer(Consumers engine, String queue, ConsumerOptions options, TimerHandler handler) {
        this.engine = engine;
        this.queue = queue;
        this.options = options;
        this.handler = handler;
        this.period = options.ttl().dividedBy(EXTENDED_AFTER);
        var unused = engine.engineClosed().whenComplete((done, failure) -> closed.complete(null));
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        engine.inbox().note(this::startClosing);
        return closed.copy();
    }

    // ---- on the loop

    /** Has as many timers begin as may, and asks for more. */
    void goOn() {
        while (!waiting.isEmpty() && running < options.concurrency()) {
            Lease next = waiting.remove();
            LeaseTerm holding = held.get(next.id());
            if (holding == null || holding.hasExpired(engine.clock().monoNanos())) {
                giveBack(next);
            } else {
                begin(next);
            }
        }
        if (!closing && !pause.isScheduled() && poll == null && held.size() < options.max()) {
            ask();
        }
    }

    private void ask() {
        Poll asked = new Poll(
                new LeaseRequest(queue, options.max() - held.size(), LeaseRequest.LONGEST_WAIT, options.ttl()));
        poll = asked;
        var unused = asked.future.whenComplete(
                (leases, failure) -> engine.inbox().note(() -> answered(asked, leases, failure)));
        engine.polls().add(asked);
    }

    private void answered(Poll asked, @Nullable List<Lease> leases, @Nullable Throwable failure) {
        if (closing || poll != asked) {
            if (leases != null) {
                engine.polls().takeBack(leases);
            }
            return;
        }
        poll = null;
        if (leases == null) {
            LOG.debug("{}: timers were not leased: {}", queue, String.valueOf(failure));
            engine.alarms().set(pause, PAUSE);
            return;
        }
        if (engine.polls().isClosed()) {
            // The engine is about to close, and answers each poll at once.
            engine.polls().takeBack(leases);
            return;
        }
        for (Lease lease : leases) {
            waiting.add(lease);
            held.put(lease.id(), new LeaseTerm(options.ttl(), period, asked.sinceNanos()));
        }
        if (!held.isEmpty() && !isScheduled()) {
            long passedNanos = engine.clock().monoNanos() - asked.sinceNanos();
            engine.alarms().set(this, Duration.ofNanos(Math.max(0, period.toNanos() - passedNanos)));
        }
        goOn();
    }

    /** Extends what is held. */
    @Override
    public void ring() {
        long nowNanos = engine.clock().monoNanos();
        held.forEach((id, lease) -> {
            if (lease.wantsExtension(nowNanos)) {
                // What is refused is not given back at once: leases are being extended.
                Runnable gone = () -> engine.inbox().note(() -> refused(id));
                engine.leases().extend(id, options.ttl(), lease.ask(nowNanos, gone));
            }
        });
        if (!held.isEmpty()) {
            engine.alarms().set(this, period.compareTo(PAUSE) < 0 ? period : PAUSE);
        }
        goOn();
    }

    /** A lease does not last any longer: what waits is not begun, as its timer was cancelled, or somebody else has it. */
    private void refused(String id) {
        for (Lease lease : List.copyOf(waiting)) {
            if (lease.id().equals(id)) {
                waiting.remove(lease);
                giveBack(lease);
                goOn();
            }
        }
    }

    private void giveBack(Lease lease) {
        held.remove(lease.id());
        engine.polls().takeBack(List.of(lease));
    }

    private void begin(Lease lease) {
        running++;
        try {
            engine.handlers().execute(() -> work(lease));
        } catch (RuntimeException | Error e) {
            // No thread: this attempt has failed, and may be made again.
            engine.inbox().note(() -> ended(lease, () -> fail(lease, e.toString())));
        }
    }

    private void ended(Lease lease, Runnable outcome) {
        running--;
        held.remove(lease.id());
        outcome.run();
        if (closing && running == 0) {
            end();
        }
        goOn();
    }

    private void fail(Lease lease, String reason) {
        engine.leases().nack(lease.id(), null, reason, Answers.ignored());
    }

    private void startClosing() {
        if (closing) {
            return;
        }
        closing = true;
        Poll asked = poll;
        if (asked != null) {
            asked.future.cancel(false);
            engine.polls().withdraw(asked);
        }
        engine.polls().takeBack(List.copyOf(waiting));
        waiting.forEach(lease -> held.remove(lease.id()));
        waiting.clear();
        if (running == 0) {
            end();
        } else {
            engine.alarms().set(limit, options.drain());
        }
    }

    private void end() {
        engine.alarms().callOff(this);
        engine.alarms().callOff(pause);
        engine.alarms().callOff(limit);
        engine.replies().add(() -> closed.complete(null));
    }

    // ---- on a thread for user code

    private void work(Lease lease) {
        Runnable outcome = closing ? () -> engine.polls().takeBack(List.of(lease)) : handled(lease);
        engine.inbox().note(() -> ended(lease, outcome));
    }

    /** Returns what follows on the loop. */
    private Runnable handled(Lease lease) {
        String id = lease.id();
        LeaseCalls leases = engine.leases();
        try {
            handler.handle(lease.attempt());
            return () -> leases.acknowledge(id, Answers.ignored());
        } catch (InterruptedException e) {
            // Reported as a failed attempt, which is made again; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            return () -> fail(lease, "interrupted");
        } catch (TryAgainAtException e) {
            return () -> leases.postpone(id, e.until(), String.valueOf(e.getMessage()));
        } catch (NeverAgainException e) {
            return () -> leases.bury(id, String.valueOf(e.getMessage()), Answers.ignored());
        } catch (Exception | Error e) {
            String reason = e.toString();
            return () -> fail(lease, reason);
        }
    }
}
