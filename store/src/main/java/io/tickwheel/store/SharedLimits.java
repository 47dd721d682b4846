package io.tickwheel.store;

/**
 * How many attempts of a queue run at once and start a second over all nodes that share a calendar. A node borrows what it needs for the next moment: <i>slots</i>,
 * each of which one attempt at a time may have, and <i>tokens</i>, each of which one start takes.
 *
 * <p>Obligations of an implementation:
 *
 * <ul>
 *   <li><b>Slots.</b> The slots that all nodes hold are never more than the concurrency that the last of them named, but for those whose attempts run already. A node holds
 *       those that it was granted, and no fewer than it said that it keeps, until they lapse: so long after it has asked last. Then others may have them.
 *   <li><b>Tokens.</b> They come at the rate that the last node named, and as many as the burst gather. Those of the next moment may be granted ahead.
 *   <li><b>Sharing.</b> One node may have all while no other one asks. A node that has asked in vain comes before those that ask after it, as long as it asks again when it
 *       was told to; while nodes wait, one that has more slots than its share is granted fewer than it holds.
 *   <li><b>Forgetting.</b> What is granted is lent for a moment, and need not outlast a failure better than a claim does.
 * </ul>
 */
public interface SharedLimits {

    /**
     * Asks for slots and tokens of a queue. No other question of this node about the queue may be unanswered.
     *
     * <p>After a failure the node holds what it held before, or what it said that it keeps, whichever is less, until that lapses.
     */
    void ask(LimitRequest request, Answer<LimitGrant> answer);
}
