package io.tickwheel.engine;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * From due to done: claims due timers within the credits, gives them to their targets and tells the calendar how it went. The
 * lanes that have work take turns, one timer each. Owned by the loop.
 */
final class Deliveries {

    private static final int STARTS_A_TURN = 512;

    /**
     * So many attempts more than the policy says are made when attempts are cut off by the death of their node, where the store
     * counts these: a node may die for another reason, but a timer that kills each node must come to an end.
     */
    private static final int ATTEMPTS_CUT_OFF = 10;

    private final Shard shard;
    private final ShardOptions options;
    private final Clock clock;
    private final Calendar calendar;
    private final DueIndex index;
    private final HandlerTarget handlers;
    private final Map<String, Lane> lanes = new HashMap<>();
    private final ArrayDeque<Lane> round = new ArrayDeque<>();
    private int inFlight;
    private boolean stopped;

    Deliveries(
            Shard shard, ShardOptions options, Clock clock, Calendar calendar, DueIndex index, HandlerTarget handlers) {
        this.shard = shard;
        this.options = options;
        this.clock = clock;
        this.calendar = calendar;
        this.index = index;
        this.handlers = handlers;
    }

    /** Attempts that run or are being claimed. */
    int inFlight() {
        return inFlight;
    }

    /** From now on no attempt starts. */
    void stop() {
        stopped = true;
    }

    /** Where timers of a queue go that name no destination; those that wait for one go there now. */
    void setDestination(String queue, Destination destination) {
        Lane lane = lane(queue);
        lane.destination = destination;
        for (DueTimer due = lane.homeless.poll(); due != null; due = lane.homeless.poll()) {
            lane.addReady(due, clock.wallMs());
        }
        enterRound(lane);
    }

    /** Takes a timer that has just become due, or was overdue when it was loaded. */
    void due(DueTimer due, long nowMs) {
        Lane lane = lane(due.timer.queue());
        due.lane = lane;
        lane.addReady(due, nowMs);
        enterRound(lane);
    }

    /** Lets go of a timer that was cancelled or replaced after it became due and before it was claimed. */
    void withdraw(DueTimer due) {
        Lane lane = Objects.requireNonNull(due.lane);
        if (due.claiming) {
            due.claiming = false;
            freeCredit(lane);
        } else if (due.list != null) {
            due.list.remove(due);
            dropWhenIdle(lane);
        }
    }

    /** Starts attempts, as many as the credits and the limit of a turn allow; returns how many claims were asked for. */
    int start(long nowMs) {
        int started = 0;
        int passedOver = 0;
        while (started < STARTS_A_TURN && inFlight < options.attemptsInAll() && passedOver < round.size()) {
            Lane lane = round.remove();
            if (!mayStart(lane)) {
                round.addLast(lane);
                passedOver++;
                continue;
            }
            passedOver = 0;
            lane.inRound = false;
            DueTimer due = lane.pollReady();
            if (due != null) {
                claim(lane, due, nowMs);
                started++;
            }
            enterRound(lane);
            dropWhenIdle(lane);
        }
        return started;
    }

    /** The last quarter of the credits is kept for lanes that hold few: targets that hang must not hold up all others. */
    private boolean mayStart(Lane lane) {
        return inFlight < options.attemptsInAll() - options.attemptsInAll() / 4
                || lane.inFlight < Math.max(1, options.attemptsPerQueue() / 16);
    }

    private void claim(Lane lane, DueTimer due, long nowMs) {
        if (due.timer.dueAtMs() > nowMs) {
            index.schedule(due);
            return;
        }
        lane.inFlight++;
        inFlight++;
        due.claiming = true;
        calendar.claim(due.timer, claimed -> granted(lane, due, claimed));
    }

