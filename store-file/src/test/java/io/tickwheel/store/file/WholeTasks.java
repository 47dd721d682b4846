package io.tickwheel.store.file;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Each step is a whole task, on the thread of the test. */
final class WholeTasks implements SimulatedExecutors {

    private final ArrayDeque<Runnable> log = new ArrayDeque<>();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();

    @Override
    public Executor log() {
        return log::addLast;
    }

    @Override
    public Executor background() {
        return background::addLast;
    }

    @Override
    public void stepLog() {
        step(log);
    }

    @Override
    public void stepBackground() {
        step(background);
    }

    private static void step(ArrayDeque<Runnable> tasks) {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
    }

    @Override
    public boolean isIdle() {
        return log.isEmpty() && background.isEmpty();
    }

    @Override
    public void abandon() {
        log.clear();
        background.clear();
    }
}
