package io.tickwheel.engine.delivery;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.attempt.AttemptEnds;
import io.tickwheel.engine.attempt.Attempts;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.attempt.FailureLog;
import io.tickwheel.engine.attempt.InFlight;
import io.tickwheel.engine.attempt.Targets;
import io.tickwheel.engine.due.Credits;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.DueTimer;
import io.tickwheel.engine.due.DueWheel;
import io.tickwheel.engine.due.HeldBackLanes;
import io.tickwheel.engine.due.LaneRound;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.due.StartGates;
import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.lease.Polls;
import io.tickwheel.engine.plan.Plans;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * From due to done: claims due timers within the credits, gives them to their targets and tells the calendar how it went. Lanes
 * take turns, one timer each, in two rounds: those with fresh timers and those with a backlog, of which each starts half of what is
 * started. Owned by the loop, but for {@link #bring}.
 */
public final class Deliveries implements InFlight.Outcomes, Plans.Claims {

    private static final int STARTS_A_TURN = 512;

    /**
     * So many attempts more than the policy says are made when attempts are cut off by the death of their node, where the store
     * counts these: a node may die for another reason, but a timer that kills each node must come to an end.
     */
    private static final int ATTEMPTS_CUT_OFF = 10;

    private final Inbox inbox;
    private final EngineOptions options;
    private final Clock clock;
    private final Calendar calendar;
    private final DueWheel wheel;
    private final Destinations destinations;
    private final Targets targets;
    private final Polls polls;
    private final AttemptEnds ends;
    private final Plans plans;
    private final Credits credits;
    private final DueLanes lanes;

    /** Suspended lanes of which all timers that were kept are gone. */
    private final ArrayDeque<DueLane> idleSuspended = new ArrayDeque<>();

    private final StartGates gates;
    private final HeldBackLanes heldBack = new HeldBackLanes();
    private final LaneRound fresh = new LaneRound(true, heldBack, this::dropWhenIdle);
    private final LaneRound backlog = new LaneRound(false, heldBack, this::dropWhenIdle);
    private boolean backlogIsNext;
    private boolean stopped;

    public Deliveries(
            Inbox inbox,
            EngineOptions options,
            Clock clock,
            Calendar calendar,
            DueWheel wheel,
            Destinations destinations,
            Targets targets,
            Polls polls,
            StartGates gates,
            FailureLog failures,
            Consumer<String> runMade) {
        this.inbox = inbox;
        this.options = options;
        this.clock = clock;
        this.calendar = calendar;
        this.wheel = wheel;
        this.destinations = destinations;
        this.targets = targets;
        this.polls = polls;
        this.gates = gates;
        this.lanes = new DueLanes(destinations, polls, gates);
        this.ends = new AttemptEnds(calendar, clock, options, failures);
        this.plans = new Plans(calendar, clock, inbox, destinations, options.listener(), this, runMade);
        this.credits = new Credits(options.attemptsInAll(), options.attemptsPerQueue(), options.attemptBytes());
    }

    /** Attempts that run or are being claimed, but for those that are leased. */
    public int inFlight() {
        return credits.inFlight();
    }

    /** How many timers were given up so far. */
    public long deaths() {
        return ends.deaths();
    }

    /** The lanes that have timers that are due, or attempts. */
    public Collection<DueLane> lanes() {
        return lanes.all();
    }

    @Nullable
    DueLane find(Lane lane) {
        return lanes.find(lane);
    }

    /** Lets no attempt start from now on. */
    public void stop() {
        stopped = true;
        plans.stop();
    }

    /** Takes a timer that has just become due, or was overdue when it was loaded. */
    public void due(DueTimer due, long nowMs) {
        DueLane lane = lanes.get(due.timer.lane());
        lane.add(due, nowMs, clock.monoNanos());
        enterRounds(lane);
    }

    /** Lets go of a timer that was cancelled or replaced after it became due and before it was claimed. */
    void withdraw(DueTimer due) {
        DueLane lane = due.lane();
        if (due.isClaiming()) {
            endClaim(lane, due);
            notStarted(lane, due);
        } else if (due.isWaiting()) {
            due.leave();
            dropWhenIdle(lane);
        }
    }

    /** Whether nothing is to be loaded of a lane, because none of its running attempts ends. */
    boolean isSuspended(Lane lane) {
        DueLane known = lanes.find(lane);
        return known != null && known.isSuspended();
    }

    /**
     * Suspends lanes of which no attempt has started or ended for a second though timers wait, and those that are held back: they keep a few of these for when
     * one does, and give the places of the others back. To be called now and then; O(lanes).
     */
    void suspendStalled() {
        long nowNanos = clock.monoNanos();
        for (DueLane lane : lanes.all()) {
            if (!lane.isSuspended() && lane.isStalled(nowNanos)) {
                lane.suspend();
                calendar.suspend(lane.lane);
                unloadAllBut(lane.keptWhenSuspended(), lane);
            }
        }
    }

    private void unloadAllBut(int kept, DueLane lane) {
        lane.forgetAllBut(kept, due -> {
            due.timer.attach(null);
            calendar.unload(due.timer);
        });
    }

    /** Takes note that the timers of a queue that name no destination go elsewhere, or nowhere. To be called before the calendar is told. */
    public void destinationChanged(String queue) {
        DueLane lane = lanes.destinationChanged(queue);
        if (lane != null) {
            leaveHeldBack(lane, clock.monoNanos());
        }
    }

    /** Lets go of the timers of a lane that have nowhere to go. */
    public void unload(Lane lane) {
        DueLane known = lanes.find(lane);
        if (known != null) {
            unloadAllBut(0, known);
            dropWhenIdle(known);
        }
    }

    /** Has timers of a lane loaded that are asked for now. */
    public void resume(Lane lane) {
        DueLane known = lanes.find(lane);
        if (known != null) {
            resume(known);
        }
    }

    /** Nothing is loaded again for a queue or a lane that starts one now and then, as long as some are at hand. */
    private void resume(DueLane lane) {
        if (!lane.isSuspended()) {
            return;
        }
        boolean isSlow = lane.isHeldBack() || lane.credits.gate().isLimited(clock.wallMs());
        if (lane.waiting() == 0 || !isSlow) {
            lane.resume();
            if (destinations.has(lane.lane)) {
                calendar.resume(lane.lane);
            }
        }
    }

    private void resumeIdle() {
        for (DueLane lane = idleSuspended.poll(); lane != null; lane = idleSuspended.poll()) {
            if (lane.isIdle()) {
                resume(lane);
                dropWhenIdle(lane);
            }
        }
    }

    /** Starts attempts, as many as the credits and the limit of a turn allow; returns how many claims were asked for. */
    public int start(long nowMs) {
        long nowNanos = clock.monoNanos();
        resumeIdle();
        gates.begin();
        for (DueLane lane = heldBack.next(nowNanos); lane != null; lane = heldBack.next(nowNanos)) {
            enterRounds(lane);
        }
        fresh.begin(credits);
        backlog.begin(credits);
        fresh.forEach(lane -> {
            lane.age(nowMs);
            backlog.enter(lane);
        });
        int started = 0;
        while (started < STARTS_A_TURN) {
            LaneRound first = backlogIsNext ? backlog : fresh;
            LaneRound second = backlogIsNext ? fresh : backlog;
            DueTimer next = first.next(credits, nowMs, nowNanos);
            if (next == null) {
                next = second.next(credits, nowMs, nowNanos);
            }
            if (next == null) {
                break;
            }
            backlogIsNext = !backlogIsNext;
            claim(next, nowMs, nowNanos);
            started++;
        }
        assert lanes.areInOrder();
        return started;
    }

    /** In how many nanoseconds an attempt may start that was refused for its time, whose lane is held back, or was not looked at. */
    public long nanosToOpen() {
        return Math.min(
                Math.min(gates.nanosToOpen(), backlog.nanosToLookOn()), heldBack.nanosToNext(clock.monoNanos()));
    }

    private void claim(DueTimer due, long nowMs, long nowNanos) {
        DueLane lane = due.lane();
        due.leave();
        enterRounds(lane);
        if (due.timer.attemptAtMs() > nowMs) {
            wheel.schedule(due);
            dropWhenIdle(lane);
            return;
        }
        due.beginClaim(lane.pulled());
        credits.take(lane, due.contentBytes(), nowNanos);
        resume(lane);
        calendar.claim(due.timer, claimed -> granted(lane, due, claimed));
    }

    private void endClaim(DueLane lane, DueTimer due) {
        due.endClaim();
        credits.claimed(lane);
    }

    private void granted(DueLane lane, DueTimer due, ClaimedTimer claimed) {
        endClaim(lane, due);
        long nowMs = clock.wallMs();
        if (stopped
                || claimed.view().attemptAtMs() > nowMs
                || lane.credits.gate().isPaused()
                || isUnwanted(lane, due)) {
            giveBack(lane, due);
            return;
        }
        due.timer.attach(null);
        due.granted(claimed.token());
        TimerContent content = ends.contentOf(claimed);
        if (content == null) {
            endedUnstarted(lane, due);
            return;
        }
        Destination destination =
                content.destination() != null ? content.destination() : destinations.ofQueue(lane.lane.queue());
        boolean isPulled = content.destination() == null && destinations.isPulled(lane.lane.queue());
        if (destination == null || (isPulled && due.pulled() == null)) {
            calendar.reroute(due.timer, Lane.QUEUE_ROUTE);
            notStarted(lane, due);
            return;
        }
        if (content.plan() != null) {
            plans.granted(lane, due, claimed, content);
            return;
        }
        Attempt attempt = Attempts.of(claimed.view(), content, destination, nowMs, lane.credits.settings());
        InFlight started = new InFlight(
                this,
                attempt,
                due,
                lane,
                lane.credits.retry(content, options.retry()),
                lane.credits.expiresAtMs(claimed.view(), content),
                nowMs,
                clock.monoNanos());
        if (nowMs > started.expiresAtMs) {
            ends.expire(started, null);
            endedUnstarted(lane, due);
        } else if (attempt.number() > started.retry.maxAttempts() + ATTEMPTS_CUT_OFF) {
            ends.giveUp(started, "its attempts never ended: the last nodes that made one died, or stalled");
            endedUnstarted(lane, due);
        } else if (due.pulled() != null) {
            polls.grant(started, due.pulled());
        } else {
            targets.deliver(started, destination);
        }
    }

    /** Takes note that a timer has ended instead of being attempted. */
    private void endedUnstarted(DueLane lane, DueTimer due) {
        plans.ended(due.timer.key());
        notStarted(lane, due);
    }

    /** Whether a timer was claimed for a poll that is gone, or is to be leased and was not claimed for a poll. */
    private boolean isUnwanted(DueLane lane, DueTimer due) {
        return due.pulled() != null ? !due.pulled().takes() : lane.pulled() != null;
    }

    @Override
    public void giveBack(DueLane lane, DueTimer due) {
        due.timer.attach(due);
        if (calendar.release(due.timer)) {
            wheel.schedule(due);
        } else {
            due.timer.attach(null);
        }
        notStarted(lane, due);
    }

    @Override
    public void notStarted(DueLane lane, DueTimer due) {
        long nowNanos = clock.monoNanos();
        lane.noteNotStarted(nowNanos);
        leaveHeldBack(lane, nowNanos);
        lane.credits.gate().giveBack();
        if (due.pulled() != null) {
            due.pulled().notGranted(due.contentBytes());
            credits.giveBackLeased(lane);
            dropWhenIdle(lane);
        } else {
            freeCredit(lane, due.contentBytes());
        }
    }

    @Override
    public void bring(InFlight ended) {
        inbox.note(ended);
    }

    @Override
    public boolean settle(InFlight ended, InFlight.Outcome outcome) {
        PullDemand pulled = ended.pulled;
        if (outcome == InFlight.Outcome.UNUSED) {
            putBack(ended);
            return true;
        }
        boolean counts = ends.settle(ended, outcome);
        plans.ended(ended.attempt().timer());
        long nowNanos = clock.monoNanos();
        ended.lane.noteEnd(ended.startedNanos, ended.towards, ended.hasReached(), nowNanos);
        leaveHeldBack(ended.lane, nowNanos);
        resume(ended.lane);
        if (pulled != null) {
            pulled.ended();
            credits.giveBackLeased(ended.lane);
            dropWhenIdle(ended.lane);
        } else {
            freeCredit(ended.lane, ended.contentBytes);
        }
        return counts;
    }

    /** Undoes a grant that no consumer has seen. */
    private void putBack(InFlight unused) {
        if (calendar.release(unused.timer)) {
            DueTimer due = new DueTimer(unused.timer);
            unused.timer.attach(due);
            wheel.schedule(due);
        }
        unused.lane.credits.gate().giveBack();
        Objects.requireNonNull(unused.pulled).unused(unused.contentBytes);
        credits.giveBackLeased(unused.lane);
        dropWhenIdle(unused.lane);
    }

    private void freeCredit(DueLane lane, int contentBytes) {
        credits.giveBack(lane, contentBytes);
        dropWhenIdle(lane);
    }

    /** Has a lane take its turn again that was held back and is not any more. */
    private void leaveHeldBack(DueLane lane, long nowNanos) {
        if (heldBack.release(lane, nowNanos)) {
            enterRounds(lane);
        }
    }

    private void enterRounds(DueLane lane) {
        fresh.enter(lane);
        backlog.enter(lane);
    }

    private void dropWhenIdle(DueLane lane) {
        if (lane.isSuspended()) {
            // Nothing that starts or ends would resume it. Not at once: the calendar may be about to change the lane.
            if (lane.isIdle()) {
                idleSuspended.add(lane);
            }
        } else if (lane.isIdle() && !lane.isInRound()) {
            heldBack.forget(lane);
            lanes.drop(lane);
        }
    }

    /** Takes the settings of a queue, for the attempts that start from now on. */
    public void settingsChanged(String queue) {
        lanes.settingsChanged(queue);
    }
}
