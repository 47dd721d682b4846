package io.tickwheel.store.file;

import io.tickwheel.store.testkit.SimulatedCrash;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Each step is a piece of a task, from one operation on the disk to the next, so that log, background and loop come between each
 * other at every operation. Each executor has a thread of its own, but only one of these runs at a time: a seed gives one course.
 *
 * <pre>
 *   loop        ──op──┐         ┌──op──┐             ┌──
 *   log               └──op ·   │      │             │      · : goes on at the next step of the log
 *   background                  └ · ···└──op──op ·   │
 * </pre>
 */
final class TasksInPieces implements SimulatedExecutors {

    private static final int FAVOUR_STEPS = 30;

    private final @Nullable SplittableRandom random;
    private final Semaphore loop = new Semaphore(0);
    private final Worker log = new Worker("log");
    private final Worker background = new Worker("background");

    /** Whose turn it is; null for the loop. */
    private @Nullable Worker running;

    /** Now and then only one of them gets on, for so many steps that another one may do all of its work meanwhile. */
    private @Nullable Worker favourite;

    /** @param random who is next; null to leave it to the test, operation by operation */
    TasksInPieces(@Nullable SplittableRandom random) {
        this.random = random;
    }

    private final class Worker implements Executor {

        private final String name;
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        private final Semaphore turn = new Semaphore(0);
        private @Nullable Thread thread;
        private boolean inTask;
        private boolean abandoned;
        private @Nullable Throwable thrown;

        Worker(String name) {
            this.name = name;
        }

        @Override
        public void execute(Runnable task) {
            tasks.addLast(task);
        }

        boolean isIdle() {
            return tasks.isEmpty() && !inTask;
        }

        /** The loop waits until the next operation of this, or the end of the task. */
        void step() {
            if (isIdle()) {
                return;
            }
            if (thread == null) {
                thread = new Thread(this::runTasks, "simulated-" + name);
                thread.setDaemon(true);
                thread.start();
            }
            running = this;
            turn.release();
            loop.acquireUninterruptibly();
            rethrow();
        }

        private void rethrow() {
            Throwable failure = thrown;
            thrown = null;
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
        }

        private void runTasks() {
            turn.acquireUninterruptibly();
            while (!abandoned) {
                inTask = true;
                try {
                    tasks.removeFirst().run();
                } catch (RuntimeException | Error e) {
                    thrown = abandoned ? null : e;
                }
                inTask = false;
                if (!abandoned) {
                    giveBack();
                }
            }
            running = null;
            loop.release();
        }

        private void giveBack() {
            running = null;
            loop.release();
            turn.acquireUninterruptibly();
        }

        /** Waits for its next step, within a task. */
        void pause() {
            if (!abandoned) {
                giveBack();
            }
            if (abandoned) {
                throw new SimulatedCrash("the process has ended");
            }
        }

        void abandon() {
            tasks.clear();
            if (thread != null) {
                abandoned = true;
                running = this;
                turn.release();
                loop.acquireUninterruptibly();
            }
            thread = null;
            abandoned = false;
            thrown = null;
        }
    }

    /** To be called before each operation on the disk, by whoever makes it. */
    void beforeOperation() {
        Worker worker = running;
        if (worker != null) {
            worker.pause();
        } else if (random != null) {
            while (random.nextBoolean()) {
                step(random.nextBoolean() ? log : background);
            }
        }
    }

    private void step(Worker wanted) {
        if (random != null && random.nextInt(FAVOUR_STEPS) == 0) {
            favourite = switch (random.nextInt(4)) {
                case 0 -> log;
                case 1 -> background;
                default -> null;
            };
        }
        Worker preferred = favourite;
        (preferred == null || preferred.isIdle() ? wanted : preferred).step();
    }

    @Override
    public Executor log() {
        return log;
    }

    @Override
    public Executor background() {
        return background;
    }

    @Override
    public void stepLog() {
        step(log);
    }

    @Override
    public void stepBackground() {
        step(background);
    }

    @Override
    public boolean isIdle() {
        return log.isIdle() && background.isIdle();
    }

    @Override
    public void abandon() {
        log.abandon();
        background.abandon();
    }
}
