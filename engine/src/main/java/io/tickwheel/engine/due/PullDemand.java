package io.tickwheel.engine.due;

import io.tickwheel.engine.inbox.Alarms;

/** How many timers of one queue consumers want, and what is on its way to them. Owned by the loop. */
public abstract class PullDemand extends Alarms.Alarm {

    public final String name;
    private final LeaseCredits credits;

    /** How many timers the polls still want. */
    private int wanted;

    /** How many of these are being claimed. */
    private int claiming;

    /** How many of these have been asked of other nodes. */
    private int expected;

    /** How many were granted when no poll wanted them any more, and are kept for the next one. */
    private int late;

    public PullDemand(String name, LeaseCredits credits) {
        this.name = name;
        this.credits = credits;
    }

    /** Notes that so many more are wanted; fewer when it is negative. */
    public final void want(int more) {
        wanted += more;
    }

    /** Whether a poll wants a timer that has been claimed. */
    public final boolean wants() {
        return wanted > 0;
    }

    /** Whether a timer that has been claimed may be granted: a poll wants it, or one that soon comes. */
    public boolean takes() {
        return wants();
    }

    /** Whether the polls want more than is being claimed for them. */
    public final boolean wantsMore() {
        return unclaimed() > 0;
    }

    /** Whether something is on its way to the polls. */
    public final boolean isClaiming() {
        return claiming + expected > 0;
    }

    /** How many timers are being claimed, or were, that no poll wants any more: the next one gets them. */
    public final int unwantedClaims() {
        return late + Math.max(0, claiming - wanted);
    }

    /** Whether a timer with so much content may be claimed. */
    final boolean admits(int contentBytes) {
        return wantsMore() && hasRoomFor(contentBytes);
    }

    /** Whether a timer with so much content might be claimed if somebody wanted it. */
    public final boolean hasRoomFor(int contentBytes) {
        return credits.admits(contentBytes);
    }

    final void claim(int contentBytes) {
        claiming++;
        credits.take(contentBytes);
    }

    /** A claim has come to nothing. */
    public final void notGranted(int contentBytes) {
        claiming--;
        credits.giveBack(contentBytes);
        assert claiming >= 0 : "more given back than claimed";
    }

    /** A claim was granted to a poll. */
    public final void granted() {
        claiming--;
        wanted--;
        assert claiming >= 0 : "more granted than claimed";
    }

    /** A claim was granted that no poll wants any more, and is kept for the next one. */
    protected final void grantedLate() {
        claiming--;
        late++;
        assert claiming >= 0 : "more granted than claimed";
    }

    /** So many of those that are kept are not any more. */
    protected final void keepNoMore(int timers) {
        late -= timers;
        assert late >= 0 : "more taken than is kept";
    }

    /** Notes that so many have been asked of another node. */
    public final void expect(int timers) {
        expected += timers;
    }

    /** What was asked of another node is not on its way any more: it has come, or will not. */
    public final void expectNoMore(int timers) {
        expected -= timers;
        assert expected >= 0 : "more has come than was asked for";
    }

    /** How many more may be claimed, or asked of other nodes. */
    public final int unclaimed() {
        return wanted - claiming - expected;
    }

    /** Another node has lent a poll a timer. */
    public final void lent() {
        wanted--;
    }

    /** Something was granted that no consumer has seen, and was given back. */
    public final void unused(int contentBytes) {
        credits.giveBack(contentBytes);
    }

    /** A lease has ended. */
    public final void ended() {
        credits.end();
    }
}
