package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/**
 * The nodes of one slot of a {@link HierarchicalWheel}, where the slot is, and what is known of the earliest deadline in
 * it. {@link WheelLevels#move} alone puts nodes in and takes them out. Everything but {@link #clear} is O(1).
 */
final class Slot extends NodeList {
    // Where the slot is: its level and its index in the ring; or null, for one that comes down, and the level to which
    // it does.
    @Nullable
    Level level;

    int index;

    // How many nodes were added since it was empty.
    int added;

    // The inherited deadline is a lower bound of the deadlines in the list. What leaves can make it too low, never too
    // high. It is used only once the list is not ascending: timers of one fixed delay arrive in the order of their
    // deadlines, and for them the head is the earliest, whatever was removed.
    boolean ascending;
    boolean exact;

    @Nullable
    Prefetch firstAhead;

    @Nullable
    Prefetch lastAhead;

    int aheadLeft;
    // Only ever written, so that the reads of a fetch are not left out.
    @SuppressWarnings("UnusedVariable")
    private long fetched;

    Slot(@Nullable Level level, int index) {
        this.level = level;
        this.index = index;
    }

    /** Remembers a node of the list for {@link #fetchAhead}. */
    void rememberAhead(WheelNode node) {
        Prefetch last = lastAhead;
        if (last == null) {
            last = new Prefetch();
            firstAhead = last;
        }
        lastAhead = last.add(node);
    }

    /** Called before a node is taken from the head: fetches the next ones from memory, if they were remembered. */
    void fetchAhead() {
        if (aheadLeft > 0) {
            aheadLeft--;
            return;
        }
        Prefetch ahead = firstAhead;
        if (ahead != null) {
            fetched += ahead.fetch();
            aheadLeft = Math.max(0, ahead.count() - 1);
            firstAhead = ahead.next();
            if (firstAhead == null) {
                lastAhead = null;
            }
        }
    }

    void forgetAhead() {
        firstAhead = null;
        lastAhead = null;
        aheadLeft = 0;
    }

    /** Notes that a node with this deadline leaves the list, or may leave it, or gets a later deadline. */
    void noteGone(long deadlineTick) {
        if (deadlineTick == deadline) {
            exact = false;
        }
    }

    /** Notes that a deadline in the list may rise: from now on the order of the list tells nothing. */
    void loosen() {
        if (ascending && !isEmpty()) {
            deadline = next.deadline;
            exact = true;
            ascending = false;
        }
    }

    /** Returns a tick that no deadline in the list, which is not empty, lies before. */
    long bound() {
        assert !isEmpty();
        return ascending ? next.deadline : deadline;
    }

    /** Returns whether {@link #bound} is a deadline in the list, and not only a bound. */
    boolean isExact() {
        return ascending || exact;
    }

    /** Notes which deadline is the earliest, after a look at all of them. */
    void setEarliest(long deadlineTick) {
        assert isEmpty() || deadlineTick >= bound();
        deadline = deadlineTick;
        ascending = false;
        exact = true;
    }

    @Override
    void clear() {
        super.clear();
        forgetAhead();
    }
}
