package io.tickwheel.wheel;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the nodes of a {@link HierarchicalWheel} wait: its levels, which of their slots are occupied, what comes down from one to another, and the
 * current tick, which all of this is relative to. A superclass, and not a part, so that a wheel is one object: the way to a slot is as
 * short as can be. Not thread-safe.
 */
abstract class WheelLevels {
    /*
     * G. Varghese, T. Lauck, "Hashed and Hierarchical Timing Wheels: Data Structures for the Efficient Implementation
     * of a Timer Facility", SOSP 1987, scheme 7, with ticks that never wrap around.
     *
     * A tick is a number of eight digits to the base 256. Level k looks at digit k. A node waits at the level of the
     * highest digit in which its tick differs from the current tick, or of one below it, see on; in the slot which that digit names:
     *
     *     level   a slot spans   the level spans   at 1 ms a tick, up to
     *       0     1 tick         2^8  ticks        256 ms
     *       1     2^8  ticks     2^16 ticks        65.5 s
     *       2     2^16 ticks     2^24 ticks        4.66 h
     *       3     2^24 ticks     2^32 ticks        49.7 days
     *       4     2^32 ticks     2^40 ticks        34.8 years
     *       5     2^40 ticks     2^48 ticks        8 920 years
     *       6     2^48 ticks     2^56 ticks        2.28 million years
     *       7     2^56 ticks     2^63 ticks        292 million years
     *
     * For example, the current tick is 4848 = 0x12F0:
     *
     *     tick 4855   = 0x0012F7   differs in digit 0   level 0, slot 0xF7
     *     tick 4869   = 0x001305   differs in digit 1   level 1, slot 0x13
     *     tick 131072 = 0x020000   differs in digit 2   level 2, slot 0x02
     *
     *     slot      00 01 02 03 .. 11 12 13 14 .. EF F0 F1 .. F6 F7 F8
     *     level 2   ^^    ##
     *     level 1                     ^^ ##
     *     level 0                                    ^^          ##       ^^ digit of the current tick, ## occupied
     *
     * The slots of a level are a ring of twice 256: those of the block in which the current tick is, which is a slot of the level above,
     * and those of the block after it. A level takes ticks of the next block once it is open for it: once the slot of the level above
     * that has been them so far is taken out there, as a whole, and comes down, from its head and a few nodes at a time. This
     * happens while time is still in the block before. A slot may hold a million nodes, and when its time has come they all wait where
     * they expire. What comes down to level k and below is in incoming[k]. So the level of a tick is the lowest that takes it, by
     * lastTicks, and 4869 above waits at level 0 if that is open for 0x1300 to 0x13FF, and nobody has to touch it again.
     *
     * Nothing occupied lies behind the current tick, and all of level k comes before all of level k + 1: the first occupied slot of the
     * lowest occupied level, or a list that comes down, holds what is due next. When the tick enters a slot above level 0 that was
     * not taken out ahead, it comes down in the same way, but nothing expires meanwhile; nor does it when a list is not empty yet as
     * its block is entered. The tick does not walk: it leaps to the earliest deadline, so that the nodes which share it go straight
     * into the slot which is expired next.
     *
     * Nodes of one tick are in one place, whenever they were scheduled, or, while they come down, in some that follow one another: what
     * comes down goes to its level or, if a list of a lower level is still coming down, to the tail of that; and what is scheduled
     * for a tick goes to the tail of the highest list in which that tick comes down. Appending, and moving from head to tail, keeps them
     * in the order they came.
     *
     * A stack may overflow in the middle of anything, and memory may be short. Nothing of this is then half done: all links, the current
     * tick and what says which slots are occupied are written by methods that call no other and make nothing. An error is thrown
     * before such a method has begun or not at all. What is written elsewhere is a bound or a hint, which may be too careful.
     */

    private final @Nullable Level[] levels = new Level[Level.COUNT];
    int occupiedLevels;
    int size;

    // By level: what comes down to it, the number of the block that this is, and the last tick that the level takes.
    private final Slot[] incoming = new Slot[Level.COUNT - 1];
    private final long[] incomingBlocks = new long[Level.COUNT - 1];
    private final long[] lastTicks = new long[Level.COUNT];
    // Sets of levels: to which something comes down; of those, in whose block the current tick is; which are not open
    // for their next.
    int incomingLevels;
    int enteredLevels;
    private int closedLevels;
    private long broughtDown;

