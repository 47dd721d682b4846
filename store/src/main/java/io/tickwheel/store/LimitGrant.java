package io.tickwheel.store;

/**
 * What a node was granted of the {@link SharedLimits} of a queue. Immutable.
 *
 * @param slots how many attempts the node may run at once from now on; with fewer than it holds, none starts until so many have ended
 * @param lapseNanos how long after the question the node holds its slots
 * @param tokens how many attempts may start, beside those that were granted before
 * @param tokensNow how many of these may start at once: the others one by one, as the rate fills up what this lacks; below 0 when others were granted theirs before
 * @param againNanos how long after the answer to ask again for what was not granted; 0 when all was
 */
public record LimitGrant(int slots, long lapseNanos, int tokens, double tokensNow, long againNanos) {}
