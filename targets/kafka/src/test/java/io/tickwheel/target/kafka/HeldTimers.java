package io.tickwheel.target.kafka;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A real engine, some of whose requests wait until they are let go, or fail at first: the store is slow, away or full. */
final class HeldTimers {

    private final List<Runnable> held = new ArrayList<>();
    private Predicate<TimerRequest> isHeld = request -> false;
    private Supplier<RuntimeException> failure = () -> null;
    private int mostHeld;
    private @Nullable Error error;

    /** Holds requests from now on. */
    synchronized void hold(Predicate<TimerRequest> those) {
        isHeld = those;
    }

    /** Fails requests from now on. */
    synchronized void fail(Supplier<RuntimeException> with) {
        failure = with;
    }

    /** Has the next request end in an error. */
    synchronized void breakOnce(Error with) {
        error = with;
    }

    synchronized int held() {
        return held.size();
    }

    synchronized int mostHeld() {
        return mostHeld;
    }

    /** Lets all go, and holds and fails nothing any more. */
    void letGo() {
        List<Runnable> gone;
        synchronized (this) {
            isHeld = request -> false;
            failure = () -> null;
            gone = List.copyOf(held);
            held.clear();
        }
        gone.forEach(Runnable::run);
    }

    /** What a source sees of the engine. */
    Tickwheel over(Tickwheel timers) {
        return (Tickwheel) Proxy.newProxyInstance(
                Tickwheel.class.getClassLoader(), new Class<?>[] {Tickwheel.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("schedule")
                            && arguments.length == 1
                            && arguments[0] instanceof TimerRequest request) {
                        return schedule(timers, request);
                    }
                    try {
                        return method.invoke(timers, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private synchronized CompletableFuture<?> schedule(Tickwheel timers, TimerRequest request) {
        Error thrown = error;
        error = null;
        if (thrown != null) {
            throw thrown;
        }
        RuntimeException fails = failure.get();
        if (fails != null) {
            return CompletableFuture.failedFuture(fails);
        }
        if (!isHeld.test(request)) {
            return timers.schedule(request);
        }
        CompletableFuture<Object> answer = new CompletableFuture<>();
        held.add(() -> {
            var unused = timers.schedule(request).whenComplete((done, e) -> {
                if (e == null) {
                    answer.complete(done);
                } else {
                    answer.completeExceptionally(e);
                }
            });
        });
        mostHeld = Math.max(mostHeld, held.size());
        return answer;
    }
}
