package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.testkit.CrashKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random lives in which the log, a checkpoint and the loop come between each other at every operation on the disk.
 * {@code -Dtickwheel.seeds=100000} runs a tenth as many, {@code -Dtickwheel.seed=17} one again.
 */
@Tag("simulated")
final class InterleavingsTest {

    private static final int SEEDS = 100;
    private static final int STRIDE = Integer.getInteger("tickwheel.stride", 1);
    private static final int OPERATIONS_OF_A_CHECKPOINT = 50;
    private static final int OPERATIONS_OF_A_SEGMENT = 30;

    @Test
    void nothingThatWasShownIsEverTakenBack() {
        long one = Long.getLong("tickwheel.seed", -1);
        long end = one >= 0 ? one + 1 : Long.getLong("tickwheel.seeds", 10 * SEEDS) / 10;
        for (long seed = Math.max(0, one); seed < end; seed++) {
            run(seed);
        }
    }

    /**
     * The first record after a quiet time begins the next segment, at every place of a checkpoint that covers all before: what the log has
     * begun must not be taken for what the disk has.
     */
    @Test
    void segmentMayBeBegunAtEachOperationOfACheckpoint() {
        int checkpoints = 0;
        for (int before = 0; before < OPERATIONS_OF_A_CHECKPOINT; before++) {
            for (int ofLog = before % STRIDE; ofLog < OPERATIONS_OF_A_SEGMENT; ofLog += STRIDE) {
                checkpoints += beginSegmentDuringCheckpoint(before, ofLog, 31 * before + ofLog) ? 1 : 0;
            }
        }
        assertThat(checkpoints)
                .as("checkpoints that ended meanwhile")
                .isGreaterThan(OPERATIONS_OF_A_CHECKPOINT / STRIDE);
    }

    /** Loses the power then, with any part of what is not synced; returns whether the checkpoint was still under way when the segment was to be begun. */
    private static boolean beginSegmentDuringCheckpoint(int before, int ofLog, long seed) {
        SimulatedStore store = SimulatedStore.byHand(seed);
        Workload workload = new Workload(store);
        try {
            workload.openAndBeginACheckpoint();
            for (int i = 0; i < before; i++) {
                store.stepBackground();
                store.work();
            }
            boolean isUnderWay = store.isCheckpointing();
            workload.schedule(0, 2_000, 3_500, OnConflict.REPLACE);
            store.work();
            for (int i = 0; i < ofLog; i++) {
                store.stepLog();
                store.work();
            }
            for (int i = 0; i < 2 * OPERATIONS_OF_A_CHECKPOINT && store.isCheckpointing(); i++) {
                store.stepBackground();
                store.work();
            }
            store.crash(CrashKind.POWER_LOSS);
            workload.openAndCheck();
            return isUnderWay;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "after " + before + " operations of the background and " + ofLog + " of the log: " + e.getMessage()
                            + "\n" + String.join("\n", store.disk.trace()),
                    e);
        } finally {
            store.abandon();
        }
    }

    @Test
    void sameSeedGivesSameCourse() {
        for (long seed = 0; seed < 10; seed++) {
            RandomLives once = run(seed);
            RandomLives again = run(seed);
            assertThat(again.store().disk.traceHash())
                    .isEqualTo(once.store().disk.traceHash());
        }
    }

    private static RandomLives run(long seed) {
        RandomLives lives = RandomLives.inPieces(seed);
        try {
            lives.run();
            return lives;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", again with -Dtest=InterleavingsTest -Dtickwheel.seed=" + seed + "\n"
                            + e.getMessage() + "\n"
                            + String.join("\n", lives.store().disk.trace()),
                    e);
        } finally {
            lives.store().abandon();
        }
    }
}
