package io.tickwheel.engine.inbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Futures that are to be completed, gathered over a turn of the loop and completed elsewhere in one go: code that hangs on a
 * future never runs on the loop. Owned by the loop, but for a question of any thread.
 */
public final class Replies {

    private final Executor executor;
    private final ThreadLocal<Boolean> completing = new ThreadLocal<>();
    private List<Runnable> gathered = new ArrayList<>();

    public Replies(Executor executor) {
        this.executor = executor;
    }

    /**
     * Keeps an answer until the turn is over.
     *
     * @param reply completes a future
     */
    public void add(Runnable reply) {
        gathered.add(reply);
    }

    public void send() {
        if (gathered.isEmpty()) {
            return;
        }
        List<Runnable> batch = gathered;
        gathered = new ArrayList<>(batch.size());
        try {
            executor.execute(() -> complete(batch));
        } catch (RejectedExecutionException e) {
            // Better on this thread than never: somebody may be waiting.
            complete(batch);
        }
    }

    private void complete(List<Runnable> batch) {
        completing.set(true);
        try {
            batch.forEach(Runnable::run);
        } finally {
            completing.remove();
        }
    }

    /** Whether the thread that asks completes futures of a batch: what it runs hangs on one, and the others wait for it. Any thread may call this. */
    boolean areBeingCompletedHere() {
        return completing.get() != null;
    }
}
