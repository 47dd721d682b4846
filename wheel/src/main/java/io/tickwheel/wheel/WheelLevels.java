package io.tickwheel.wheel;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the nodes of a {@link HierarchicalWheel} wait: its levels, which of their slots are occupied, the slot that is cascading, and the
 * current tick, which all of this is relative to. A superclass, and not a part, so that a wheel is one object: the way to a slot is as
 * short as can be. Not thread-safe.
 */
abstract class WheelLevels {
    /*
     * G. Varghese, T. Lauck, "Hashed and Hierarchical Timing Wheels: Data Structures for the Efficient Implementation
     * of a Timer Facility", SOSP 1987, scheme 7, with ticks that never wrap around.
     *
     * A tick is a number of eight digits to the base 256. Level k looks at digit k. A node waits at the level of the
     * highest digit in which its tick differs from the current tick, in the slot which that digit of its tick names:
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
     * Nothing occupied lies behind the current tick, and all of level k comes before all of level k + 1: the lowest
     * occupied slot of the lowest occupied level holds what is due next, and nothing wraps around. When the tick
     * enters a slot above level 0, here at 0x1300, that slot is cascaded: its nodes now share digit 1 with the current
     * tick and move to a lower level. The tick does not walk there: it leaps to the earliest deadline of the slot, so
     * that 4869 goes straight into the slot which is expired next. A leap enters one slot at most, as the levels below
     * the highest digit that changes have been emptied and those above it do not notice.
     *
     * The place of a node is a function of its tick and the current tick. Nodes of one tick are therefore in one list,
     * whenever they were scheduled, and appending, and cascading from head to tail, keeps them in the order they came.
     *
     * A slot may hold a million nodes, more than one call may move. A slot to be cascaded is therefore first taken out
     * of its level as a whole. This cascading slot is emptied from its head over as many calls as it takes. Until then
     * nothing expires, the current tick stays, and a node that belongs below the level it was taken from queues at its
     * tail: behind all nodes of its tick that came before it, wherever they are by now.
     *
     * A stack may overflow in the middle of anything, and memory may be short. Nothing of this is then half done: all links and
     * what says which slots are occupied are written by three methods that call no other and make nothing, move, enter and
     * clearSlots, the last for one thread's wheels only. An error is thrown before such a method has begun or not at all. What is
     * written elsewhere is a bound or a hint, which may be too careful.
     */

    private final @Nullable Level[] levels = new Level[Level.COUNT];
    int occupiedLevels;
    int size;

    Slot cascading = new Slot(this);
    // The level the cascading slot was taken from; 0, a level that is never cascaded, when it is empty.
    int cascadingLevel;
    private long cascaded;

    long currentTick;

    WheelLevels(long startTick) {
        Ticks.requireStart(startTick);
        currentTick = startTick;
    }

    /** Moves the current tick forward, over ticks for which no node is left. What it enters becomes the cascading slot. */
    final void moveTo(long tick) {
        assert tick >= currentTick && cascadingLevel == 0 && cascading.isEmpty();
        int number = levelOf(tick);
        assert (occupiedLevels & ((1 << number) - 1)) == 0;
        if ((occupiedLevels & (1 << number)) != 0 && number > 0) {
            Level level = level(number);
            int index = Level.slotIndex(tick, number);
            assert level.firstOccupied() >= index;
            if (level.isOccupied(index)) {
                enter(tick, level, number, index);
            }
        }
        currentTick = tick;
    }

    /** Moves the current tick into a slot that is not empty, which becomes the cascading one. Calls nothing. */
    private void enter(long tick, Level level, int number, int index) {
        Slot entered = level.slots[index];
        Slot empty = cascading;
        empty.level = level;
        empty.index = index;
        level.slots[index] = empty;
        level.occupied[index >>> 6] &= ~(1L << index);
        if ((level.occupied[0] | level.occupied[1] | level.occupied[2] | level.occupied[3]) == 0) {
            occupiedLevels &= ~level.bit;
        }
        entered.level = null;
        cascading = entered;
        cascaded = 0;
        cascadingLevel = number;
        currentTick = tick;
    }

    /** Moves at most {@code limit} nodes from the cascading slot to the slots below and returns how many. */
    final long cascade(long limit) {
        long moves = 0;
        while (moves < limit && cascadingLevel > 0) {
            WheelNode node = cascading.next;
            long tick = Math.max(node.deadline, currentTick);
            int number = Level.numberOf(tick, currentTick);
            // A level may have to be made, and memory may be short: before anything has changed.
            Slot slot = level(number).slot(Level.slotIndex(tick, number));
            cascading.noteGone(node.deadline);
            move(node, slot);
            if (++cascaded > Level.CACHED && number == 0) {
                slot.rememberAhead(node);
            }
            moves++;
        }
        return moves;
    }

