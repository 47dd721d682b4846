package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TimerHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Delivers to the handlers that this program registered, on threads for user code: gathers over a turn of the loop, and hands
 * over at its end. Owned by the loop, but for {@link #register}.
 */
public final class HandlerTarget implements Target {

    private final Executor executor;
    private final Clock clock;
    private final Map<String, HandlerCalls> handlers = new ConcurrentHashMap<>();
    private final List<HandlerCalls> waiting = new ArrayList<>();

    public HandlerTarget(Executor executor, Clock clock) {
        this.executor = executor;
        this.clock = clock;
    }

    /** To be called by any thread. */
    public void register(String queue, TimerHandler handler) {
        HandlerCalls calls = new HandlerCalls(Objects.requireNonNull(handler, "handler"), executor, clock);
        if (handlers.putIfAbsent(queue, calls) != null) {
            throw new IllegalStateException("queue " + queue + " has a handler already");
        }
    }

    /** To be called by any thread. Returns whether there was a handler. */
    public boolean unregister(String queue) {
        return handlers.remove(queue) != null;
    }

    public boolean has(String queue) {
        return handlers.containsKey(queue);
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        HandlerCalls calls = handlers.get(attempt.queue());
        if (calls == null) {
            // It was removed a moment ago, of which the loop has still to take note.
            delivery.postpone("its handler was removed", clock.now());
            return;
        }
        if (calls.add(attempt, delivery)) {
            waiting.add(calls);
        }
    }

    /**
     * Hands over what was delivered, and looks after what was handed over before.
     *
     * @return in how many nanoseconds to look again, whatever happens
     */
    public long handOver() {
        if (waiting.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long nowNanos = clock.monoNanos();
        waiting.removeIf(calls -> calls.handOver(nowNanos));
        return waiting.isEmpty() ? Long.MAX_VALUE : HandlerCalls.STUCK_NANOS;
    }
}