    long currentTick;

    WheelLevels(long startTick) {
        Ticks.requireStart(startTick);
        for (int number = 0; number < incoming.length; number++) {
            incoming[number] = new Slot(null, number);
        }
        skip(startTick);
    }

    /** Moves the current tick of a wheel without nodes. */
    final void skip(long tick) {
        assert size == 0 && tick >= currentTick;
        currentTick = tick;
        closedLevels = 0;
        lastTicks[Level.COUNT - 1] = Long.MAX_VALUE;
        for (int number = 0; number < Level.COUNT - 1; number++) {
            int shift = (number + 1) * Level.BITS;
            long block = tick >>> shift;
            lastTicks[number] = block + 2 > Long.MAX_VALUE >>> shift ? Long.MAX_VALUE : ((block + 2) << shift) - 1;
        }
    }

    /** Moves the current tick forward, over ticks for which no node is left. What waits where it enters comes down. */
    final void moveTo(long tick) {
        assert tick >= currentTick && enteredLevels == 0;
        int number = levelOf(tick);
        assert (occupiedLevels & ((1 << number) - 1)) == 0;
        if (number == 0) {
            go(tick, null, 0, false);
        } else {
            go(tick, levels[number], number - 1, false);
        }
        openLevels();
    }

    /** Opens the levels that are not open for their next block, as far as what came down to them before is out of the way. */
    private void openLevels() {
        // From the highest, which may have to hold the block first.
        for (int left = closedLevels; left != 0; ) {
            int number = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(left);
            left ^= 1 << number;
            int above = number + 1;
            long block = currentTick >>> (above * Level.BITS);
            boolean free = (incomingLevels & (1 << number)) == 0 && block < Long.MAX_VALUE >>> (above * Level.BITS);
            boolean withinBlockAbove = (block + 1) % Level.BLOCK != 0;
            if (free && (withinBlockAbove || (closedLevels & (1 << above)) == 0)) {
                go(currentTick, levels[above], number, true);
            }
        }
    }

    /**
     * Moves the current tick, and takes a slot of a level out, if it is occupied, to come down to the level below it: the slot with the
     * current tick or, ahead, the one behind that. Calls nothing but arithmetic, so that it is done as a whole or not at all.
     *
     * @param source the level, null if it was not made yet
     * @param to the level below it
     */
    private void go(long tick, @Nullable Level source, int to, boolean ahead) {
        long before = currentTick;
        currentTick = tick;
        for (int number = 0, shift = Level.BITS;
                number < Level.COUNT - 1 && tick >>> shift != before >>> shift;
                number++, shift += Level.BITS) {
            closedLevels |= 1 << number;
            lastTicks[number] = (((tick >>> shift) + 1) << shift) - 1;
            enteredLevels |= incomingLevels & (1 << number);
        }
        int shiftOfTo = (to + 1) * Level.BITS;
        long block = (tick >>> shiftOfTo) + (ahead ? 1 : 0);
        if (ahead) {
            closedLevels &= ~(1 << to);
            lastTicks[to] = ((block + 1) << shiftOfTo) - 1;
        }
        if (source == null) {
            return;
        }
        int index = (int) block & (Level.SLOTS - 1);
        Slot taken = source.slots[index];
        if (taken.next == taken) {
            return;
        }
        Slot empty = incoming[to];
        empty.level = source;
        empty.index = index;
        source.slots[index] = empty;
        source.occupied[index >>> 6] &= ~(1L << index);
        if (--source.occupiedSlots == 0) {
            occupiedLevels &= ~source.bit;
        }
        taken.level = null;
        taken.index = to;
        incoming[to] = taken;
        incomingBlocks[to] = block;
        incomingLevels |= 1 << to;
        enteredLevels |= ahead ? 0 : 1 << to;
        broughtDown = 0;
    }

    /**
     * Moves at most {@code limit} nodes from the lists that come down to where they wait next, and returns how many.
     *
     * @param ahead whether also from those in whose block the current tick is not yet
     */
    final long bringDown(boolean ahead, long limit) {
        long moves = 0;
        while (moves < limit) {
            int left = ahead ? incomingLevels : enteredLevels;
            if (left == 0) {
                if (closedLevels != 0 && ahead) {
                    openLevels();
                }
                return moves;
            }
            int number = Integer.numberOfTrailingZeros(left);
            Slot from = incoming[number];
            WheelNode node = from.next;
            // A level may have to be made, and memory may be short: before anything has changed.
            Slot to = slotFor(Math.max(node.deadline, currentTick), number);
            from.noteGone(node.deadline);
            move(node, to);
            if (++broughtDown > Level.CACHED && to.level != null && to.level.number == 0) {
                to.rememberAhead(node);
            }
            moves++;
        }
        return moves;
    }

