package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/** What a {@link Prefetch} is to nodes, for entries: those of a list once more, so that they can be fetched together. */
final class EntryPrefetch {
    private final int[] indexes = new int[Prefetch.TOGETHER];
    private int count;
    private @Nullable EntryPrefetch next;

    /** Adds an entry and returns what the next one is to be added to. */
    EntryPrefetch add(int entry) {
        indexes[count++] = entry;
        if (count < indexes.length) {
            return this;
        }
        EntryPrefetch following = new EntryPrefetch();
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
    EntryPrefetch next() {
        return next;
    }
}
