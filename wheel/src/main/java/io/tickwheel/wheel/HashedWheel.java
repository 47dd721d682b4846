package io.tickwheel.wheel;

import java.util.Objects;

/**
 * Timers in a hashed timing wheel over absolute ticks, {@code 0} to {@code Long.MAX_VALUE}: one ring of slots. Schedule
 * and cancel are O(1); advance visits each node once a revolution, bounded by its limit, and no empty slot. Not
 * thread-safe: one thread, or one lock, owns a wheel. Order: by tick, and within a tick first scheduled, first expired;
 * a node scheduled late counts as one of {@link #currentTick}. The unit of a tick is the caller's; no clock is read.
 *
 * @param <T> the type of the nodes; a node is in one wheel at a time
 */
public final class HashedWheel<T extends WheelNode> {
    /*
     * G. Varghese, T. Lauck, "Hashed and Hierarchical Timing Wheels: Data Structures for the Efficient Implementation
     * of a Timer Facility", SOSP 1987, scheme 6, with ticks that never wrap around.
     *
     * A node waits in slot (tick mod slots), behind those that came before it, whatever their ticks. When the current
     * tick comes to the slot, once in as many ticks as there are slots, which is a revolution, the list is walked from
     * head to tail: nodes of this tick expire, in the order they came, and the others wait for another round. The
     * paper counts the rounds down in the node. Here the node keeps its absolute deadline, which says the same and
     * needs no writing: rounds left = (deadline - current tick) / slots.
     *
     * For example, 8 slots, the current tick is 42, and A to E were scheduled in this order:
     *
     *     A 44    B 52    C 45    D 44    E 100          slot  0  1  2  3  4  5  6  7
     *     slot 4  slot 4  slot 5  slot 4  slot 4                     ^^    A  C            ^^ current tick
     *                                                                      B
     *     tick 44    A and D expire; B, E wait                             D
     *     tick 45    C expires                                             E
     *     tick 52    B expires; E waits
     *     then       slot 4 would be walked at ticks 60, 68 .. for nothing; instead the wheel leaps to tick 100
     *
     * The leap is what this wheel adds to the scheme, as a walk of one revolution after the other up to a far tick
     * would never end. Revolutions are intervals [start, start + slots) of ticks, and each learns where the next one
     * starts: what is left in a slot that was walked, and what is scheduled beyond the end, is all due behind the end,
     * so the smallest deadline among it is the tick up to which nothing happens once the revolution is over. A cancel
     * may leave it too small, which costs a revolution. Above, the revolution [52, 60) leaves E alone: the next one is
     * [100, 108).
     *
     * A slot may hold a million nodes, more than one call may visit. The walk therefore has a cursor, the next node to
     * visit, which stays between calls; a cancel moves it off the node that goes, and a node which is due at once
     * queues behind it. The nodes before the cursor are not due in this round.
     */
    // With this factor a call gets on even where most nodes of the slots are those of other rounds.
    private static final int VISITS_PER_EXPIRY = 8;

    private static final int MOST_SLOTS = 1 << 30;
    private static final int NO_MASK = -1;

    private final NodeList[] slots;
    private final Occupancy occupied;
    // What masks the slot out of a tick when the number of slots is a power of two; others take a division.
    private final int mask;

    private long currentTick;
    private int size;
    private boolean advancing;

    // The next node of the current tick's slot to visit; that slot itself when the walk is at its end.
    private WheelNode cursor;

    // Where the revolution starts: ahead of the current tick after a schedule in the empty wheel. Nothing is due
    // before.
    private long revolutionStart;
    // No node that is due behind the revolution is due before this, except in slots that are yet to be walked.
    private long beyond = Long.MAX_VALUE;

    /**
     * Says how many slots the ring of a wheel is to have: {@code HashedWheel.withSlots(512).startingAt(0)}. More slots mean fewer nodes
     * in each that wait for another round, for about 40 bytes each; as many slots as ticks in the usual delay make them rare. With a
     * power of two the slot of a tick is found without a division.
     *
     * @param slots 1 to 2^30
     */
    public static Ring withSlots(int slots) {
        if (slots < 1 || slots > MOST_SLOTS) {
            throw new IllegalArgumentException("slots is " + slots + ", must be 1 to 2^30");
        }
        return new Ring(slots);
    }

    /** The ring of wheels that are to be made. */
    public static final class Ring {
        private final int slots;

        private Ring(int slots) {
            this.slots = slots;
        }

        /**
         * Makes an empty wheel.
         *
         * @param startTick the first current tick, not negative
         * @param <T> the type of the nodes
         */
        public <T extends WheelNode> HashedWheel<T> startingAt(long startTick) {
            Ticks.requireStart(startTick);
            return new HashedWheel<>(startTick, slots);
        }
    }

