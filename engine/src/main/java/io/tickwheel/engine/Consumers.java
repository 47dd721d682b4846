package io.tickwheel.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What the consumers of this program need of the engine.
 *
 * @param engineClosed completes with the engine, after which there is no loop
 */
record Consumers(
        Clock clock,
        Executor handlers,
        Inbox inbox,
        Replies replies,
        Alarms alarms,
        LeaseCalls leases,
        Polls polls,
        CompletableFuture<Void> engineClosed) {

    /** Any thread may call this. */
    LeaseConsumer start(String queue, ConsumerOptions options, TimerHandler handler) {
        RunningConsumer consumer = new RunningConsumer(this, queue, options, handler);
        inbox.note(consumer::goOn);
        return consumer;
    }
}
