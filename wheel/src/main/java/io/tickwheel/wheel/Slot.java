package io.tickwheel.wheel;

/**
 * The nodes of one slot in the order they came, as a circular list through the slot itself, and what is known of the
 * earliest deadline among them. Append, removal and {@link #bound} are O(1). {@link #earliest} is O(1) too while the
 * nodes came in the order of their deadlines or the earliest one was not removed; else it scans the list once.
 */
final class Slot extends WheelNode {
    // The inherited deadline is a lower bound of the deadlines in the list. A removal can make it too low, never too
    // high. It is used only once the list is not ascending: timers of one fixed delay arrive in the order of their
    // deadlines, and for them the head is the earliest, whatever was removed.
    private boolean ascending;
    private boolean exact;

    boolean isEmpty() {
        return next == this;
    }

    void append(WheelNode node) {
        assert !node.isScheduled();
        long tick = node.deadline;
        WheelNode tail = prev;
        if (tail == this) {
            ascending = true;
        } else if (ascending && tick < tail.deadline) {
            deadline = Math.min(next.deadline, tick);
            ascending = false;
            exact = true;
        } else if (tick <= deadline) {
            deadline = tick;
            exact = true;
        }
        node.prev = tail;
        node.next = this;
        tail.next = node;
        prev = node;
    }

    /** Says that a node with this deadline was, or may have been, taken out of the list. */
    void removed(long deadlineTick) {
        if (deadlineTick == deadline) {
            exact = false;
        }
    }

    /** Returns a tick that no deadline in the list, which is not empty, lies before. */
    long bound() {
        assert !isEmpty();
        return ascending ? next.deadline : deadline;
    }

    /** Returns the earliest deadline in the list, which is not empty. */
    long earliest() {
        if (!ascending && !exact) {
            deadline = scan(deadline);
            exact = true;
        }
        return bound();
    }

    private long scan(long bound) {
        long earliest = Long.MAX_VALUE;
        for (WheelNode node = next; node != this && earliest > bound; node = node.next) {
            earliest = Math.min(earliest, node.deadline);
        }
        assert earliest >= bound;
        return earliest;
    }

    void clear() {
        for (WheelNode node = next; node != this; ) {
            WheelNode following = node.next;
            node.next = node;
            node.prev = node;
            node = following;
        }
        next = this;
        prev = this;
    }
}
