package io.tickwheel.engine.lease;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.inbox.Alarms;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.inbox.Replies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What the consumers of this program need of the engine.
 *
 * @param engineClosed completes with the engine, after which there is no loop
 */
public record Consumers(
        Clock clock,
        Executor handlers,
        Inbox inbox,
        Replies replies,
        Alarms alarms,
        LeaseCalls leases,
        Polls polls,
        CompletableFuture<Void> engineClosed) {

    /** Any thread may call this. */
    public LeaseConsumer start(String queue, ConsumerOptions options, TimerHandler handler) {
        RunningConsumer consumer = new RunningConsumer(this, queue, options, handler);
        inbox.note(consumer::goOn);
        return consumer;
    }
}
