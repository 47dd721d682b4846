package io.tickwheel.engine;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Delivers to the handlers that this program registered, on threads for user code. */
final class HandlerTarget implements Target {

    /** The name under which the engine knows this target; the address is the queue. */
    static final String NAME = "handler";

    private final Executor executor;
    private final Map<String, TimerHandler> handlers = new ConcurrentHashMap<>();

    HandlerTarget(Executor executor) {
        this.executor = executor;
    }

    void register(String queue, TimerHandler handler) {
        if (handlers.putIfAbsent(queue, Objects.requireNonNull(handler, "handler")) != null) {
            throw new IllegalStateException("queue " + queue + " has a handler already");
        }
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        TimerHandler handler = Objects.requireNonNull(handlers.get(attempt.key().queue()));
        executor.execute(() -> {
            try {
                handler.handle(attempt);
                delivery.acknowledge();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                delivery.fail("interrupted");
            } catch (Exception | Error e) {
                delivery.fail(e.toString());
            }
        });
    }
}
