package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Changed;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A connection on which nothing has come for too long is dropped: each message touches its timer, which is then due that long after the message. The timers outlive the
 * process, so that those to whom a connection was shown as open learn of its end also when the process that held it has died.
 */
final class IdleConnections {

    private static final String QUEUE = "idle-connection";

    private final Tickwheel timers;
    private final Duration longestSilence;

    /** @param drop closes a connection and says so to whom it may concern; called again when it fails */
    IdleConnections(Tickwheel timers, Duration longestSilence, Consumer<String> drop) {
        this.timers = timers;
        this.longestSilence = longestSilence;
        timers.handle(QUEUE, attempt -> drop.accept(attempt.key()));
    }

    /** @param connection a name that no connection had before, in no process */
    CompletableFuture<?> opened(String connection) {
        return timers.schedule(
                TimerRequest.after(QUEUE, connection, longestSilence).withTouchable());
    }

    /** Gives whether the message came in time: when it has not, the connection is dropped, or is being dropped. */
    CompletableFuture<Boolean> heard(String connection) {
        return timers.touch(QUEUE, connection).thenApply(answer -> answer.outcome() == Changed.Outcome.CHANGED);
    }

    CompletableFuture<?> closed(String connection) {
        return timers.cancel(QUEUE, connection);
    }
}
