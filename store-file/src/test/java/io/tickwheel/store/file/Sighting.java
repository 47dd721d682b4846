package io.tickwheel.store.file;

/** What is rare and must be met by some of the random lives, or they do not show much. */
enum Sighting {
    /** An opening found a frame at the end of the log of which only a part was there. */
    TORN_TAIL,
    CRASH_IN_RECOVERY,
    /** A crash came when a run had its name and its directory was not synced. */
    CRASH_BEHIND_RENAME_OF_RUN,
    /** A cancel took effect while timers were on their way to new runs. */
    CANCEL_WHILE_MOVING,
    /** A timer was cancelled whose attempt ran, while timers were on their way to new runs. */
    LAST_ATTEMPT_WHILE_MOVING,
    /** Such an attempt succeeded then. */
    OUTCOME_WHILE_MOVING,
    CLAIM_WHILE_MOVING,
    /** A timer whose claim an earlier opening had granted was completed while timers were on their way to new runs. */
    COMPLETED_WHILE_MOVING,
    /** A pending timer got another due time while timers were on their way to new runs. */
    RESCHEDULED_WHILE_MOVING,
    REDRIVEN_WHILE_MOVING,
    PURGED_WHILE_MOVING,
    /** A plan made a run while timers were on their way to new runs. */
    SPAWNED_WHILE_MOVING,
    /** A timer was let go of, so that it is loaded again, while timers were on their way to new runs. */
    UNLOADED_WHILE_MOVING,
    /** A segment was begun in a file that had been one before. */
    SEGMENT_RECYCLED,
    KEYS_USED,
    /** The index was filled by looking through runs. */
    INDEX_REBUILT,
    /** A timer was claimed while the index was being filled. */
    CLAIM_WHILE_INDEXING,
    /** A key was found ahead of the rest while the index was being filled. */
    FOUND_WHILE_INDEXING,
    /** What was left of some runs was written anew. */
    RUNS_REWRITTEN,
    RUN_OF_FAR_TIER,
    RUN_OF_DEAD_TIER,
    FAILED_SYNC
}
