package io.tickwheel.store.file.checkpoint;

/** What tests look at of a checkpoint that is under way. */
public final class CheckpointView {

    private CheckpointView() {}

    /** Whether timers are on their way to new runs: what happens to them meanwhile must be brought there too. */
    public static boolean isMoving(Checkpoint checkpoint) {
        return checkpoint.isMoving();
    }

    /** Whether what is left of some runs is written anew. */
    public static boolean rewritesRuns(Checkpoint checkpoint) {
        return checkpoint.rewritesRuns();
    }
}
