package io.tickwheel.engine.lease;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.QueueNotPulledException;
import io.tickwheel.engine.attempt.Destinations;
import io.tickwheel.engine.attempt.InFlight;
import io.tickwheel.engine.due.LeaseCredits;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.ContentRoom;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.inbox.Replies;
import io.tickwheel.store.Calendar;
import java.time.Duration;
import java.util.ArrayList;
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
 * What is granted after its poll was answered goes to the next one: if another node had asked, that asks again, and what is granted meanwhile is kept for {@link #GRACE}. What nobody wants is due again
 * at once, as if it had not been claimed.
 *
 * Timers of a queue are loaded while somebody asks, and {@link #STAYS} longer, so that a consumer that works on what it was given finds the next ones at hand.
 */
public final class Polls {

    /** How long the timers of a queue stay loaded after the last poll. */
    public static final Duration STAYS = Duration.ofSeconds(5);

    /** How long what is on its way keeps a poll from its answer. */
    static final Duration GRACE = Duration.ofMillis(250);

    static final int MOST = 10_000;

    private final Calendar calendar;
    private final Inbox inbox;
    private final Replies replies;
    private final ContentRoom contents;
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
    private Lenders lenders = Lenders.NONE;
    private int waiting;
    private boolean closed;

    public Polls(
            Calendar calendar,
            Inbox inbox,
            Replies replies,
            ContentRoom contents,
            Destinations destinations,
            Alarms alarms,
            LeaseCredits credits,
            Leases leases) {
        this.calendar = calendar;
        this.inbox = inbox;
        this.replies = replies;
        this.contents = contents;
        this.destinations = destinations;
        this.alarms = alarms;
        this.credits = credits;
        this.leases = leases;
    }

    /** Learns who is to be told the name of each queue that is asked for, or not any more. To be called once, before the first turn. */
    public void start(Consumer<String> told, Lenders others) {
        changed = told;
        lenders = others;
    }

    /** Whether somebody asks for timers of a queue, or has a moment ago. */
    public boolean isAsked(String queue) {
        return queues.containsKey(queue);
    }

    /** Whether each poll is answered with nothing, as the engine ends. */
    boolean isClosed() {
        return closed;
    }

    /** What is wanted of a queue; null when its timers are not leased. */
    public @Nullable PullDemand find(String queue) {
        return destinations.isPulled(queue) ? queues.get(queue) : null;
    }

    /** Takes a poll, which may be answered at once. */
    public void add(Poll poll) {
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
            enter(poll, queue(name));
            changed.accept(name);
        }
    }

    private PulledQueue queue(String name) {
        return queues.computeIfAbsent(name, unknown -> new PulledQueue(name, credits, this::unasked, this::undoLate));
    }

    /** Takes note that other nodes ask for timers of a queue, too. */
    public void lend(String name) {
        PulledQueue queue = queue(name);
        queue.isLent = true;
        alarms.callOff(queue);
        changed.accept(name);
    }

    /** Takes note that no other node asks for timers of a queue any more. */
    public void lendNoMore(String name) {
        PulledQueue queue = queues.get(name);
        if (queue != null) {
            queue.isLent = false;
            setAlarm(queue);
        }
    }

    /** Has its timers be loaded for a while, if nobody asks. */
    private void setAlarm(PulledQueue queue) {
        if (!queue.hasPolls() && !queue.isLent) {
            alarms.set(queue, STAYS);
        }
    }

    private void enter(Poll poll, PulledQueue queue) {
        poll.enter(queue, this::ring);
        queue.add(poll);
        waiting++;
        alarms.callOff(queue);
        if (poll.isOwn()) {
            lenders.wanted(queue);
        }
        if (poll.request.waitFor().isZero()) {
            end(poll);
        } else {
            alarms.set(poll, poll.request.waitFor());
        }
        queue.giveLate(poll, alarms);
        if (!poll.isEmpty()) {
            gathered(queue, poll, true);
        }
    }

    /** What is on its way when the wait is over still comes, if it comes soon. */
    private void end(Poll poll) {
        poll.ending = true;
        ending.add(poll);
        alarms.set(poll, GRACE);
    }

    private void ring(Poll poll) {
        if (poll.isEmpty() && !poll.ending) {
            end(poll);
        } else {
            answer(poll);
        }
    }

    /** Gives the poll that is served a lease of an attempt that was granted for its queue; the next one, when none wants it any more. */
    public void grant(InFlight attempt, PullDemand demand) {
        PulledQueue queue = Objects.requireNonNull(queues.get(demand.name));
        if (!queue.wants()) {
            queue.keep(leases.hold(attempt), alarms, GRACE);
            return;
        }
        Poll poll = queue.first();
        assert poll != null : "granted without a poll";
        boolean isFirst = poll.isEmpty();
        queue.granted(poll, leases.hold(attempt));
        gathered(queue, poll, isFirst);
    }

    /** Whether consumers have taken enough of what they were given to be given more. */
    public boolean hasRoom() {
        return contents.hasRoomButForExpected();
    }

    /**
     * Gives polls of this node what another one has lent.
     *
     * @param sinceNanos when that was asked for, on the monotonic clock: the leases last since then, or a little longer
     * @return what none of them wants
     */
    public List<Lease> lent(PulledQueue queue, List<Lease> given, Duration ttl, long sinceNanos) {
        List<Lease> left = new ArrayList<>();
        for (Lease lease : given) {
            Poll poll = queue.firstOwn(ttl);
            if (poll == null) {
                left.add(lease);
            } else {
                boolean isFirst = poll.isEmpty();
                queue.lent(poll, lease, sinceNanos);
                gathered(queue, poll, isFirst);
            }
        }
        return left;
    }

    private void gathered(PulledQueue queue, Poll poll, boolean isFirst) {
        if (poll.isFull()) {
            answer(poll);
        } else {
            gathering.add(queue);
            if (isFirst) {
                ending.remove(poll);
                alarms.set(poll, GRACE);
            }
        }
    }

    /** Tells other nodes what is due here, and takes of theirs what polls want. To be called when attempts have started. */
    public void exchange(long nowMs) {
        lenders.work(nowMs);
    }

    /** Answers the polls for which nothing more is on its way. To be called at the end of each turn of the loop. */
    public void work(long nowMs) {
        gathering.removeIf(this::answerFirst);
        if (!ending.isEmpty() && calendar.loadedTo() > nowMs) {
            for (Poll poll : List.copyOf(ending)) {
                if (poll.queue != null && !poll.queue.isClaiming() && !(poll.isOwn() && poll.queue.awaited() > 0)) {
                    answer(poll);
                }
            }
        }
        lenders.send();
    }

    private boolean answerFirst(PulledQueue queue) {
        if (queue.hasMoved() || queue.isClaiming()) {
            return false;
        }
        answerIfItHas(queue.first());
        answerIfItHas(queue.firstOwn());
        return true;
    }

    private void answerIfItHas(@Nullable Poll poll) {
        if (poll != null && !poll.isEmpty()) {
            answer(poll);
        }
    }

    private void undoLate(HeldLease lease) {
        leases.undo(List.of(lease));
    }

    private void undoLate(PulledQueue queue) {
        leases.undo(queue.takeLate(alarms));
    }

    /** Takes back a poll whose consumer has gone. */
    public void withdraw(Poll poll) {
        if (leave(poll)) {
            leases.undo(poll.gathered);
            lenders.giveBack(poll.lent);
        }
    }

    /** Refuses the polls of a queue whose timers go elsewhere now. */
    public void refuse(String queue) {
        PulledQueue pulled = queues.get(queue);
        if (pulled != null) {
            undoLate(pulled);
            for (Poll poll : pulled.polls()) {
                if (poll.isEmpty()) {
                    leave(poll);
                    refuse(poll, new QueueNotPulledException(queue));
                } else {
                    answer(poll);
                }
            }
        }
    }

    /** Answers all polls, and from now on each: with nothing. What was gathered for them is as if it had not been claimed. */
    public void close() {
        closed = true;
        for (PulledQueue queue : queues.values()) {
            undoLate(queue);
            for (Poll poll : queue.polls()) {
                withdraw(poll);
                reply(poll, List.of());
            }
        }
    }

    /** Fails all polls. */
    public void fail(RuntimeException reason) {
        for (PulledQueue queue : queues.values()) {
            for (Poll poll : queue.polls()) {
                leave(poll);
                refuse(poll, reason);
            }
        }
    }

    private void answer(Poll poll) {
        leave(poll);
        List<Lease> given = leases.give(poll.gathered, poll.request.ttl());
        given.addAll(poll.lent);
        reply(poll, given);
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
        setAlarm(queue);
        if (queue.firstOwn() == null) {
            lenders.unwanted(queue);
        }
        return true;
    }

    private void unasked(PulledQueue queue) {
        queues.remove(queue.name);
        changed.accept(queue.name);
    }

    private void reply(Poll poll, List<Lease> given) {
        if (poll.taker != null) {
            poll.taker.accept(given);
            return;
        }
        long bytes = given.stream()
                .mapToLong(lease -> lease.attempt().payload().length)
                .sum();
        contents.give(bytes);
        poll.answer(alarms.monoNanos());
        replies.add(() -> {
            if (!poll.future.complete(given)) {
                inbox.note(() -> takeBack(given));
            }
            contents.take(bytes);
        });
    }

    /** Gives back what no consumer has worked on, to other nodes too; no attempt counts. */
    public void takeBack(List<Lease> given) {
        leases.takeBack(given);
        lenders.giveBack(given);
    }

    private void refuse(Poll poll, RuntimeException reason) {
        if (poll.taker != null) {
            poll.taker.accept(List.of());
            return;
        }
        poll.answer(alarms.monoNanos());
        replies.add(() -> poll.future.completeExceptionally(reason));
    }
}
