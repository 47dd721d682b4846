package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/** What a {@link Lookahead} is to nodes, for entries: those of a list once more, so that they can be fetched together. */
final class EntryLookahead {
    private final int[] indexes = new int[Lookahead.TOGETHER];
    private int count;
    private @Nullable EntryLookahead next;

    /** Adds an entry and returns what the next one is to be added to. */
    EntryLookahead add(int entry) {
        indexes[count++] = entry;
        if (count < indexes.length) {
            return this;
        }
        EntryLookahead following = new EntryLookahead();
        next = following;
        return following;
    }

    /** Reads every entry, and returns something that depends on it, so that no compiler leaves it out. */
    int fetch(Entries entries) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += entries.next(indexes[i]);
        }
        return sum;
    }

    int count() {
        return count;
    }

    @Nullable
    EntryLookahead next() {
        return next;
    }
}
