package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/**
 * The nodes of a slot once more, in arrays, so that they can be fetched from memory together. A list is fetched node by
 * node, as each says where the next one is; with more nodes than the cache holds, that wait is most of what an expiration
 * costs. An array says where many are, and the processor fetches them at the same time.
 *
 * <p>It is a hint, not a truth: it may name nodes that have left, and not all that came.
 */
final class Prefetch {
    /** How many nodes are fetched together: enough to be fetched in parallel, few enough to stay in the first cache. */
    static final int TOGETHER = 64;

    private final WheelNode[] nodes = new WheelNode[TOGETHER];
    private int count;
    private @Nullable Prefetch next;

    /** Adds a node and returns what the next one is to be added to. */
    Prefetch add(WheelNode node) {
        nodes[count++] = node;
        if (count < TOGETHER) {
            return this;
        }
        Prefetch following = new Prefetch();
        next = following;
        return following;
    }

    /** Reads every node, and returns something that depends on it, so that no compiler leaves it out. */
    long fetch() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += nodes[i].deadline;
        }
        return sum;
    }

    int count() {
        return count;
    }

    @Nullable
    Prefetch next() {
        return next;
    }
}
