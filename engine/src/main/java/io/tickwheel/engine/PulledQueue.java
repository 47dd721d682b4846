package io.tickwheel.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What consumers want of one queue. Its polls are served one after the other, in the order in which they came. Owned by the loop. */
final class PulledQueue extends Alarms.Alarm {

    final String name;
    private final LeaseCredits credits;
    private final Consumer<PulledQueue> unasked;
    private final Set<Poll> polls = new LinkedHashSet<>();

    /** How many timers the polls still want. */
    private int wanted;

    /** How many of these are being claimed. */
    private int claiming;

    /** Whether something was granted in this turn of the loop. */
    private boolean moved;

    /** @param unasked told when the alarm of the queue rings: nobody has asked for long */
    PulledQueue(String name, LeaseCredits credits, Consumer<PulledQueue> unasked) {
        this.name = name;
        this.credits = credits;
        this.unasked = unasked;
    }

    void add(Poll poll) {
        polls.add(poll);
        wanted += poll.wanted();
    }

    /** Takes a poll out, and what it still wants. */
    void remove(Poll poll) {
        polls.remove(poll);
        wanted -= poll.wanted();
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

    /** Whether a poll wants a timer that has been claimed. */
    boolean wants() {
        return wanted > 0;
    }

    /** Whether the polls want more than is being claimed for them. */
    boolean wantsMore() {
        return wanted > claiming;
    }

    boolean isClaiming() {
        return claiming > 0;
    }

    /** Whether a timer with so much content may be claimed. */
    boolean admits(int contentBytes) {
        return wantsMore() && credits.admits(contentBytes);
    }

    void claim(int contentBytes) {
        claiming++;
        credits.take(contentBytes);
    }

    /** A claim has come to nothing. */
    void notGranted(int contentBytes) {
        claiming--;
        credits.giveBack(contentBytes);
        assert claiming >= 0 : "more given back than claimed";
    }

    /** Something was granted that no consumer has seen, and was given back. */
    void unused(int contentBytes) {
        credits.giveBack(contentBytes);
    }

    /** A lease has ended. */
    void ended() {
        credits.end();
    }

    /** Gives the poll that is served a lease. */
    void granted(Poll poll, HeldLease lease) {
        claiming--;
        wanted--;
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
    void ring() {
        unasked.accept(this);
    }
}
