package io.tickwheel.engine;

/** What a command does when too many wait for their answer. */
public enum WhenFull {
    /** The caller waits for room. */
    BLOCK,
    /** The future fails with {@link OverloadedException}. */
    REFUSE
}
