package io.tickwheel.store.file.log;

/**
 * Whether syncs are so quick that the loop may make one itself while it has nothing else to do. To wake a thread that does, and to be woken
 * by it, takes about as long as such a sync. What is slow is left to the thread, as nothing can be done before it ends. Owned by the loop.
 */
final class SyncPace {

    /** What comes due, or is asked for, while the loop syncs is late by this at most, as far as can be foreseen. */
    private static final long QUICK_NANOS = 1_000_000;

    /** A sync of this part of the time that the loop has to spare is one that it may make. */
    private static final int SPARE = 4;

    /** A slow sync counts a sixteenth less with each quick one behind it: 20 ms keep the loop away for about fifty. */
    private static final int FADING = 16;

    /** Before anything is known, syncs are taken for slow ones. */
    private long slowestNanos = 4 * QUICK_NANOS;

    void took(long nanos) {
        slowestNanos = Math.max(nanos, slowestNanos - slowestNanos / FADING);
    }

    boolean isQuick(long spareNanos) {
        return slowestNanos <= Math.min(QUICK_NANOS, spareNanos / SPARE);
    }
}
