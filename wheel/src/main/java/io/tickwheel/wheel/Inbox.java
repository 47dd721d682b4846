package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that came while the lock of their stripe was taken, in the order they came: who schedules does not wait for an expiry that
 * holds it. Any thread may offer a node and ask whether there are some; the rest is for the owner of the lock.
 */
final class Inbox {
    /*
     * A stack, whose top has come last, linked by the prev of the nodes, which are in no wheel yet. No error loses one: a compare-and-set
     * is the last call of its method.
     */
    private static final WheelNode SHUT = new NodeList();
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(Inbox.class, "top", WheelNode.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable WheelNode top;

    /** Adds a node, which is in no wheel, with its deadline; false if the inbox was shut. */
    @SuppressWarnings("NullAway") // The links of a node in no list are null, see WheelNode.
    boolean offer(WheelNode node, long deadlineTick) {
        node.deadline = deadlineTick;
        while (true) {
            WheelNode before = top;
            if (before == SHUT) {
                return false;
            }
            node.prev = before;
            if (TOP.compareAndSet(this, before, node)) {
                return true;
            }
        }
    }

    /** Returns the node that has come last and was not taken yet, or null. Any thread may ask. */
    @Nullable
    WheelNode last() {
        WheelNode last = top;
        return last == SHUT ? null : last;
    }

    /** Returns whether it refuses what comes. Any thread may ask. */
    boolean isShut() {
        return top == SHUT;
    }

    /** Returns the earliest deadline of the nodes up to the last. */
    static long earliest(WheelNode last) {
        long earliest = Long.MAX_VALUE;
        for (WheelNode node = last; node != null; node = node.prev) {
            earliest = Math.min(earliest, node.deadline);
        }
        return earliest;
    }

    /** Takes the nodes up to the last, and returns the first of them, whose prev is the second; null if another one has come. */
    @SuppressWarnings("NullAway") // The links of a node in no list are null, see WheelNode.
    @Nullable
    WheelNode take(WheelNode last) {
        WheelNode first = null;
        if (TOP.compareAndSet(this, last, null)) {
            for (WheelNode node = last; node != null; ) {
                WheelNode before = node.prev;
                node.prev = first;
                first = node;
                node = before;
            }
        }
        return first;
    }

    /** Refuses what comes from now on; false if something has come that was not taken. */
    boolean shut() {
        return top == SHUT || TOP.compareAndSet(this, null, SHUT);
    }
}
