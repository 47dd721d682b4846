package io.tickwheel.engine;

import java.util.concurrent.CompletableFuture;

/**
 * A run that cancels, redrives, purges or counts many timers of a queue, in small steps beside the traffic. It is kept in the
 * store, and outlives its engine: after a restart or a crash it goes on, and where nodes share the store, another one takes it over. Thread-safe.
 */
public interface Bulk {

    /** So many go on at once. */
    int MOST_RUNNING = 16;

    /** So many that have ended are remembered. */
    int MOST_REMEMBERED = 64;

    /** Names it. */
    String id();

    /** What was asked for. */
    BulkRequest request();

    /** How far it has come. */
    BulkProgress progress();

    /** How it stands. */
    default BulkView view() {
        return new BulkView(id(), request(), progress());
    }

    /**
     * Completes when it is kept in the store: from then on it outlives its engine; or when the store has no room for it, so that it begins all the same and ends with its engine. It
     * never fails: of a run that could not be stored as the store is away, {@link #progress} says what became of it.
     */
    CompletableFuture<Void> accepted();

    /** Completes when it has ended, however it did, or its engine has closed. */
    CompletableFuture<BulkProgress> done();

    /** Has it end soon; what it has done stays done. */
    void stop();
}
