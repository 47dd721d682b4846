package io.tickwheel.store;

/** What is certain once a command is answered. */
public enum Durability {
    /** It is on the disk, synced: it outlives the process, the operating system and the power. */
    SYNC,
    /** It is written, and synced a little later: it outlives the process; a power loss can take the last moments. */
    INTERVAL,
    /** It is written, and synced when the operating system likes: it outlives the process. */
    NONE
}
