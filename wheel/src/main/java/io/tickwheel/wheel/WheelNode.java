package io.tickwheel.wheel;

/**
 * A timer as a {@link HierarchicalWheel} or a {@link HashedWheel} sees it: a deadline and the two links of the list it
 * waits in. Subclass it and add what is to happen at the deadline; no other object is made per timer. 32 bytes, of which
 * four are free for the subclass (24 bytes with compact object headers). Not thread-safe: the wheel's thread owns a
 * scheduled node.
 */
// The links are null in a node that waits in no list, so that it keeps no other node alive; nobody follows them there.
@SuppressWarnings({"NullAway", "NullAway.Init"})
public abstract class WheelNode {
    WheelNode next;
    WheelNode prev;
    long deadline;

    /** Creates a node that is not scheduled. */
    protected WheelNode() {}

    /** Returns the deadline, in ticks, that the node was last scheduled with; 0 before the first time. */
    public final long deadlineTick() {
        return deadline;
    }

    /** Returns whether the node waits in a wheel: from its scheduling until it is handed out, cancelled or cleared. */
    public final boolean isScheduled() {
        return next != null;
    }

    final void unlink() {
        prev.next = next;
        next.prev = prev;
        forgetLinks();
    }

    final void forgetLinks() {
        next = null;
        prev = null;
    }
}
