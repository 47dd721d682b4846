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
public final class HierarchicalWheel<T extends WheelNode> {
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
     * of its level as a whole and becomes the limbo, which is emptied from its head over as many calls as it takes.
     * Until then nothing expires, the current tick stays, and a node that belongs below the level of the limbo queues
     * at the limbo's tail: behind all nodes of its tick that came before it, wherever they are by now.
     */
    // A node comes down once a level at most: with this factor a call can cascade all the nodes it may expire.
    private static final int MOVES_PER_EXPIRY = Level.COUNT;

    private final @Nullable Level[] levels = new Level[Level.COUNT];
    private int occupiedLevels;

    private Slot limbo = new Slot(this);
    // The level the limbo was taken from; 0, a level that is never cascaded, when the limbo is empty.
    private int limboLevel;
    private long cascaded;

    private long currentTick;
    private int size;
    private boolean advancing;

    private long earliest = Long.MAX_VALUE;
    private boolean earliestKnown = true;
    private boolean onlyBounds;

    /**
     * Makes an empty wheel.
     *
     * @param startTick the first current tick, not negative
     */
    public HierarchicalWheel(long startTick) {
        Ticks.requireStart(startTick);
        currentTick = startTick;
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
        long tick = Math.max(deadlineTick, currentTick);
        int number = Level.numberOf(tick, currentTick);
        // A level may have to be made, and memory may be short: before anything has changed.
        Level level = level(number);
        node.deadline = deadlineTick;
        size++;
        if (deadlineTick <= earliest) {
            // Right even while the earliest deadline is not known: what is kept then is a lower bound.
            earliest = deadlineTick;
            earliestKnown = true;
        }
        if (number < limboLevel) {
            limbo.add(node);
        } else {
            place(node, tick, level, number);
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
        cancel(node);
        schedule(node, deadlineTick);
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
        Slot slot = properSlot(node.deadline);
        if (slot != null) {
            slot.loosen();
        }
        limbo.loosen();
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
            return expire(nowTick, limit, handler);
        } finally {
            advancing = false;
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
        size--;
        unlink(node);
    }

    /** Moves an empty wheel to a tick; one before the current tick does nothing. O(1). */
    void skipTo(long tick) {
        assert size == 0 && !advancing;
        currentTick = Math.max(currentTick, tick);
    }

    /**
     * Returns a tick that no deadline lies before; {@code Long.MAX_VALUE} if no node is scheduled. Always O(1). It is
     * the next deadline unless the earliest node of the first occupied slot was cancelled or postponed; then an advance
     * to it, which sorts that slot, is needed to know better.
     */
    long nextDeadlineBound() {
        long inSlots = occupiedLevels == 0 ? Long.MAX_VALUE : firstOccupied().bound();
        return limbo.isEmpty() ? inSlots : Math.min(inSlots, limbo.bound());
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
        forEach(limbo, action);
        for (int levelsLeft = occupiedLevels; levelsLeft != 0; levelsLeft &= levelsLeft - 1) {
            Level level = level(Integer.numberOfTrailingZeros(levelsLeft));
            for (int index = 0; index < Level.SLOTS; index++) {
                forEach(level.slot(index), action);
            }
        }
    }

    private void forEach(Slot slot, Consumer<? super T> action) {
        for (WheelNode node = slot.next; node != slot; node = node.next) {
            // Only schedule and reschedule bring nodes in, and they take a T.
            @SuppressWarnings("unchecked")
            T scheduled = (T) node;
            action.accept(scheduled);
        }
    }

    /** Cancels all nodes. O(nodes), a few writes each; the current tick stays. */
    public void clear() {
        for (int levelsLeft = occupiedLevels; levelsLeft != 0; levelsLeft &= levelsLeft - 1) {
            level(Integer.numberOfTrailingZeros(levelsLeft)).clear();
        }
        occupiedLevels = 0;
        limbo.clear();
        limboLevel = 0;
        size = 0;
        earliest = Long.MAX_VALUE;
        earliestKnown = true;
    }

    private int expire(long nowTick, int limit, ExpiryHandler<? super T> handler) {
        int expired = 0;
        long moves = (long) MOVES_PER_EXPIRY * limit;
        while (true) {
            moves -= cascade(moves);
            if (limboLevel > 0) {
                return expired;
            }
            Slot due = level(0).slot(Level.slotIndex(currentTick, 0));
            while (!due.isEmpty() && expired < limit) {
                due.fetchAhead();
                // Only schedule and reschedule bring nodes in, and they take a T.
                @SuppressWarnings("unchecked")
                T node = (T) due.next;
                if (node.deadline > currentTick) {
                    if (moves == 0) {
                        return expired;
                    }
                    refile(node);
                    moves--;
                } else {
                    removeFirst(due);
                    size--;
                    earliestKnown = false;
                    expired++;
                    handler.expired(node);
                }
            }
            if (size == 0 || firstOccupied().bound() > nowTick) {
                moveTo(nowTick);
                cascade(moves);
                return expired;
            }
            if (expired == limit) {
                return expired;
            }
            moveTo(firstOccupied().bound());
        }
    }

    /** Moves the current tick forward, over ticks for which no node is left. What it enters becomes the limbo. */
    private void moveTo(long tick) {
        assert tick >= currentTick && limboLevel == 0 && limbo.isEmpty();
        int number = levelOf(tick);
        assert (occupiedLevels & ((1 << number) - 1)) == 0;
        currentTick = tick;
        if ((occupiedLevels & (1 << number)) == 0 || number == 0) {
            return;
        }
        Level level = level(number);
        int index = Level.slotIndex(tick, number);
        assert level.firstOccupied() >= index;
        if (level.isOccupied(index)) {
            limbo = level.exchange(index, limbo);
            cascaded = 0;
            limboLevel = number;
            noteVacated(level, number);
        }
    }

    /** Moves at most {@code limit} nodes from the limbo to the slots below and returns how many. */
    private long cascade(long limit) {
        long moves = 0;
        while (moves < limit && !limbo.isEmpty()) {
            long tick = Math.max(limbo.next.deadline, currentTick);
            int number = Level.numberOf(tick, currentTick);
            // A level may have to be made, and memory may be short: before anything has changed.
            Level level = level(number);
            WheelNode node = removeFirst(limbo);
            Slot slot = place(node, tick, level, number);
            if (++cascaded > Level.CACHED && number == 0) {
                slot.rememberAhead(node);
            }
            moves++;
        }
        return moves;
    }

    private WheelNode removeFirst(Slot slot) {
        WheelNode node = slot.removeFirst();
        slot.noteGone(node.deadline);
        if (slot.isEmpty()) {
            noteEmptied(slot);
        }
        return node;
    }

    private Slot place(WheelNode node, long tick, Level level, int number) {
        int index = Level.slotIndex(tick, number);
        assert number == 0 || index > Level.slotIndex(currentTick, number);
        Slot slot = level.slot(index);
        if (slot.add(node)) {
            level.occupy(index);
            occupiedLevels |= 1 << number;
        }
        return slot;
    }

    private void remove(WheelNode node) {
        size--;
        noteGone(node.deadline);
        unlink(node);
    }

    /** Says that a node with this deadline leaves: what is known of the earliest deadline may no longer hold. */
    private void noteGone(long deadline) {
        if (deadline == earliest) {
            earliestKnown = false;
        }
        Slot slot = properSlot(deadline);
        if (slot != null) {
            slot.noteGone(deadline);
        }
        // The node may as well have been in the limbo. To take this for granted costs a scan at worst.
        limbo.noteGone(deadline);
    }

    /** Takes a node out of its list, wherever that is: a postponed node waits elsewhere than its deadline says. */
    private void unlink(WheelNode node) {
        WheelNode neighbour = node.next;
        boolean alone = neighbour == node.prev;
        node.unlink();
        if (alone) {
            noteEmptied((Slot) neighbour);
        }
    }

    /** Moves a node that was postponed to where its deadline says. */
    private void refile(WheelNode node) {
        long tick = Math.max(node.deadline, currentTick);
        int number = Level.numberOf(tick, currentTick);
        Level level = level(number);
        unlink(node);
        place(node, tick, level, number);
    }

    private void noteEmptied(Slot slot) {
        if (slot == limbo) {
            limboLevel = 0;
        } else {
            slot.forgetAhead();
            Level level = level(slot.level);
            level.vacate(slot.index);
            noteVacated(level, slot.level);
        }
    }

    private void noteVacated(Level level, int number) {
        if (level.isEmpty()) {
            occupiedLevels &= ~(1 << number);
        }
    }

    private long findEarliest() {
        while (size > 0) {
            Slot first = occupiedLevels == 0 ? limbo : firstOccupied();
            if (!limbo.isEmpty() && limbo.bound() < first.bound()) {
                first = limbo;
            }
            if (first.isExact()) {
                return first.bound();
            }
            sort(first);
        }
        return Long.MAX_VALUE;
    }

    /** Finds the earliest deadline in a slot. Nodes that were postponed to another slot go there on the way. */
    private void sort(Slot slot) {
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
        return slot == limbo
                ? number < limboLevel
                : number == slot.level && slot.index == Level.slotIndex(tick, number);
    }

    /** Returns the slot in which a deadline is looked for, or null where no level was made yet. */
    private @Nullable Slot properSlot(long deadline) {
        long tick = Math.max(deadline, currentTick);
        int number = levelOf(tick);
        Level level = levels[number];
        return level == null ? null : level.slot(Level.slotIndex(tick, number));
    }

    private Slot firstOccupied() {
        Level level = level(Integer.numberOfTrailingZeros(occupiedLevels));
        return level.slot(level.firstOccupied());
    }

    /** Returns the level that a tick, which is not before the current tick, belongs to. */
    private int levelOf(long tick) {
        return Level.numberOf(tick, currentTick);
    }

    private Level level(int number) {
        Level level = levels[number];
        if (level == null) {
            level = new Level(this, number);
            levels[number] = level;
        }
        return level;
    }

    private void requireOwn(WheelNode node) {
        boolean alone = node.next == node.prev;
        if (size == 0 || (alone && ((Slot) node.next).wheel != this)) {
            throw new IllegalStateException("node with deadlineTick " + node.deadline + " is in another wheel");
        }
    }
}
