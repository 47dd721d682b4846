package io.tickwheel.wheel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Workers without a thread: what they are given waits until the test runs it. For one thread. */
class QueuedWorkers extends AbstractExecutorService {
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private boolean shutdown;

    @Override
    public void execute(Runnable command) {
        if (shutdown) {
            throw new RejectedExecutionException("the workers are shut down");
        }
        queue.add(command);
    }

    /** Runs everything, also what comes in meanwhile. */
    void runAll() {
        while (!queue.isEmpty()) {
            queue.remove().run();
        }
    }

    int queued() {
        return queue.size();
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        List<Runnable> tasks = new ArrayList<>(queue);
        queue.clear();
        return tasks;
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && queue.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
