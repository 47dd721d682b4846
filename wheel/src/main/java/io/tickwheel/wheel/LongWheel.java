package io.tickwheel.wheel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Timers in a hierarchical timing wheel over primitive arrays: a timer is a {@code long} handle and 20 bytes, not an
 * object. Schedule and cancel are O(1), without allocation but for growth; advance is O(timers expired and moved),
 * bounded by its limit. Not thread-safe: one thread, or one lock, owns a wheel. Order: by tick, and within a tick first
 * scheduled, first expired; late counts as {@link #currentTick}. The unit of a tick is the caller's; no clock is read.
 *
 * <p>For programs that have no object per timer. The other classes here do not use it, nor does Tickwheel's engine, whose loaded timers
 * are objects anyway and wait in a {@link HierarchicalWheel}.
 */
public final class LongWheel {
    /*
     * G. Varghese, T. Lauck, "Hashed and Hierarchical Timing Wheels: Data Structures for the Efficient Implementation
     * of a Timer Facility", SOSP 1987, scheme 7. The geometry is that of HierarchicalWheel, explained in WheelLevels:
     * 8 levels of 256 slots, the level of a timer is the highest digit to the base 256 in which its tick differs from
     * the current tick, the tick leaps to the earliest deadline of a slot it enters, and from that slot, the cascading
     * one, a bounded number of timers per call come down. What differs is where things are:
     *
     *     handle 0x00000002_00000007
     *              |        '-- index: the place of the timer, and of what the caller keeps for it
     *              '----------- generation: which use of the place
     *
     *     index  deadline  next  prev  generation          slot 0xF7 of level 0
     *       7      4855      9     -       2        <----- head 7
     *       8      (free)   11            -4               earliest deadline 4855
     *       9      4855      -     7       5        <----- tail 9
     *
     * A handle names a place, the index, and which use of the place is meant, the generation. For example, the timer
     * of handle 0x2_00000007 is cancelled and the next timer gets its place, with handle 0x3_00000007: a second cancel
     * with the old handle meets generation 3 and does nothing. A generation is at most 2^31 - 1; a place which had them
     * all is left unused, so that an old handle never names a new timer.
     *
     * An index is less than the capacity, and the place freed last is used first: what belongs to a timer can be kept
     * in an array at its index. The wheel therefore keeps no value for it.
     */

    /** The most timers that can be scheduled at a time, 2^31 - 4096. */
    public static final int MAX_TIMERS = Entries.MAX_ENTRIES;

    // A timer comes down once a level at most: with this factor a call can cascade all the timers it may expire.
    private static final int MOVES_PER_EXPIRY = Level.COUNT;

    private final Entries entries;
    private final @Nullable EntryLists[] levels = new EntryLists[Level.COUNT];
    private int occupiedLevels;

    // One list. It was taken from a slot of cascadingLevel, which is 0, a level that is never cascaded, when it is
    // empty.
    private final EntryLists cascading;
    private int cascadingLevel;
    private long cascaded;

    private long currentTick;
    private int size;
    private boolean advancing;

    private long earliest = Long.MAX_VALUE;
    private boolean earliestKnown = true;

    /**
     * Makes an empty wheel.
     *
     * @param startTick the first current tick, not negative
     */
    public LongWheel(long startTick) {
        this(startTick, new Entries());
    }

    LongWheel(long startTick, Entries entries) {
        Ticks.requireStart(startTick);
        this.entries = entries;
        cascading = new EntryLists(entries, 1);
        currentTick = startTick;
    }

    /**
     * Makes a timer that expires at the first advance to {@code deadlineTick} or later. O(1). A deadline at or before
     * the current tick is due at the next advance, or at the one under way; the timer keeps that deadline, but expires
     * behind those that already wait for the current tick.
     *
     * @param deadlineTick a tick, not negative
     * @return the handle of the timer, greater than 0; no other timer of this wheel ever has it
     * @throws IllegalArgumentException if the deadline is negative
     * @throws IllegalStateException if {@link #MAX_TIMERS} are scheduled
     */
    public long schedule(long deadlineTick) {
        Ticks.requireDeadline(deadlineTick);
        // A level may have to be made, and memory may be short: before anything has changed.
        level(Level.numberOf(Math.max(deadlineTick, currentTick), currentTick));
        int entry = entries.allocate();
        add(entry, deadlineTick);
        return entries.handle(entry);
    }

    /**
     * Ends a timer at once. O(1).
     *
     * @return false if no timer has this handle, which may be any number: it expired, was cancelled or never was
     */
    public boolean cancel(long handle) {
        if (!entries.isLive(handle)) {
            return false;
        }
        int entry = index(handle);
        remove(entry);
        entries.free(entry);
        return true;
    }

    /**
     * Gives a timer a new deadline, as if it were scheduled now: behind all timers of that tick. It keeps its handle.
     * O(1).
     *
     * @param deadlineTick a tick, not negative
     * @return false if no timer has this handle; nothing is scheduled then
     * @throws IllegalArgumentException if the deadline is negative; the timer keeps the one it has
     */
    public boolean reschedule(long handle, long deadlineTick) {
        Ticks.requireDeadline(deadlineTick);
        if (!entries.isLive(handle)) {
            return false;
        }
        int entry = index(handle);
        remove(entry);
        add(entry, deadlineTick);
        return true;
    }

    /** Returns whether a timer has this handle: from its scheduling until it is handed out, cancelled or cleared. */
    public boolean isScheduled(long handle) {
        return entries.isLive(handle);
    }

    /**
     * Returns the deadline of a timer, in ticks.
     *
     * @throws IllegalArgumentException if no timer has this handle
     */
    public long deadlineTick(long handle) {
        if (!entries.isLive(handle)) {
            throw new IllegalArgumentException("handle " + handle + " is not that of a scheduled timer");
        }
        return entries.deadline(index(handle));
    }

    /**
     * Returns the place of a timer: from 0 to {@link #capacity} - 1, different for all timers scheduled at a time, and
     * given to another timer after this one has ended.
     *
     * @param handle what {@link #schedule} returned
     */
    public static int index(long handle) {
        return (int) handle;
    }

    /** Returns how many timers there are places for; it grows by 4096 when a schedule finds none, and never shrinks. */
    public int capacity() {
        return entries.capacity();
    }

    /**
     * Hands timers with a deadline at or before {@code nowTick} to the handler, in the order of the class description,
     * and moves the current tick as far towards {@code nowTick} as the limit and the timers that are left allow. Time
     * does not run backwards: a {@code nowTick} before the current tick does nothing.
     *
     * <p>One call expires at most {@code limit} timers, moves at most eight times as many to a lower level, and visits
     * no slot that is empty. It can return less than the limit, even 0, with due timers left, when it spent its moves
     * on a slot with many timers; every such call comes closer. Ask {@link #hasDue} whether to call again.
     *
     * <p>What the handler schedules for a tick at or before {@code nowTick} is part of the same advance, in its order
     * and within the limit.
     *
     * @param nowTick the tick that time has reached
     * @param limit how many timers to expire at most, 1 or more
     * @return how many timers have expired
     * @throws IllegalArgumentException if the limit is less than 1
     * @throws IllegalStateException if called by the handler
     */
    public int advance(long nowTick, int limit, LongExpiryHandler handler) {
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
     * Returns whether a timer is due at {@code nowTick}: whether {@link #advance} to it has something to expire. False
     * for a tick before the current one. Costs what {@link #nextDeadlineTick} costs.
     */
    public boolean hasDue(long nowTick) {
        return size > 0 && nowTick >= currentTick && nextDeadlineTick() <= nowTick;
    }

    /**
     * Returns the earliest deadline of all timers, exactly; {@code Long.MAX_VALUE} if there is none before it, that is,
     * for an empty wheel too. It lies before the current tick when such a timer is left.
     *
     * <p>A field read while the earliest timer stays. Once it has expired or was cancelled, the next call looks at the
     * first occupied slot: O(1), unless a cancel took the earliest timer of that slot and the slot was not filled in
     * the order of deadlines, as timers of one delay fill it. Then the timers of the slot are scanned, once for each
     * such cancel: O(1) on average when timers are cancelled at random, O(timers of the slot) at worst.
     */
    public long nextDeadlineTick() {
        if (!earliestKnown) {
            earliest = findEarliest();
            earliestKnown = true;
        }
        return earliest;
    }

    /** Returns how many timers are scheduled. */
    public int size() {
        return size;
    }

    /** Returns whether no timer is scheduled. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns the tick the wheel stands on. It never falls. */
    public long currentTick() {
        return currentTick;
    }

    /** Cancels all timers. O(timers), a few writes each; the current tick and the capacity stay. */
    public void clear() {
        for (int levelsLeft = occupiedLevels; levelsLeft != 0; levelsLeft &= levelsLeft - 1) {
            level(Integer.numberOfTrailingZeros(levelsLeft)).free();
        }
        occupiedLevels = 0;
        cascading.free();
        cascadingLevel = 0;
        size = 0;
        earliest = Long.MAX_VALUE;
        earliestKnown = true;
    }

    private void add(int entry, long deadlineTick) {
        entries.setDeadline(entry, deadlineTick);
        size++;
        if (deadlineTick <= earliest) {
            // Right even while the earliest deadline is not known: what is kept then is a lower bound.
            earliest = deadlineTick;
            earliestKnown = true;
        }
        long tick = Math.max(deadlineTick, currentTick);
        int number = Level.numberOf(tick, currentTick);
        if (number < cascadingLevel) {
            cascading.append(0, entry, deadlineTick);
        } else {
            place(entry, deadlineTick, tick, number);
        }
    }

    private void place(int entry, long deadlineTick, long tick, int number) {
        int index = Level.slotIndex(tick, number);
        assert number == 0 || index > Level.slotIndex(currentTick, number);
        level(number).append(index, entry, deadlineTick);
        occupiedLevels |= 1 << number;
    }

    private void remove(int entry) {
        long deadline = entries.deadline(entry);
        if (cascadingLevel > 0) {
            // It may as well be in the cascading slot. To take this for granted costs a scan at worst.
            cascading.removed(0, deadline);
            if (cascading.hasEnd(0, entry)) {
                noteRemoved(deadline);
                cascading.unlink(0, entry, deadline);
                noteCascading();
                return;
            }
        }
        long tick = Math.max(deadline, currentTick);
        int number = Level.numberOf(tick, currentTick);
        remove(entry, deadline, level(number), number, Level.slotIndex(tick, number));
    }

    private void remove(int entry, long deadline, EntryLists level, int number, int index) {
        noteRemoved(deadline);
        level.unlink(index, entry, deadline);
        noteVacated(level, number);
    }

    private void noteRemoved(long deadline) {
        size--;
        if (deadline == earliest) {
            earliestKnown = false;
        }
    }

    private int expire(long nowTick, int limit, LongExpiryHandler handler) {
        int expired = 0;
        long moves = (long) MOVES_PER_EXPIRY * limit;
        while (true) {
            moves -= cascade(moves);
            if (cascadingLevel > 0) {
                return expired;
            }
            expired += expireCurrentTick(limit - expired, handler);
            if (size == 0 || firstBound() > nowTick) {
                moveTo(nowTick);
                cascade(moves);
                return expired;
            }
            if (expired == limit) {
                return expired;
            }
            moveTo(firstBound());
        }
    }

    private int expireCurrentTick(int limit, LongExpiryHandler handler) {
        EntryLists level = level(0);
        int index = Level.slotIndex(currentTick, 0);
        int expired = 0;
        while (expired < limit && !level.isEmpty(index)) {
            level.fetchAhead(index);
            int entry = level.head(index);
            long handle = entries.handle(entry);
            long deadline = entries.deadline(entry);
            assert deadline <= currentTick;
            remove(entry, deadline, level, 0, index);
            entries.free(entry);
            expired++;
            handler.expired(handle, deadline);
        }
        return expired;
    }

    /** Moves the current tick forward, over ticks for which no timer is left. What it enters becomes the cascading slot. */
    private void moveTo(long tick) {
        assert tick >= currentTick && cascadingLevel == 0 && cascading.isEmpty();
        int number = Level.numberOf(tick, currentTick);
        assert (occupiedLevels & ((1 << number) - 1)) == 0;
        currentTick = tick;
        if ((occupiedLevels & (1 << number)) == 0 || number == 0) {
            return;
        }
        EntryLists level = level(number);
        int index = Level.slotIndex(tick, number);
        assert level.firstOccupied() >= index;
        if (!level.isEmpty(index)) {
            cascading.takeOver(0, level, index);
            cascaded = 0;
            cascadingLevel = number;
            noteVacated(level, number);
        }
    }

    /** Moves at most {@code limit} timers from the cascading slot to the slots below and returns how many. */
    private long cascade(long limit) {
        long moves = 0;
        while (moves < limit && cascadingLevel > 0) {
            int entry = cascading.head(0);
            long deadline = entries.deadline(entry);
            cascading.unlink(0, entry, deadline);
            long tick = Math.max(deadline, currentTick);
            int number = Level.numberOf(tick, currentTick);
            assert number < cascadingLevel;
            place(entry, deadline, tick, number);
            noteCascading();
            if (++cascaded > Level.CACHED && number == 0) {
                level(0).rememberAhead(Level.slotIndex(tick, 0), entry);
            }
            moves++;
        }
        return moves;
    }

    private void noteCascading() {
        if (cascading.isEmpty()) {
            cascadingLevel = 0;
        }
    }

    private void noteVacated(EntryLists level, int number) {
        if (level.isEmpty()) {
            occupiedLevels &= ~(1 << number);
        }
    }

    private long findEarliest() {
        if (size == 0) {
            return Long.MAX_VALUE;
        }
        long inSlots = Long.MAX_VALUE;
        if (occupiedLevels != 0) {
            EntryLists level = level(Integer.numberOfTrailingZeros(occupiedLevels));
            inSlots = level.earliest(level.firstOccupied());
        }
        return cascading.isEmpty() || inSlots <= cascading.bound(0)
                ? inSlots
                : Math.min(inSlots, cascading.earliest(0));
    }

    private long firstBound() {
        EntryLists level = level(Integer.numberOfTrailingZeros(occupiedLevels));
        return level.bound(level.firstOccupied());
    }

    private EntryLists level(int number) {
        EntryLists level = levels[number];
        if (level == null) {
            level = new EntryLists(entries, Level.BLOCK);
            levels[number] = level;
        }
        return level;
    }
}
