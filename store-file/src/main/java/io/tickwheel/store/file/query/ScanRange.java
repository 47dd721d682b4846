package io.tickwheel.store.file.query;

import org.jspecify.annotations.Nullable;

/**
 * What is scanned, in the order of due time and seq.
 *
 * @param queue its name; null for all
 * @param toMs where it ends, exclusive; {@link Long#MAX_VALUE} for no end
 */
record ScanRange(@Nullable String queue, Kind kind, long toMs) {

    boolean isBeforeEnd(long dueAtMs) {
        return dueAtMs < toMs || toMs == Long.MAX_VALUE;
    }

    /** Which timers. */
    enum Kind {
        /** Live and dead ones. */
        STANDING,
        LIVE,
        /** Live ones that are loaded, of which some are claimed. */
        CLAIMED,
        DEAD
    }

    /** Compares two places of the order. */
    static int compare(long dueAtMs, long seq, long otherDueAtMs, long otherSeq) {
        int byDue = Long.compare(dueAtMs, otherDueAtMs);
        return byDue != 0 ? byDue : Long.compare(seq, otherSeq);
    }
}
