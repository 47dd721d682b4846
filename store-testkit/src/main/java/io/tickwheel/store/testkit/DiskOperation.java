package io.tickwheel.store.testkit;

/** One step of input or output: the unit in which the {@link SimulatedDisk} counts, crashes and fails. */
enum DiskOperation {
    OPEN,
    CREATE,
    READ,
    WRITE,
    TRUNCATE,
    SYNC,
    SYNC_DIRECTORY,
    LOCK,
    STAT,
    LIST,
    MKDIR,
    RENAME,
    DELETE
}
