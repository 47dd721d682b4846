package io.tickwheel.store.file.query;

import org.jspecify.annotations.Nullable;

/** Something that is found out by a {@link OrderedScan}, a piece at a time. Owned by the loop. */
interface QueryTask<T> {

    /**
     * Goes on.
     *
     * @param budget how many entries to look at, about; at least 1
     * @return how many were looked at
     */
    int work(int budget);

    /** What was found out; null as long as that is not known. */
    @Nullable
    T result();
}
