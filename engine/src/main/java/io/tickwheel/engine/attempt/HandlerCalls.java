package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.TimerHandler;
import io.tickwheel.engine.TryAgainAtException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one handler. To start a thread for a call costs more than most calls, so a handler that was quick so far gets
 * a few threads, which take one attempt after the other; any other gets a thread for each attempt, as many as there are
 * credits. When a quick one gets stuck after all, the rest gets threads within a millisecond or two.
 *
 * <p>The loop adds and hands over; workers, on threads for user code, take. {@code waiting} and the counts go between them.
 */
final class HandlerCalls {

    /** A call that takes no longer than this, on average, can as well wait for another. */
    static final long QUICK_NANOS = 20_000;

    /** When nothing was taken for so long, the workers do not count as such any more. */
    static final long STUCK_NANOS = 1_000_000;

    /** How many attempts that wait are worth a further worker. */
    private static final int SHARE = 64;

    private final TimerHandler handler;
    private final Executor executor;
    private final Clock clock;
    private final ConcurrentLinkedQueue<Call> waiting = new ConcurrentLinkedQueue<>();

    /** Attempts that workers took so far. */
    private final AtomicLong taken = new AtomicLong();

    /** Workers that were handed to the executor and have not begun. */
    private final AtomicInteger starting = new AtomicInteger();

    /** Workers that were handed to the executor and have not ended. */
    private final AtomicInteger workers = new AtomicInteger();

    /** Written by workers, none of which minds the others: an average need not be exact. */
    private volatile long nanosEach = 2 * QUICK_NANOS;

    // Owned by the loop.
    private long added;
    private long takenThen;
    private long progressNanos;
    private boolean known;

    private record Call(Attempt attempt, Delivery delivery) {}

    HandlerCalls(TimerHandler handler, Executor executor, Clock clock) {
        this.handler = handler;
        this.executor = executor;
        this.clock = clock;
    }

    /** Returns whether this is the first one that is not handed over. */
    boolean add(Attempt attempt, Delivery delivery) {
        waiting.add(new Call(attempt, delivery));
        added++;
        boolean first = !known;
        known = true;
        return first;
    }

    /** Sees to it that there are workers for what waits. Returns true when nothing waits. */
    boolean handOver(long nowNanos) {
        long takenNow = taken.get();
        int left = (int) (added - takenNow);
        if (left == 0) {
            known = false;
            return true;
        }
        if (takenNow != takenThen || workers.get() == 0) {
            takenThen = takenNow;
            progressNanos = nowNanos;
        }
        boolean stuck = nowNanos - progressNanos >= STUCK_NANOS;
        int wanted =
                stuck || nanosEach > QUICK_NANOS ? left - starting.get() : (left + SHARE - 1) / SHARE - workers.get();
        try {
            for (int i = 0; i < wanted; i++) {
                startWorker();
            }
        } catch (RuntimeException | Error e) {
            // No thread: these attempts have failed, and may be made again.
            for (Call call = take(); call != null; call = take()) {
                call.delivery.fail(e.toString());
            }
        }
        return false;
    }

    private void startWorker() {
        starting.incrementAndGet();
        workers.incrementAndGet();
        boolean started = false;
        try {
            executor.execute(this::work);
            started = true;
        } finally {
            if (!started) {
                starting.decrementAndGet();
                workers.decrementAndGet();
            }
        }
    }

    private void work() {
        starting.decrementAndGet();
        do {
            takeTurns();
            // What was added before this count fell found a worker here, and so nobody else may come.
        } while (workers.decrementAndGet() == 0 && !waiting.isEmpty() && workers.compareAndSet(0, 1));
    }

    private void takeTurns() {
        int calls = 0;
        boolean interrupted = false;
        long sinceNanos = clock.monoNanos();
        for (Call call = take(); call != null; call = take()) {
            handle(call);
            // It was meant for this call, and for whoever owns the thread, but not for the next call.
            interrupted |= Thread.interrupted();
            calls++;
            if (calls == SHARE) {
                sinceNanos = measure(sinceNanos, calls);
                calls = 0;
            }
        }
        if (calls > 0) {
            measure(sinceNanos, calls);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Call take() {
        Call call = waiting.poll();
        if (call != null) {
            taken.incrementAndGet();
        }
        return call;
    }

    /** Takes the time of some calls into the average; limited, as a thread that had to wait for a core says little. */
    private long measure(long sinceNanos, int calls) {
        long nowNanos = clock.monoNanos();
        long each = Math.min(8 * QUICK_NANOS, (nowNanos - sinceNanos) / calls);
        nanosEach = (3 * nanosEach + each) / 4;
        return nowNanos;
    }

    private void handle(Call call) {
        try {
            handler.handle(call.attempt);
            call.delivery.acknowledge();
        } catch (InterruptedException e) {
            // Reported as a failed attempt, which is made again; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            call.delivery.fail("interrupted");
        } catch (TryAgainAtException e) {
            call.delivery.postpone(String.valueOf(e.getMessage()), e.until());
        } catch (NeverAgainException e) {
            call.delivery.reject(String.valueOf(e.getMessage()));
        } catch (Exception | Error e) {
            call.delivery.fail(e.toString());
        }
    }
}
