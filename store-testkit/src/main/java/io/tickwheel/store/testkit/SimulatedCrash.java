package io.tickwheel.store.testkit;

/**
 * The process died in the middle of a disk operation. Thrown by the operation a {@link SimulatedDisk} was told to crash
 * at, and by every later one until {@link SimulatedDisk#restart()}.
 *
 * <p>It is an {@link Error}, and not an {@code IOException}, because no code of the dead process may handle it: only the
 * test that asked for the crash catches it, drops the crashed objects and restarts.
 */
public final class SimulatedCrash extends Error {
    private static final long serialVersionUID = 1L;

    public SimulatedCrash(String where) {
        super(where);
    }
}