    /** Returns where a node with this deadline, which is not before the current tick, has to wait. */
    final Slot slotFor(long tick) {
        return slotFor(tick, Level.COUNT);
    }

    /** As above, for a node that comes down from above a level. */
    private Slot slotFor(long tick, int below) {
        for (int left = incomingLevels & ((1 << below) - 1); left != 0; ) {
            int number = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(left);
            if (tick >>> ((number + 1) * Level.BITS) == incomingBlocks[number]) {
                return incoming[number];
            }
            left ^= 1 << number;
        }
        int number = levelOf(tick);
        return level(number).slot(Level.ringIndex(tick, number));
    }

    /**
     * Takes a node out of the list in which it waits, if any, and puts it at the end of a slot, if one is given. Its deadline is the
     * one that holds there. Calls nothing, so that it is done as a whole or not at all.
     */
    @SuppressWarnings("NullAway") // The links of a node in no list are null, see WheelNode.
    final void move(WheelNode node, @Nullable Slot to) {
        int incomingBefore = incomingLevels;
        int enteredBefore = enteredLevels;
        WheelNode following = node.next;
        if (following != null) {
            WheelNode before = node.prev;
            before.next = following;
            following.prev = before;
            size--;
            if (before == following) {
                Slot emptied = (Slot) following;
                Level level = emptied.level;
                if (level == null) {
                    incomingLevels &= ~(1 << emptied.index);
                    enteredLevels &= ~(1 << emptied.index);
                } else {
                    emptied.firstAhead = null;
                    emptied.lastAhead = null;
                    emptied.aheadLeft = 0;
                    level.occupied[emptied.index >>> 6] &= ~(1L << emptied.index);
                    if (--level.occupiedSlots == 0) {
                        occupiedLevels &= ~level.bit;
                    }
                }
            }
        }
        if (to == null) {
            node.next = null;
            node.prev = null;
            return;
        }
        long tick = node.deadline;
        WheelNode tail = to.prev;
        if (tail == to) {
            to.ascending = true;
            to.added = 0;
            Level level = to.level;
            if (level == null) {
                // The node was the last of a list that comes down, and is so again.
                incomingLevels = incomingBefore;
                enteredLevels = enteredBefore;
            } else {
                level.occupied[to.index >>> 6] |= 1L << to.index;
                level.occupiedSlots++;
                occupiedLevels |= level.bit;
            }
        } else if (to.ascending && tick < tail.deadline) {
            long head = to.next.deadline;
            to.deadline = head < tick ? head : tick;
            to.ascending = false;
            to.exact = true;
        } else if (tick <= to.deadline) {
            to.deadline = tick;
            to.exact = true;
        }
        to.added++;
        node.prev = tail;
        node.next = to;
        tail.next = node;
        to.prev = node;
        size++;
    }

    /** Moves a node that was postponed to where its deadline says. */
    final void refile(WheelNode node) {
        move(node, slotFor(Math.max(node.deadline, currentTick)));
    }

    /** Finds the earliest deadline in a slot. Nodes that were postponed to another slot go there on the way. */
    final void sort(Slot slot) {
        long earliestHere = Long.MAX_VALUE;
        for (WheelNode node = slot.next; node != slot && earliestHere > slot.bound(); ) {
            WheelNode following = node.next;
            if (belongsTo(slot, node.deadline)) {
                earliestHere = Math.min(earliestHere, node.deadline);
            } else {
                refile(node);
            }
            node = following;
        }
        slot.setEarliest(earliestHere);
    }

    private boolean belongsTo(Slot slot, long deadline) {
        long tick = Math.max(deadline, currentTick);
        if (slot.level == null) {
            return tick >>> ((slot.index + 1) * Level.BITS) == incomingBlocks[slot.index];
        }
        int number = levelOf(tick);
        return levels[number] == slot.level && slot.index == Level.ringIndex(tick, number);
    }

