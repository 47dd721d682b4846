package io.tickwheel.store.redis.loading;

/** What the next call for a partition may do, beside loading what is due soon. {@link LoadTurns} chooses. */
enum Grant {
    /** Nothing. */
    NONE,
    /** To look for lanes that have room again, among fresh timers and those ahead. */
    FRESH_LANES,
    /** To look for lanes that have room again, in the backlog. */
    LATE_LANES,
    /** To look on through the gap. */
    GAP
}
