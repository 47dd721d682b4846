package io.tickwheel.engine;

import io.tickwheel.store.Calendar;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The consumers that wait for leases, queue by queue, and what they want. Owned by the loop.
 *
 * <pre>
 *   poll -> its queue is asked for -> due timers are claimed, as many as are wanted -> granted -> gathered -> answer
 *                                                                                                  when the poll is full, or nothing more comes for it
 * </pre>
 *
 * Timers of a queue are loaded while somebody asks, and {@link #STAYS} longer, so that a consumer that works on what it was given finds the next ones at hand.
 */
final class Polls {

    /** How long the timers of a queue stay loaded after the last poll. */
    static final Duration STAYS = Duration.ofSeconds(5);

    /** How long what is on its way keeps a poll from its answer. */
    static final Duration GRACE = Duration.ofMillis(250);

    static final int MOST = 10_000;

    private final Calendar calendar;
    private final Inbox inbox;
    private final Replies replies;
    private final Destinations destinations;
    private final Alarms alarms;
    private final LeaseCredits credits;
    private final Leases leases;
    private final Map<String, PulledQueue> queues = new HashMap<>();

    /** The queues of which the first poll has something. */
    private final Set<PulledQueue> gathering = new LinkedHashSet<>();

    /** The polls whose wait is over and that have nothing. */
    private final Set<Poll> ending = new LinkedHashSet<>();

    private Consumer<String> changed = queue -> {};
    private int waiting;
    private boolean closed;

    Polls(
            Calendar calendar,
            Inbox inbox,
            Replies replies,
            Destinations destinations,
            Alarms alarms,
            LeaseCredits credits,
            Leases leases) {
        this.calendar = calendar;
        this.inbox = inbox;
        this.replies = replies;
        this.destinations = destinations;
        this.alarms = alarms;
        this.credits = credits;
        this.leases = leases;
    }

    /** Learns who is to be told the name of each queue that is asked for, or not any more. To be called once, before the first turn. */
    void start(Consumer<String> told) {
        changed = told;
    }

    /** Whether somebody asks for timers of a queue, or has a moment ago. */
    boolean isAsked(String queue) {
        return queues.containsKey(queue);
    }

    /** Whether each poll is answered with nothing, as the engine ends. */
    boolean isClosed() {
        return closed;
    }

    /** What is wanted of a queue; null when its timers are not leased. */
    @Nullable
    PullDemand find(String queue) {
        return destinations.isPulled(queue) ? queues.get(queue) : null;
    }

    /** Takes a poll, which may be answered at once. */
    void add(Poll poll) {
        if (poll.future.isDone()) {
            return;
        }
        String name = poll.request.queue();
        if (destinations.ofQueue(name) != null && !destinations.isPulled(name)) {
            refuse(poll, new QueueNotPulledException(name));
        } else if (waiting == MOST) {
            refuse(poll, new OverloadedException(MOST + " polls wait, no more can"));
        } else if (closed) {
            reply(poll, List.of());
        } else {
            enter(poll, queues.computeIfAbsent(name, unknown -> new PulledQueue(name, credits, this::unasked)));
            changed.accept(name);
        }
    }

    private void enter(Poll poll, PulledQueue queue) {
        poll.enter(queue, this::ring);
        queue.add(poll);
        waiting++;
        alarms.callOff(queue);
        if (poll.request.waitFor().isZero()) {
            end(poll);
        } else {
            alarms.set(poll, poll.request.waitFor());
        }
    }

    /** What is on its way when the wait is over still comes, if it comes soon. */
    private void end(Poll poll) {
        poll.ending = true;
        ending.add(poll);
        alarms.set(poll, GRACE);
    }

    private void ring(Poll poll) {
        if (poll.gathered.isEmpty() && !poll.ending) {
            end(poll);
        } else {
            answer(poll);
        }
    }

    /** Gives the poll that is served a lease of an attempt that was granted for its queue. */
    void grant(InFlight attempt, PullDemand demand) {
        PulledQueue queue = Objects.requireNonNull(queues.get(demand.name));
        Poll poll = queue.first();
        assert poll != null : "granted without a poll";
        queue.granted(poll, leases.hold(attempt));
        if (poll.isFull()) {
            answer(poll);
        } else {
            gathering.add(queue);
            if (poll.gathered.size() == 1) {
                ending.remove(poll);
                alarms.set(poll, GRACE);
            }
        }
    }

    /** Answers the polls for which nothing more is on its way. To be called at the end of each turn of the loop. */
    void work(long nowMs) {
        gathering.removeIf(this::answerFirst);
        if (!ending.isEmpty() && calendar.loadedTo() > nowMs) {
            for (Poll poll : List.copyOf(ending)) {
                if (poll.queue != null && !poll.queue.isClaiming()) {
                    answer(poll);
                }
            }
        }
    }

    private boolean answerFirst(PulledQueue queue) {
        if (queue.hasMoved() || queue.isClaiming()) {
            return false;
        }
        Poll first = queue.first();
        if (first != null && !first.gathered.isEmpty()) {
            answer(first);
        }
        return true;
    }

    /** Takes back a poll whose consumer has gone. */
    void withdraw(Poll poll) {
        if (leave(poll)) {
            leases.undo(poll.gathered);
        }
    }

    /** Refuses the polls of a queue whose timers go elsewhere now. */
    void refuse(String queue) {
        PulledQueue pulled = queues.get(queue);
        if (pulled != null) {
            for (Poll poll : pulled.polls()) {
                if (poll.gathered.isEmpty()) {
                    leave(poll);
                    refuse(poll, new QueueNotPulledException(queue));
                } else {
                    answer(poll);
                }
            }
        }
    }

    /** Answers all polls, and from now on each: with nothing. What was gathered for them is as if it had not been claimed. */
    void close() {
        closed = true;
        for (PulledQueue queue : queues.values()) {
            for (Poll poll : queue.polls()) {
                withdraw(poll);
                reply(poll, List.of());
            }
        }
    }

    /** Fails all polls. */
    void fail(RuntimeException reason) {
        for (PulledQueue queue : queues.values()) {
            for (Poll poll : queue.polls()) {
                leave(poll);
                refuse(poll, reason);
            }
        }
    }

    private void answer(Poll poll) {
        leave(poll);
        reply(poll, leases.give(poll.gathered, poll.request.ttl()));
    }

    private boolean leave(Poll poll) {
        PulledQueue queue = poll.queue;
        if (queue == null) {
            return false;
        }
        poll.queue = null;
        queue.remove(poll);
        waiting--;
        ending.remove(poll);
        alarms.callOff(poll);
        if (!queue.hasPolls()) {
            alarms.set(queue, STAYS);
        }
        return true;
    }

    private void unasked(PulledQueue queue) {
        queues.remove(queue.name);
        changed.accept(queue.name);
    }

    private void reply(Poll poll, List<Lease> given) {
        replies.add(() -> {
            if (!poll.future.complete(given)) {
                inbox.note(() -> leases.takeBack(given));
            }
        });
    }

    private void refuse(Poll poll, RuntimeException reason) {
        replies.add(() -> poll.future.completeExceptionally(reason));
    }
}