    /** Returns the slot in which a deadline is looked for, or null where no level was made yet. */
    private @Nullable Slot properSlot(long deadline) {
        long tick = Math.max(deadline, currentTick);
        int number = levelOf(tick);
        Level level = levels[number];
        return level == null ? null : level.slot(Level.ringIndex(tick, number));
    }

    private Slot firstOccupied() {
        int number = Integer.numberOfTrailingZeros(occupiedLevels);
        return level(number).firstFrom(Level.ringIndex(currentTick, number));
    }

    /** Returns the level that a tick, which is not before the current tick, belongs to. */
    private int levelOf(long tick) {
        int number = 0;
        while (tick > lastTicks[number]) {
            number++;
        }
        return number;
    }

    final Level level(int number) {
        Level level = levels[number];
        if (level == null) {
            level = new Level(number);
            levels[number] = level;
        }
        return level;
    }

    /** Returns whether a slot, in which a node is alone, is one of this wheel. */
    final boolean isOwn(Slot slot) {
        Level level = slot.level;
        return level == null ? incoming[slot.index] == slot : levels[level.number] == level;
    }

    /** Returns the slot whose bound is the lowest; one is not empty. */
    final Slot firstSlot() {
        Slot first = occupiedLevels == 0 ? null : firstOccupied();
        for (int left = incomingLevels; left != 0; left &= left - 1) {
            Slot slot = incoming[Integer.numberOfTrailingZeros(left)];
            if (first == null || slot.bound() < first.bound()) {
                first = slot;
            }
        }
        return Objects.requireNonNull(first);
    }

    /** Returns a tick that no deadline lies before; {@code Long.MAX_VALUE} if every slot is empty. */
    final long firstBound() {
        long bound = occupiedLevels == 0 ? Long.MAX_VALUE : firstOccupied().bound();
        for (int left = incomingLevels; left != 0; left &= left - 1) {
            bound = Math.min(bound, incoming[Integer.numberOfTrailingZeros(left)].bound());
        }
        return bound;
    }

    /**
     * Returns the tick at which a crowd should begin to come down: when time enters the slot before that of the crowd, the first one above
     * level 0. {@code Long.MAX_VALUE} if none waits there, or that tick has come.
     */
    final long crowdTick() {
        int above = occupiedLevels & ~1;
        if (above == 0) {
            return Long.MAX_VALUE;
        }
        int number = Integer.numberOfTrailingZeros(above);
        Slot first = level(number).firstFrom(Level.ringIndex(currentTick, number));
        int shift = number * Level.BITS;
        long tick = ((first.bound() >>> shift) - 1) << shift;
        return first.added > Level.CROWD && tick > currentTick ? tick : Long.MAX_VALUE;
    }

    /** Notes that a node with this deadline leaves its slot: what is known of the slot's earliest deadline may no longer hold. */
    final void noteGoneFromSlots(long deadline) {
        Slot slot = properSlot(deadline);
        if (slot != null) {
            slot.noteGone(deadline);
        }
        // The node may as well be in a list that comes down. To take this for granted costs a scan at worst.
        for (int left = incomingLevels; left != 0; left &= left - 1) {
            incoming[Integer.numberOfTrailingZeros(left)].noteGone(deadline);
        }
    }

    /** Notes that a node with this deadline will have a later one, where it waits. */
    final void loosen(long deadline) {
        Slot slot = properSlot(deadline);
        if (slot != null) {
            slot.loosen();
        }
        for (int left = incomingLevels; left != 0; left &= left - 1) {
            incoming[Integer.numberOfTrailingZeros(left)].loosen();
        }
    }

    final void forEachNode(Consumer<WheelNode> action) {
        for (Slot slot : incoming) {
            slot.forEach(action);
        }
        for (int left = occupiedLevels; left != 0; left &= left - 1) {
            for (Slot slot : level(Integer.numberOfTrailingZeros(left)).slots) {
                slot.forEach(action);
            }
        }
    }

    /** Forgets all nodes. O(nodes), a few writes each. */
    final void clearSlots() {
        for (int left = occupiedLevels; left != 0; left &= left - 1) {
            level(Integer.numberOfTrailingZeros(left)).clear();
        }
        for (Slot slot : incoming) {
            slot.clear();
        }
        occupiedLevels = 0;
        incomingLevels = 0;
        enteredLevels = 0;
        size = 0;
        skip(currentTick);
    }
}
