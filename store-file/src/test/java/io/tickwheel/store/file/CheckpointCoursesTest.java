package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.testkit.AllCourses;
import io.tickwheel.store.testkit.CrashKind;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * From each operation of a checkpoint on, all orders of the next steps: a client that claims, cancels, replaces, reschedules, redrives,
 * purges, finishes, opens the directory once more, or closes the store; the loop; the next operation of the log; the next one of the checkpoint. Then the power is
 * lost, with any part of what is not synced, and all that was shown must be there. {@code -Dtickwheel.depth} says how many steps.
 */
@Tag("simulated")
final class CheckpointCoursesTest {

    private static final int OPERATIONS_OF_A_CHECKPOINT = 48;
    private static final int STRIDE = Math.min(11, 3 * Integer.getInteger("tickwheel.stride", 1) - 1);
    private static final int DEPTH = Integer.getInteger("tickwheel.depth", 3);
    private static final int MOST = 1_000_000;
    private static final int FIRST = 0;
    private static final int SECOND = 1;
    private static final int THIRD = 2;
    private static final long NOW_MS = 5_000;

    private enum Script {
        CANCEL {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(() -> workload.cancel(SECOND), () -> workload.cancel(FIRST));
            }
        },
        REPLACE {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(
                        () -> workload.schedule(THIRD, NOW_MS + 1, 200, OnConflict.REPLACE),
                        () -> workload.schedule(FIRST, NOW_MS + 2, 3_500, OnConflict.REPLACE));
            }
        },
        CLAIM_AND_FINISH {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(
                        workload::claimAny, () -> workload.endAnyClaim(NOW_MS), () -> workload.endAnyClaim(NOW_MS));
            }
        },
        RESCHEDULE {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(
                        () -> workload.change(FIRST, ChangeCommand.Change.RESCHEDULE, NOW_MS - 1, 0),
                        () -> workload.change(SECOND, ChangeCommand.Change.RESCHEDULE, NOW_MS + 1, 0));
            }
        },
        BURY_AND_REDRIVE {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(
                        workload::buryAny,
                        () -> workload.changeAny(ChangeCommand.Change.REDRIVE, NOW_MS + 1, 0),
                        workload::claimAny);
            }
        },
        BURY_AND_PURGE {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(workload::buryAny, () -> workload.changeAny(ChangeCommand.Change.PURGE, 0, 0));
            }
        },
        SECOND_OPENER {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                SimulatedStore other = store.inOtherProcess(1, UnaryOperator.identity());
                return List.of(
                        () -> assertThatThrownBy(() -> other.open(workload)).isInstanceOf(StoreLockedException.class),
                        () -> workload.schedule(THIRD, NOW_MS + 1, 200, OnConflict.REPLACE));
            }
        },
        CLOSE {
            @Override
            List<Runnable> steps(SimulatedStore store, Workload workload) {
                return List.of(() -> workload.cancel(SECOND), store::close);
            }
        };

        abstract List<Runnable> steps(SimulatedStore store, Workload workload);
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void nothingThatWasShownIsLostWhateverComesFirst(Script script) {
        int courses = 0;
        int checkpoints = 0;
        for (int before = 0; before < OPERATIONS_OF_A_CHECKPOINT; before += STRIDE) {
            int operations = before;
            int[] underWay = {0};
            courses += AllCourses.walk(DEPTH, MOST, choices -> underWay[0] += run(script, operations, choices) ? 1 : 0);
            checkpoints += underWay[0];
        }
        assertThat(courses).isGreaterThan(OPERATIONS_OF_A_CHECKPOINT / STRIDE * DEPTH * DEPTH);
        assertThat(checkpoints)
                .as("of %s courses, a checkpoint was under way in", courses)
                .isGreaterThan(courses / 4);
    }

    /** Returns whether the checkpoint was still under way when the steps began. */
    private static boolean run(Script script, int before, RandomGenerator choices) {
        SimulatedStore store = SimulatedStore.byHand(before);
        Workload workload = new Workload(store);
        try {
            workload.openAndBeginACheckpoint();
            workload.load(NOW_MS);
            workload.claimAny();
            for (int i = 0; i < before; i++) {
                store.stepBackground();
                store.work();
            }
            boolean isUnderWay = store.isCheckpointing();
            ArrayDeque<Runnable> client = new ArrayDeque<>(script.steps(store, workload));
            for (int step = 0; step < DEPTH && !store.closed(); step++) {
                step(store, client, choices);
            }
            while (!client.isEmpty() && !store.closed()) {
                client.poll().run();
            }
            store.crash(CrashKind.POWER_LOSS);
            workload.openAndCheck();
            return isUnderWay;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    script + " after " + before + " operations of the checkpoint: " + e.getMessage() + "\n"
                            + String.join("\n", store.disk.trace()),
                    e);
        } finally {
            store.abandon();
        }
    }

    private static void step(SimulatedStore store, ArrayDeque<Runnable> client, RandomGenerator choices) {
        switch (choices.nextInt(client.isEmpty() ? 3 : 4)) {
            case 0 -> store.stepBackground();
            case 1 -> store.stepLog();
            case 2 -> store.work();
            default -> client.remove().run();
        }
    }

    /** So much was taken beside a run that is being written that nothing more is, until that is done: for which there is no room then. */
    @Test
    void commandsAreTakenWhenThereIsNoRoomForTheRunThatTheyWaitFor() {
        SimulatedStore store = new SimulatedStore(1);
        Workload workload = new Workload(store);
        workload.openAndBeginACheckpoint();
        for (int i = 0; store.calendar().hasRoom(); i++) {
            assertThat(i).as("schedules taken").isLessThan(1_000);
            workload.schedule(FIRST, NOW_MS, 300, OnConflict.REPLACE);
            do {
                store.stepLog();
                store.work();
            } while (workload.unanswered() > 0);
        }
        // For the end of the log, and no more.
        store.disk.capacityBytes(store.disk.usedBytes() + 3_000);
        store.settle();
        assertThat(store.calendar().hasRoom()).as("for what makes room").isTrue();
        store.disk.capacityBytes(Long.MAX_VALUE);
        workload.cancel(FIRST);
        store.rest();
        store.crash(CrashKind.POWER_LOSS);
        workload.openAndCheck();
    }
}
