package io.tickwheel.engine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What any thread leaves for the loop, taken in the order in which it came. Adding is one compare-and-set and makes no
 * object; taking swaps out all there is and turns it round, O(1) each. No thread waits for another.
 *
 * @param <T> its links are used by one {@code Arrivals} at a time
 */
final class Arrivals<T extends Arrivals.Link> {

    private final AtomicReference<@Nullable Link> newest = new AtomicReference<>();
    private final Link closedMark = new Link();

    /** Owned by the loop: taken in, the oldest first. */
    private @Nullable Link oldest;

    /** Points to what came before it, and once it is taken to what came after it. */
    static class Link {

        @Nullable
        Link next;
    }

    /** Returns false when closed. */
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

    /** From now on nothing is taken in. What is in can still be taken out. */
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

    /** The next one, or null when there is none now. To be called by the loop only. */
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
