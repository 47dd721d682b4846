package io.tickwheel.store.testkit;

/** What a crash of the {@link SimulatedDisk} leaves behind, from mild to harsh. */
public enum CrashKind {
    /**
     * The process dies, the operating system lives on. Everything written is still readable, and what was not yet synced
     * is still not synced: a power loss after the restart can take it.
     */
    PROCESS_KILL,

    /**
     * Power loss on a journalling file system (ext4 ordered, XFS). In each file, one time in three, a prefix of the
     * unsynced writes survives; otherwise each of them is kept, lost or torn at 512 bytes, and a size without its data
     * reads as zeros. A prefix of the uncommitted directory operations survives; syncing any directory, or any file with
     * {@code force(true)}, has committed all earlier ones.
     */
    POWER_LOSS,

    /**
     * Power loss on a file system that promises only what POSIX does. As {@link #POWER_LOSS}, but any subset of the
     * unsynced directory operations survives that keeps the order of each name, and an operation is durable only when
     * every directory it touches was synced; syncing a file does not keep its name.
     */
    POWER_LOSS_MINIMAL
}
