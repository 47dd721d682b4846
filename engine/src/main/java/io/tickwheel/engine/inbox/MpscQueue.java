package io.tickwheel.engine.inbox;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue of many producers and one consumer, first in, first out: the structure that the {@link Inbox} of the loop is made of, and
 * nothing is known here of what goes through it. Adding is one compare-and-set and makes no object; taking swaps out all there is and
 * turns it round, O(1) each. No thread waits for another.
 *
 * @param <T> its links are used by one queue at a time
 */
final class MpscQueue<T extends MpscQueue.Link> {

    private final AtomicReference<@Nullable Link> newest = new AtomicReference<>();
    private final Link closedMark = new Link();

    /** Owned by the loop: what was taken in, the oldest first. */
    private @Nullable Link oldest;

    /** Points to what came before it, and once it is taken to what came after it. */
    static class Link {

        @Nullable
        Link next;
    }

    /** Adds to the end, and returns false when the queue is closed. Any thread may call this. */
    boolean add(T added) {
        Link before;
        do {
            before = newest.get();
            if (before == closedMark) {
                return false;
            }
            added.next = before;
        } while (!newest.compareAndSet(before, added));
        return true;
    }

    /** Lets nothing in from now on. What is in can still be taken out. Any thread may call this. */
    void close() {
        Link before;
        do {
            before = newest.get();
            if (before == closedMark) {
                return;
            }
            closedMark.next = before;
        } while (!newest.compareAndSet(before, closedMark));
    }

    /** Takes out the first one, or returns null when there is none now. Only the loop calls this. */
    @Nullable
    T poll() {
        if (oldest == null) {
            oldest = reversed(takeAll());
        }
        Link first = oldest;
        if (first != null) {
            oldest = first.next;
            first.next = null;
        }
        // Only add brings links in, and it takes a T.
        @SuppressWarnings("unchecked")
        T polled = (T) first;
        return polled;
    }

    private @Nullable Link takeAll() {
        Link all;
        do {
            all = newest.get();
            if (all == closedMark) {
                Link rest = closedMark.next;
                closedMark.next = null;
                return rest;
            }
        } while (all != null && !newest.compareAndSet(all, null));
        return all;
    }

    private static @Nullable Link reversed(@Nullable Link last) {
        Link first = null;
        Link rest = last;
        while (rest != null) {
            Link before = rest.next;
            rest.next = first;
            first = rest;
            rest = before;
        }
        return first;
    }
}
