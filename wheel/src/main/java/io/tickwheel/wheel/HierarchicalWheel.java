package io.tickwheel.wheel;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Timers in a hierarchical timing wheel over absolute ticks, {@code 0} to {@code Long.MAX_VALUE}. Schedule and cancel
 * are O(1); advance is O(nodes expired and moved), never O(ticks passed), and bounded by its limit. Not thread-safe:
 * one thread, or one lock, owns a wheel. Order: by tick, and within a tick first scheduled, first expired; a node
 * scheduled late counts as one of {@link #currentTick}. The unit of a tick is the caller's; no clock is read.
 *
 * @param <T> the type of the nodes; a node is in one wheel at a time
 */
public final class HierarchicalWheel<T extends WheelNode> extends WheelLevels {
    // Where nodes wait, and why there, is explained in WheelLevels.

    // A node comes down once a level at most: with this factor a call can cascade all the nodes it may expire.
    private static final int MOVES_PER_EXPIRY = Level.COUNT;

    private boolean advancing;
    private boolean newCrowd;

    private long earliest = Long.MAX_VALUE;
    private boolean earliestKnown = true;
    private boolean onlyBounds;

    /**
     * Makes an empty wheel.
     *
     * @param startTick the first current tick, not negative
     */
    public HierarchicalWheel(long startTick) {
        super(startTick);
    }

    /**
     * Adds a node that expires at the first advance to {@code deadlineTick} or later. O(1). A deadline at or before the
     * current tick is due at the next advance, or at the one under way; the node keeps that deadline, but expires
     * behind the nodes that already wait for the current tick.
     *
     * @param deadlineTick a tick, not negative
     * @throws IllegalArgumentException if the deadline is negative
     * @throws IllegalStateException if the node is already scheduled, in this wheel or another
     */
    public void schedule(T node, long deadlineTick) {
        Ticks.requireDeadline(deadlineTick);
        if (node.isScheduled()) {
            throw new IllegalStateException("node is already scheduled, with deadlineTick " + node.deadline);
        }
        // A level may have to be made, and memory may be short: before anything has changed.
        Slot slot = slotFor(Math.max(deadlineTick, currentTick));
        node.deadline = deadlineTick;
        move(node, slot);
        if (slot.added == Level.CROWD + 1 && slot.level != null && slot.level.number > 0) {
            newCrowd = true;
        }
        if (deadlineTick <= earliest) {
            // Right even while the earliest deadline is not known: what is kept then is a lower bound.
            earliest = deadlineTick;
            earliestKnown = true;
        }
    }

    /**
     * Removes a node at once. O(1).
     *
     * <p>The node must not be scheduled in another wheel. Nodes do not know their wheel, to stay small, so this is
     * found out only where it shows at no cost; where it does not show, both wheels miscount from then on.
     *
     * @return false if the node was not scheduled: never, or expired, or already cancelled
     * @throws IllegalStateException if the node was found to be in another wheel; it stays there
     */
    public boolean cancel(T node) {
        if (!node.isScheduled()) {
            return false;
        }
        requireOwn(node);
        remove(node);
        return true;
    }

    /**
     * Cancels the node, if it is scheduled, and schedules it with a new deadline, behind all nodes of that tick. O(1).
     *
     * @param deadlineTick a tick, not negative
     * @throws IllegalArgumentException if the deadline is negative; the node keeps the one it has
     * @throws IllegalStateException if the node was found to be in another wheel, see {@link #cancel}; it stays there
     */
    public void reschedule(T node, long deadlineTick) {
        Ticks.requireDeadline(deadlineTick);
        if (!node.isScheduled()) {
            schedule(node, deadlineTick);
            return;
        }
        requireOwn(node);
        Slot slot = slotFor(Math.max(deadlineTick, currentTick));
        noteGone(node.deadline);
        node.deadline = deadlineTick;
        move(node, slot);
        if (deadlineTick <= earliest) {
            earliest = deadlineTick;
            earliestKnown = true;
        }
    }

    /**
     * Gives a scheduled node a later deadline. O(1), and the node is all that is written: it stays where it waits, and
     * moves to its new place when its old deadline comes. That is when it queues behind the nodes of its new tick, so
     * it expires behind those that were scheduled since; use {@link #reschedule} where that order matters.
     *
     * @param deadlineTick a tick, not before the node's deadline
     * @throws IllegalArgumentException if the deadline is earlier; the node keeps the one it has
     * @throws IllegalStateException if the node is not scheduled, or was found to be in another wheel
     */
    public void postpone(T node, long deadlineTick) {
        if (!node.isScheduled()) {
            throw new IllegalStateException("node is not scheduled");
        }
        requireOwn(node);
        if (deadlineTick < node.deadline) {
            throw new IllegalArgumentException(
                    "deadlineTick is " + deadlineTick + ", must not be before " + node.deadline);
        }
        loosen(node.deadline);
        noteGone(node.deadline);
        node.deadline = deadlineTick;
    }

    /**
     * Hands nodes with a deadline at or before {@code nowTick} to the handler, in the order of the class description,
     * and moves the current tick as far towards {@code nowTick} as the limit and the nodes that are left allow. Time
     * does not run backwards: a {@code nowTick} before the current tick does nothing.
     *
     * <p>One call expires at most {@code limit} nodes, moves at most eight times as many to a lower level, and visits
     * no slot that is empty. It can return less than the limit, even 0, with due nodes left, when it spent its moves on
     * a slot with many nodes; every such call comes closer. Ask {@link #hasDue} whether to call again.
     *
     * <p>What the handler schedules for a tick at or before {@code nowTick} is part of the same advance, in its order
     * and within the limit.
     *
     * @param nowTick the tick that time has reached
     * @param limit how many nodes to expire at most, 1 or more
     * @return how many nodes have expired
     * @throws IllegalArgumentException if the limit is less than 1
     * @throws IllegalStateException if called by the handler
     */
    public int advance(long nowTick, int limit, ExpiryHandler<? super T> handler) {
        Objects.requireNonNull(handler, "handler");
        Ticks.requireLimit(limit);
        if (advancing) {
            throw new IllegalStateException("advance was called by the handler of an advance");
        }
        if (nowTick < currentTick) {
            return 0;
        }
        advancing = true;
        try {
            return expire(nowTick, limit, (long) MOVES_PER_EXPIRY * limit, handler, null);
        } finally {
            advancing = false;
        }
    }

    /**
     * As {@link #advance}, with the nodes put into an array, from its start on, for as many as it holds; it is empty before. What is
     * thrown on the way, as memory or stack is short, leaves every node in the wheel or in the array.
     *
     * @param moves how many nodes to move to a lower level at most
     */
    void take(long nowTick, WheelNode[] due, long moves) {
        assert !advancing;
        if (nowTick >= currentTick) {
            expire(nowTick, due.length, moves, null, due);
        }
    }

    /**
     * Returns whether a node is due at {@code nowTick}: whether {@link #advance} to it has something to expire. False
     * for a tick before the current one. Costs what {@link #nextDeadlineTick} costs.
     */
    public boolean hasDue(long nowTick) {
        return size > 0 && nowTick >= currentTick && nextDeadlineTick() <= nowTick;
    }

    /**
     * Returns the earliest deadline of all scheduled nodes, exactly; {@code Long.MAX_VALUE} if there is none before it,
     * that is, for an empty wheel too. It lies before the current tick when such a node is left.
     *
     * <p>A field read while the earliest node stays. Once it has expired or was cancelled, the next call looks at the
     * first occupied slot: O(1), unless a cancel took the earliest node of that slot and the slot was not filled in the
     * order of deadlines, as timers of one delay fill it. Then the nodes of the slot are scanned, once for each such
     * cancel: O(1) on average when nodes are cancelled at random, O(nodes of the slot) at worst.
     */
    public long nextDeadlineTick() {
        assert !onlyBounds : "nodes were discarded";
        if (!earliestKnown) {
            earliest = findEarliest();
            earliestKnown = true;
        }
        return earliest;
    }

    /**
     * Removes a scheduled node in as few steps as can be: without a note that a bound may have lost its node. From now on
     * {@link #nextDeadlineBound} can be asked, and {@link #nextDeadlineTick} can not.
     */
    void discard(T node) {
        assert node.isScheduled();
        onlyBounds = true;
        move(node, null);
    }

    /** Moves an empty wheel to a tick; one before the current tick does nothing. O(1). */
    void skipTo(long tick) {
        assert !advancing;
        if (tick > currentTick) {
            skip(tick);
        }
    }

    /**
     * Returns a tick that no deadline lies before; {@code Long.MAX_VALUE} if no node is scheduled. Always O(1). It is
     * the next deadline unless the earliest node of the first occupied slot was cancelled or postponed; then an advance
     * to it, which sorts that slot, is needed to know better.
     */
    long nextDeadlineBound() {
        return firstBound();
    }

    /**
     * Returns the tick at which to advance next: that of {@link #nextDeadlineBound}, or an earlier one, where a crowd is due later that
     * takes its time to come down.
     */
    long nextAdvanceTick() {
        return Math.min(firstBound(), crowdTick());
    }

    /** Returns whether a slot has become crowded by a schedule since this was asked last: {@link #nextAdvanceTick} may be earlier. */
    boolean takeNewCrowd() {
        boolean taken = newCrowd;
        newCrowd = false;
        return taken;
    }

    /** Returns whether nodes come down ahead of their time, for which {@link #prepare} is to be called. */
    boolean hasAhead() {
        return incomingLevels != 0;
    }

    /** Brings down at most {@code moves} nodes that are not due yet. */
    void prepare(int moves) {
        bringDown(true, moves);
    }

    /** Returns how many nodes are scheduled. */
    public int size() {
        return size;
    }

    /** Returns whether no node is scheduled. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the tick the wheel stands on. It never falls. */
    public long currentTick() {
        return currentTick;
    }

    /** Shows every scheduled node to an action, which must not change the wheel. In no order; O(nodes). */
    void forEach(Consumer<? super T> action) {
        // Only schedule and reschedule bring nodes in, and they take a T.
        @SuppressWarnings("unchecked")
        Consumer<WheelNode> shown = (Consumer<WheelNode>) action;
        forEachNode(shown);
    }

    /** Cancels all nodes. O(nodes), a few writes each; the current tick stays. */
    public void clear() {
        clearSlots();
        earliest = Long.MAX_VALUE;
        earliestKnown = true;
    }

    private int expire(
            long nowTick,
            int limit,
            long maxMoves,
            @Nullable ExpiryHandler<? super T> handler,
            WheelNode @Nullable [] taken) {
        int expired = 0;
        long moves = maxMoves;
        while (true) {
            moves -= bringDown(false, moves);
            if (enteredLevels != 0) {
                return expired;
            }
            Slot due = level(0).slot(Level.ringIndex(currentTick, 0));
            while (!due.isEmpty() && expired < limit) {
                due.fetchAhead();
                WheelNode node = due.next;
                if (node.deadline > currentTick) {
                    if (moves == 0) {
                        return expired;
                    }
                    refile(node);
                    moves--;
                } else {
                    earliestKnown = false;
                    due.noteGone(node.deadline);
                    move(node, null);
                    if (taken != null) {
                        // Right behind the move: no call in between in which the node could get lost.
                        taken[expired++] = node;
                    } else {
                        expired++;
                        hand(node, handler);
                    }
                }
            }
            if (size == 0 || firstBound() > nowTick) {
                moveTo(nowTick);
                bringDown(true, moves);
                return expired;
            }
            if (expired == limit) {
                return expired;
            }
            moveTo(firstBound());
        }
    }

    private void hand(WheelNode node, @Nullable ExpiryHandler<? super T> handler) {
        // Only schedule and reschedule bring nodes in, and they take a T.
        @SuppressWarnings("unchecked")
        T expired = (T) node;
        Objects.requireNonNull(handler).expired(expired);
    }

    private void remove(WheelNode node) {
        noteGone(node.deadline);
        move(node, null);
    }

    /** Notes that a node with this deadline leaves: what is known of the earliest deadline may no longer hold. */
    private void noteGone(long deadline) {
        if (deadline == earliest) {
            earliestKnown = false;
        }
        noteGoneFromSlots(deadline);
    }

    private long findEarliest() {
        while (size > 0) {
            Slot first = firstSlot();
            if (first.isExact()) {
                return first.bound();
            }
            sort(first);
        }
        return Long.MAX_VALUE;
    }

    private void requireOwn(WheelNode node) {
        boolean alone = node.next == node.prev;
        if (size == 0 || (alone && !isOwn((Slot) node.next))) {
            throw new IllegalStateException("node with deadlineTick " + node.deadline + " is in another wheel");
        }
    }
}
