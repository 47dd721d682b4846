package io.tickwheel.wheel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lists of {@link Entries}, as many as a level has slots: the entries of each in the order they came, which lists have
 * any, and what is known of the earliest deadline in each. What {@link Slot} and {@link Level} are to nodes, in arrays
 * and at the same cost.
 */
final class EntryLists {
    private static final int NONE = Entries.NONE;

    // The deadlines of the list do not fall from head to tail: the bound is the deadline of the head. Timers of one
    // fixed delay arrive in this order, and for them the earliest deadline is known whatever was removed.
    private static final byte ASCENDING = 0;
    // The bound is the earliest deadline of the list.
    private static final byte EXACT = 1;
    // The bound is not after the earliest deadline of the list.
    private static final byte LOWER = 2;

    private final Entries entries;
    private final int[] heads;
    private final int[] tails;
    private final long[] bounds;
    private final byte[] states;
    private final Occupancy occupied;

    // Of each list, null while nothing is remembered.
    private final @Nullable EntryPrefetch[] firstAhead;
    private final @Nullable EntryPrefetch[] lastAhead;
    private final int[] aheadLeft;
    // Only ever written, so that the reads of a fetch are not left out.
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    /** Makes empty lists; their number is a power of two. */
    EntryLists(Entries entries, int lists) {
        this.entries = entries;
        heads = new int[lists];
        tails = new int[lists];
        bounds = new long[lists];
        states = new byte[lists];
        occupied = new Occupancy(lists);
        firstAhead = new EntryPrefetch[lists];
        lastAhead = new EntryPrefetch[lists];
        aheadLeft = new int[lists];
        Arrays.fill(heads, NONE);
        Arrays.fill(tails, NONE);
    }

    /** Returns whether all lists are empty. */
    boolean isEmpty() {
        return occupied.isEmpty();
    }

    boolean isEmpty(int list) {
        return heads[list] == NONE;
    }

    /** Returns the first list that is not empty; there is one. */
    int firstOccupied() {
        return occupied.first();
    }

    int head(int list) {
        return heads[list];
    }

    /** Returns whether the list, which may be empty, starts or ends with this entry. */
    boolean hasEnd(int list, int entry) {
        return heads[list] == entry || tails[list] == entry;
    }

    /** Appends an entry that is in no list. */
    void append(int list, int entry, long deadline) {
        int tail = tails[list];
        entries.setPrev(entry, tail);
        entries.setNext(entry, NONE);
        tails[list] = entry;
        if (tail == NONE) {
            heads[list] = entry;
            bounds[list] = deadline;
            states[list] = ASCENDING;
            occupied.occupy(list);
            return;
        }
        entries.setNext(tail, entry);
        if (states[list] == ASCENDING) {
            if (deadline < entries.deadline(tail)) {
                bounds[list] = Math.min(bounds[list], deadline);
                states[list] = EXACT;
            }
        } else if (deadline <= bounds[list]) {
            bounds[list] = deadline;
            states[list] = EXACT;
        }
    }

    /** Takes an entry out of the list, or out of the middle of whatever list it is in. */
    void unlink(int list, int entry, long deadline) {
        int next = entries.next(entry);
        int prev = entries.prev(entry);
        if (next == NONE) {
            tails[list] = prev;
        } else {
            entries.setPrev(next, prev);
        }
        if (prev != NONE) {
            entries.setNext(prev, next);
            removed(list, deadline);
            return;
        }
        heads[list] = next;
        if (next == NONE) {
            vacate(list);
        } else if (states[list] == ASCENDING) {
            bounds[list] = entries.deadline(next);
        } else {
            removed(list, deadline);
        }
    }

    /** Remembers an entry of the list for {@link #fetchAhead}. */
    void rememberAhead(int list, int entry) {
        EntryPrefetch last = lastAhead[list];
        if (last == null) {
            last = new EntryPrefetch();
            firstAhead[list] = last;
        }
        lastAhead[list] = last.add(entry);
    }

    /** Called before an entry is taken from the head: fetches the next ones from memory, if they were remembered. */
    void fetchAhead(int list) {
        if (aheadLeft[list] > 0) {
            aheadLeft[list]--;
            return;
        }
        EntryPrefetch ahead = firstAhead[list];
        if (ahead != null) {
            fetched += ahead.fetch(entries);
            aheadLeft[list] = Math.max(0, ahead.count() - 1);
            firstAhead[list] = ahead.next();
            if (ahead.next() == null) {
                lastAhead[list] = null;
            }
        }
    }

    private void vacate(int list) {
        occupied.vacate(list);
        firstAhead[list] = null;
        lastAhead[list] = null;
        aheadLeft[list] = 0;
    }

    /** Notes that an entry with this deadline was, or may have been, taken out of the list. */
    void removed(int list, long deadline) {
        if (states[list] == EXACT && deadline == bounds[list]) {
            states[list] = LOWER;
        }
    }

    /** Takes over all entries of a list of other lists, which is empty then, as this one was before. */
    void takeOver(int list, EntryLists from, int other) {
        assert isEmpty(list) && !from.isEmpty(other);
        heads[list] = from.heads[other];
        tails[list] = from.tails[other];
        bounds[list] = from.bounds[other];
        states[list] = from.states[other];
        occupied.occupy(list);
        from.forget(other);
    }

    /** Frees the entries of all lists, which are empty then. */
    void free() {
        while (!isEmpty()) {
            int list = firstOccupied();
            int entry = heads[list];
            while (entry != NONE) {
                int next = entries.next(entry);
                entries.free(entry);
                entry = next;
            }
            forget(list);
        }
    }

    /** Returns a tick that no deadline in the list, which is not empty, lies before. */
    long bound(int list) {
        assert !isEmpty(list);
        return bounds[list];
    }

    /** Returns the earliest deadline in the list, which is not empty. Scans the list if its entry was removed. */
    long earliest(int list) {
        assert !isEmpty(list);
        if (states[list] == LOWER) {
            bounds[list] = scan(list);
            states[list] = EXACT;
        }
        return bounds[list];
    }

    private long scan(int list) {
        long bound = bounds[list];
        long earliest = Long.MAX_VALUE;
        for (int entry = heads[list]; entry != NONE && earliest > bound; entry = entries.next(entry)) {
            earliest = Math.min(earliest, entries.deadline(entry));
        }
        assert earliest >= bound;
        return earliest;
    }

    private void forget(int list) {
        heads[list] = NONE;
        tails[list] = NONE;
        vacate(list);
    }
}
