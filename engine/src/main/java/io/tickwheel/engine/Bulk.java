package io.tickwheel.engine;

import java.util.concurrent.CompletableFuture;

/**
 * A run that cancels, redrives, purges or counts many timers of a queue, in small steps beside the traffic. It ends with its engine: what it has not come
 * to then stays as it is, and the same request goes on with it. Thread-safe.
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

    /** Completes when it has ended, however it did. */
    CompletableFuture<BulkProgress> done();

    /** Has it end soon; what it has done stays done. */
    void stop();
}
