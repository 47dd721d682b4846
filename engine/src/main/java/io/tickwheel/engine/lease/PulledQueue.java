package io.tickwheel.engine.lease;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.due.LeaseCredits;
import io.tickwheel.engine.due.PullDemand;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What consumers want of one queue. Its polls are served one after the other, in the order in which they came. Owned by the loop. */
public final class PulledQueue extends PullDemand {

    private final Consumer<PulledQueue> unasked;
    private final Set<Poll> polls = new LinkedHashSet<>();

    /** Whether something was granted in this turn of the loop. */
    private boolean moved;

    /** Whether other nodes ask for its timers. */
    boolean isLent;

    private int awaited;

    /** @param unasked told when the alarm of the queue rings: nobody has asked for long */
    PulledQueue(String name, LeaseCredits credits, Consumer<PulledQueue> unasked) {
        super(name, credits);
        this.unasked = unasked;
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
    void lent(Poll poll, Lease lease) {
        lent();
        poll.gather(lease);
    }

    /** Gives the poll that is served a lease. */
    void granted(Poll poll, HeldLease lease) {
        granted();
        moved = true;
        poll.gather(lease);
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
