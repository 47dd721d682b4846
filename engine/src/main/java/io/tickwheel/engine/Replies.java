package io.tickwheel.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Futures that are to be completed, gathered over a turn of the loop and completed elsewhere in one go: code that hangs on a
 * future never runs on the loop. Owned by the loop.
 */
final class Replies {

    private final Executor executor;
    private List<Runnable> gathered = new ArrayList<>();

    Replies(Executor executor) {
        this.executor = executor;
    }

    /** @param reply completes a future */
    void add(Runnable reply) {
        gathered.add(reply);
    }

    void send() {
        if (gathered.isEmpty()) {
            return;
        }
        List<Runnable> batch = gathered;
        gathered = new ArrayList<>(batch.size());
        try {
            executor.execute(() -> batch.forEach(Runnable::run));
        } catch (RejectedExecutionException e) {
            // Better on this thread than never: somebody may be waiting.
            batch.forEach(Runnable::run);
        }
    }
}
