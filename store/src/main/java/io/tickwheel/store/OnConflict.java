package io.tickwheel.store;

/** What to do when a timer is scheduled under a key that has a live timer already. */
public enum OnConflict {
    /** The new timer takes the place of the live one. */
    REPLACE,
    /** The live timer stays, the new one is dropped. */
    KEEP,
    /** The live timer stays and the caller is told of the conflict. */
    FAIL,
    /** The one due earlier stays; on a tie the live one. */
    EARLIEST,
    /** The one due later stays; on a tie the live one. With a sliding due time this debounces. */
    LATEST,
    /** As {@link #KEEP}, and a finished timer that is still remembered counts too: the key is used once. */
    ONCE
}
