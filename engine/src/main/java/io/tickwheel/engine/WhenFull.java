package io.tickwheel.engine;

/** What a command does when too many wait for their answer. */
public enum WhenFull {
    /** The caller waits for room; but not on the thread that completes futures, which those that have room may be waiting for. */
    BLOCK,
    /** The future fails with {@link OverloadedException}. */
    REFUSE
}
