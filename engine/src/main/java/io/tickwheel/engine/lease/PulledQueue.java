package io.tickwheel.engine.lease;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.due.LeaseCredits;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.inbox.Alarms;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What consumers want of one queue. Its polls are served one after the other, in the order in which they came. Owned by the loop. */
public final class PulledQueue extends PullDemand {

    private final Consumer<PulledQueue> unasked;
    private final Set<Poll> polls = new LinkedHashSet<>();

    /** What was granted when no poll wanted it any more, for the next one: in the order of the grants. Nobody waits while there is something. */
    private final ArrayDeque<Late> late = new ArrayDeque<>();

    private final Consumer<HeldLease> unclaimed;

    /** Whether something was granted in this turn of the loop. */
    private boolean moved;

    /** Whether other nodes ask for its timers. */
    boolean isLent;

    private int awaited;

    /**
     * @param unasked told when the alarm of the queue rings: nobody has asked for long
     * @param unclaimed told of what was granted late, when no poll has come for it
     */
    PulledQueue(String name, LeaseCredits credits, Consumer<PulledQueue> unasked, Consumer<HeldLease> unclaimed) {
        super(name, credits);
        this.unasked = unasked;
        this.unclaimed = unclaimed;
    }

    /** A lease that no poll wants any more. It rings when it is not to be kept any longer. */
    private final class Late extends Alarms.Alarm {

        private final HeldLease lease;

        Late(HeldLease lease) {
            this.lease = lease;
        }

        @Override
        public void ring() {
            late.remove(this);
            keepNoMore(1);
            unclaimed.accept(lease);
        }
    }

    /** How many other nodes have not said yet whether they have something. */
    int awaited() {
        return awaited;
    }

    public void await(int nodes) {
        awaited = nodes;
    }

    void add(Poll poll) {
        polls.add(poll);
        want(poll.wanted());
    }

    /** Takes a poll out, and what it still wants. */
    void remove(Poll poll) {
        polls.remove(poll);
        want(-poll.wanted());
    }

    boolean hasPolls() {
        return !polls.isEmpty();
    }

    List<Poll> polls() {
        return List.copyOf(polls);
    }

    /** The poll that is served now; null when there is none. */
    @Nullable
    Poll first() {
        return polls.isEmpty() ? null : polls.iterator().next();
    }

    /** The first poll of a consumer of this node; null when there is none. */
    public @Nullable Poll firstOwn() {
        for (Poll poll : polls) {
            if (poll.isOwn()) {
                return poll;
            }
        }
        return null;
    }

    /** The first poll of a consumer of this node that wants its leases to last for so long; null when there is none. */
    @Nullable
    Poll firstOwn(Duration ttl) {
        for (Poll poll : polls) {
            if (poll.isOwn() && poll.request.ttl().equals(ttl)) {
                return poll;
            }
        }
        return null;
    }

    /** How many timers the consumers of this node want whose leases are to last for so long; no more is counted than {@code most}. */
    public int ownWanted(Duration ttl, int most) {
        int count = 0;
        for (Poll poll : polls) {
            if (poll.isOwn() && poll.request.ttl().equals(ttl)) {
                count += poll.wanted();
            }
            if (count >= most) {
                return most;
            }
        }
        return count;
    }

    /** Gives a poll a lease of another node. */
    void lent(Poll poll, Lease lease, long sinceNanos) {
        lent();
        poll.gather(lease, sinceNanos);
    }

    /** Gives the poll that is served a lease. */
    void granted(Poll poll, HeldLease lease) {
        granted();
        moved = true;
        poll.gather(lease);
    }

    /** Another node takes again when it has been given less than it wants. */
    @Override
    public boolean takes() {
        return super.takes() || isLent;
    }

    /** Keeps a lease that no poll wants any more. */
    void keep(HeldLease lease, Alarms alarms, Duration longest) {
        grantedLate();
        Late kept = new Late(lease);
        late.add(kept);
        alarms.set(kept, longest);
    }

    /** Gives a poll what is kept, as much as it wants. */
    void giveLate(Poll poll, Alarms alarms) {
        while (!late.isEmpty() && !poll.isFull()) {
            want(-1);
            poll.gather(take(alarms));
        }
    }

    /** Lets go of what is kept. */
    List<HeldLease> takeLate(Alarms alarms) {
        List<HeldLease> kept = new ArrayList<>(late.size());
        while (!late.isEmpty()) {
            kept.add(take(alarms));
        }
        return kept;
    }

    private HeldLease take(Alarms alarms) {
        Late first = late.remove();
        alarms.callOff(first);
        keepNoMore(1);
        return first.lease;
    }

    /** Returns whether something was granted since this was asked last. */
    boolean hasMoved() {
        boolean has = moved;
        moved = false;
        return has;
    }

    @Override
    public void ring() {
        unasked.accept(this);
    }
}