    private void granted(Lane lane, DueTimer due, ClaimedTimer claimed) {
        due.claiming = false;
        long nowMs = clock.wallMs();
        if (stopped || claimed.view().dueAtMs() > nowMs) {
            if (release(due)) {
                index.schedule(due);
            }
            freeCredit(lane);
            return;
        }
        TimerContent content = content(lane, due, claimed);
        if (content == null) {
            return;
        }
        Destination destination = content.destination() != null ? content.destination() : lane.destination;
        if (destination == null) {
            if (release(due)) {
                lane.homeless.addLast(due);
            }
            freeCredit(lane);
            return;
        }
        index.claimed(due);
        Attempt attempt = attempt(claimed.view(), content, destination, nowMs);
        Duration expireAfter = content.expireAfter();
        if (expireAfter != null && attempt.lateness().compareTo(expireAfter) > 0) {
            calendar.finish(due.timer, TimerState.EXPIRED);
            options.listener().expired(attempt);
            freeCredit(lane);
            return;
        }
        RetryPolicy retry = content.retry() != null ? content.retry() : options.retry();
        if (attempt.number() > retry.maxAttempts() + ATTEMPTS_CUT_OFF) {
            calendar.finish(due.timer, TimerState.DEAD);
            options.listener().dead(attempt, "its attempts never ended: the last nodes that made one died, or stalled");
            freeCredit(lane);
            return;
        }
        deliver(new InFlight(shard, attempt, due.timer, lane, retry), destination);
    }

    private boolean release(DueTimer due) {
        boolean stays = calendar.release(due.timer);
        if (!stays) {
            index.claimed(due);
        }
        return stays;
    }

    /** Null for content that cannot be read: that timer is dead, and kept, and the others go on. */
    private @Nullable TimerContent content(Lane lane, DueTimer due, ClaimedTimer claimed) {
        try {
            return TimerContent.decode(claimed.content());
        } catch (RuntimeException e) {
            index.claimed(due);
            TimerView view = claimed.view();
            Destination unknown = new Destination("unknown", "");
            Attempt attempt = attempt(view, TimerContent.EMPTY, unknown, clock.wallMs());
            calendar.finish(claimed.handle(), TimerState.DEAD);
            options.listener().dead(attempt, "the content cannot be read: " + e.getMessage());
            freeCredit(lane);
            return null;
        }
    }

    private static Attempt attempt(TimerView view, TimerContent content, Destination destination, long nowMs) {
        return new Attempt(
                view.key(),
                view.id(),
                view.version(),
                view.attempts(),
                Instant.ofEpochMilli(view.dueAtMs()),
                Duration.ofMillis(nowMs - view.dueAtMs()),
                content.payload(),
                content.contentType(),
                content.headers(),
                destination);
    }

    private void deliver(InFlight attempt, Destination destination) {
        Target target = destination.target().equals(HandlerTarget.NAME)
                ? handlers
                : options.targets().get(destination.target());
        options.listener().started(attempt.attempt);
        if (target == null) {
            attempt.fail("there is no target named " + destination.target());
            return;
        }
        try {
            target.deliver(attempt.attempt, attempt);
        } catch (RuntimeException | Error e) {
            // Whatever a target does, the loop goes on; an attempt that could not be handed over has failed.
            attempt.fail(e.toString());
        }
    }

    /** Takes the outcome of an attempt. */
    void ended(InFlight ended, InFlight.Outcome outcome, String reason, Duration wait) {
        Attempt attempt = ended.attempt;
        switch (outcome) {
            case ACKNOWLEDGED -> {
                calendar.finish(ended.timer, TimerState.COMPLETED);
                options.listener().delivered(attempt);
            }
            case REJECTED -> giveUp(ended, reason);
            case FAILED -> {
                if (attempt.number() >= ended.retry.maxAttempts()) {
                    giveUp(ended, reason);
                } else {
                    long delayMs = ended.retry.delayMs(
                            attempt.number(), options.random().getAsLong());
                    calendar.retry(ended.timer, clock.wallMs() + Math.max(delayMs, wait.toMillis()));
                    options.listener().failed(attempt, reason);
                }
            }
        }
        freeCredit(ended.lane);
    }

    private void giveUp(InFlight ended, String reason) {
        calendar.finish(ended.timer, TimerState.DEAD);
        options.listener().dead(ended.attempt, reason);
    }

    private void freeCredit(Lane lane) {
        lane.inFlight--;
        inFlight--;
        enterRound(lane);
        dropWhenIdle(lane);
    }

    private void dropWhenIdle(Lane lane) {
        if (lane.isIdle() && !lane.inRound) {
            lanes.remove(lane.queue);
        }
    }

    private void enterRound(Lane lane) {
        if (!lane.inRound && lane.inFlight < options.attemptsPerQueue() && lane.hasReady()) {
            lane.inRound = true;
            round.addLast(lane);
        }
    }

    private Lane lane(String queue) {
        return lanes.computeIfAbsent(queue, name -> new Lane(name, queueDestination(name)));
    }

    private @Nullable Destination queueDestination(String queue) {
        return options.queueDestinations().get(queue);
    }
}
