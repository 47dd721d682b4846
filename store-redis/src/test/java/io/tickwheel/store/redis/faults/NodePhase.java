package io.tickwheel.store.redis.faults;

/** Where a node of a fault test can be told to die. */
enum NodePhase {
    /** The timer is in the memory of its owner. */
    LOADED,
    /** The claim is granted, and the handler not called. */
    CLAIMED,
    /** The handler runs. */
    RUNNING,
    /** The handler has returned, and nothing of that has been sent. */
    HANDLED
}
