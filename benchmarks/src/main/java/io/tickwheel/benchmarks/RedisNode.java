package io.tickwheel.benchmarks;

import java.util.concurrent.CompletionStage;

/** A client that keeps timers on Redis and delivers them, of ours or of a peer. Used by one thread. */
interface RedisNode extends AutoCloseable {

    /** Schedules the timer that {@link RedisLoad} has for the number; complete when Redis has answered. */
    CompletionStage<?> schedule(long number, long dueAtMs);

    /** From now on delivers to it, on any thread, as soon as it can. Called once at most. */
    void deliverTo(HandledTimers handled) throws Exception;

    /** Waits until what was delivered is acknowledged at Redis; at once where nothing is ever acknowledged. */
    void awaitAcknowledged() throws Exception;

    /** How many timers are in Redis, due or not. */
    long left() throws Exception;

    /** Ends it in an orderly way; what is not delivered is left to the next node. */
    @Override
    void close();
}