    private HashedWheel(long startTick, int slots) {
        this.slots = new NodeList[slots];
        for (int index = 0; index < slots; index++) {
            this.slots[index] = new NodeList();
        }
        occupied = new Occupancy(slots);
        mask = Integer.bitCount(slots) == 1 ? slots - 1 : NO_MASK;
        currentTick = startTick;
        cursor = this.slots[slotIndex(startTick)];
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
        node.deadline = deadlineTick;
        long tick = Math.max(deadlineTick, currentTick);
        int index = slotIndex(tick);
        NodeList slot = slots[index];
        slot.append(node);
        occupied.occupy(index);
        if (size == 0) {
            revolutionStart = tick;
            beyond = Long.MAX_VALUE;
        }
        size++;
        if (tick < revolutionStart) {
            // The tick has not come to the revolution, so no slot of it was walked: it may as well start here.
            revolutionStart = tick;
            if (tick == currentTick) {
                cursor = slot.next;
            }
        } else if (tick == currentTick) {
            cursor = cursor == slot ? node : cursor;
        } else if (tick - revolutionStart >= slots.length) {
            beyond = Math.min(beyond, tick);
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
        int index = slotIndex(Math.max(node.deadline, currentTick));
        requireOwn(node, slots[index]);
        remove(node, index);
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
        cancel(node);
        schedule(node, deadlineTick);
    }

    /**
     * Hands nodes with a deadline at or before {@code nowTick} to the handler, in the order of the class description,
     * and moves the current tick as far towards {@code nowTick} as the limit and the nodes that are left allow. Time
     * does not run backwards: a {@code nowTick} before the current tick does nothing.
     *
     * <p>One call expires at most {@code limit} nodes, visits at most eight times as many whose round has not come, and
     * looks at no slot that is empty. It can return less than the limit, even 0, with due nodes left, when it spent its
     * visits on such nodes; every such call comes closer. Ask {@link #hasDue} whether to call again.
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
            return expire(nowTick, limit, handler);
        } finally {
            advancing = false;
        }
    }

    /**
     * Returns whether {@link #advance} to {@code nowTick} has something to do: to expire a node, or to visit nodes whose
     * round may have come. False for a tick before the current one. Costs what {@link #nextDeadlineTick} costs.
     */
    public boolean hasDue(long nowTick) {
        return size > 0 && nextDeadlineTick() <= nowTick;
    }

    /**
     * Returns a tick before which no node is due, the current tick or later; {@code Long.MAX_VALUE} if the wheel is
     * empty. O(1). It is the next tick whose slot is to be walked, so that who sleeps until then wakes at most once a
     * revolution for each occupied slot, and once more after cancels. It is exact for a node that is alone in the
     * wheel, and while all nodes are due within one revolution.
     */
    public long nextDeadlineTick() {
        if (size == 0) {
            return Long.MAX_VALUE;
        }
        return cursor == currentSlot() ? nextTickToWalk() : currentTick;
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

    /** Cancels all nodes. O(nodes), a few writes each; the current tick stays. */
    public void clear() {
        while (!occupied.isEmpty()) {
            int index = occupied.first();
            slots[index].clear();
            occupied.vacate(index);
        }
        cursor = currentSlot();
        size = 0;
    }

    private int expire(long nowTick, int limit, ExpiryHandler<? super T> handler) {
        int expired = 0;
        long visits = (long) VISITS_PER_EXPIRY * limit;
        while (true) {
            while (cursor != currentSlot()) {
                if (cursor.deadline > currentTick) {
                    if (visits == 0) {
                        return expired;
                    }
                    visits--;
                    beyond = Math.min(beyond, cursor.deadline);
                    cursor = cursor.next;
                } else if (expired < limit) {
                    // Only schedule and reschedule bring nodes in, and they take a T.
                    @SuppressWarnings("unchecked")
                    T node = (T) cursor;
                    remove(node, slotIndex(currentTick));
                    expired++;
                    handler.expired(node);
                } else {
                    return expired;
                }
            }
            if (size == 0 || nextTickToWalk() > nowTick) {
                currentTick = nowTick;
                cursor = currentSlot();
                return expired;
            }
            walk(nextTickToWalk());
        }
    }

    /** Moves the current tick forward, over ticks for which no node is left, and puts the cursor at the slot's head. */
    private void walk(long tick) {
        assert tick > currentTick;
        if (tick - revolutionStart >= slots.length) {
            assert tick == beyond;
            revolutionStart = tick;
            beyond = Long.MAX_VALUE;
        }
        currentTick = tick;
        cursor = currentSlot().next;
    }

    /** Returns the next tick whose slot may hold a node that is due then. The current slot has been walked. */
    private long nextTickToWalk() {
        assert size > 0 && cursor == currentSlot();
        long from = Math.max(currentTick + 1, revolutionStart);
        int index = slotIndex(from);
        int ahead = occupied.firstFrom(index) - index;
        long tick = from + (ahead >= 0 ? ahead : ahead + slots.length);
        assert tick >= from;
        return tick - revolutionStart < slots.length ? tick : beyond;
    }

    private void remove(WheelNode node, int index) {
        if (node == cursor) {
            cursor = node.next;
        }
        node.unlink();
        size--;
        if (slots[index].isEmpty()) {
            occupied.vacate(index);
        }
    }

    private NodeList currentSlot() {
        return slots[slotIndex(currentTick)];
    }

    private int slotIndex(long tick) {
        return mask == NO_MASK ? (int) (tick % slots.length) : (int) tick & mask;
    }

    private void requireOwn(WheelNode node, NodeList slot) {
        boolean onlyOne = node.next == node.prev;
        boolean foreign = onlyOne ? node.next != slot : slot.isEmpty();
        if (foreign) {
            throw new IllegalStateException("node with deadlineTick " + node.deadline + " is in another wheel");
        }
    }
}