    /** Returns where a node with this deadline, which is not before the current tick, has to wait. */
    final Slot slotFor(long tick) {
        int number = Level.numberOf(tick, currentTick);
        Level level = level(number);
        int index = Level.slotIndex(tick, number);
        assert number == 0 || index > Level.slotIndex(currentTick, number);
        return number < cascadingLevel ? cascading : level.slot(index);
    }

    /**
     * Takes a node out of the list in which it waits, if any, and puts it at the end of a slot, if one is given. Its deadline is the
     * one that holds there. Calls nothing, so that it is done as a whole or not at all.
     */
    @SuppressWarnings("NullAway") // The links of a node in no list are null, see WheelNode.
    final void move(WheelNode node, @Nullable Slot to) {
        int cascadedFrom = cascadingLevel;
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
                    cascadingLevel = 0;
                } else {
                    emptied.firstAhead = null;
                    emptied.lastAhead = null;
                    emptied.aheadLeft = 0;
                    long[] occupied = level.occupied;
                    occupied[emptied.index >>> 6] &= ~(1L << emptied.index);
                    if ((occupied[0] | occupied[1] | occupied[2] | occupied[3]) == 0) {
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
            Level level = to.level;
            if (level == null) {
                cascadingLevel = cascadedFrom;
            } else {
                level.occupied[to.index >>> 6] |= 1L << to.index;
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
        int number = levelOf(tick);
        return slot == cascading
                ? number < cascadingLevel
                : levels[number] == slot.level && slot.index == Level.slotIndex(tick, number);
    }

    /** Returns the slot in which a deadline is looked for, or null where no level was made yet. */
    private @Nullable Slot properSlot(long deadline) {
        long tick = Math.max(deadline, currentTick);
        int number = levelOf(tick);
        Level level = levels[number];
        return level == null ? null : level.slot(Level.slotIndex(tick, number));
    }

    final Slot firstOccupied() {
        Level level = level(Integer.numberOfTrailingZeros(occupiedLevels));
        return level.slot(level.firstOccupied());
    }

    /** Returns the level that a tick, which is not before the current tick, belongs to. */
    final int levelOf(long tick) {
        return Level.numberOf(tick, currentTick);
    }

    final Level level(int number) {
        Level level = levels[number];
        if (level == null) {
            level = new Level(this, number);
            levels[number] = level;
        }
        return level;
    }

    /** Returns the slot whose bound is the lowest; one is not empty. */
    final Slot firstSlot() {
        Slot first = occupiedLevels == 0 ? cascading : firstOccupied();
        return !cascading.isEmpty() && cascading.bound() < first.bound() ? cascading : first;
    }

    /** Returns a tick that no deadline lies before; {@code Long.MAX_VALUE} if every slot is empty. */
    final long firstBound() {
        long inSlots = occupiedLevels == 0 ? Long.MAX_VALUE : firstOccupied().bound();
        return cascading.isEmpty() ? inSlots : Math.min(inSlots, cascading.bound());
    }

    /** Notes that a node with this deadline leaves its slot: what is known of the slot's earliest deadline may no longer hold. */
    final void noteGoneFromSlots(long deadline) {
        Slot slot = properSlot(deadline);
        if (slot != null) {
            slot.noteGone(deadline);
        }
        // The node may as well have been in the cascading slot. To take this for granted costs a scan at worst.
        cascading.noteGone(deadline);
    }

    /** Notes that a node with this deadline will have a later one, where it waits. */
    final void loosen(long deadline) {
        Slot slot = properSlot(deadline);
        if (slot != null) {
            slot.loosen();
        }
        cascading.loosen();
    }

    final void forEachNode(Consumer<WheelNode> action) {
        cascading.forEach(action);
        for (int levelsLeft = occupiedLevels; levelsLeft != 0; levelsLeft &= levelsLeft - 1) {
            Level level = level(Integer.numberOfTrailingZeros(levelsLeft));
            for (int index = 0; index < Level.SLOTS; index++) {
                level.slot(index).forEach(action);
            }
        }
    }

    /** Forgets all nodes. O(nodes), a few writes each. */
    final void clearSlots() {
        for (int levelsLeft = occupiedLevels; levelsLeft != 0; levelsLeft &= levelsLeft - 1) {
            level(Integer.numberOfTrailingZeros(levelsLeft)).clear();
        }
        occupiedLevels = 0;
        size = 0;
        cascading.clear();
        cascadingLevel = 0;
    }
}
