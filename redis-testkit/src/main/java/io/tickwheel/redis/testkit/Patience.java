package io.tickwheel.redis.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for what happens in another process, which tells nobody: looking again and again, with an end to it. */
@SuppressForbidden(reason = "other processes live in the time of the machine")
final class Patience {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private Patience() {}

    /** Waits until {@code condition} holds, for at most {@code limit}, and says whether it does. */
    static boolean tryUntil(Duration limit, BooleanSupplier condition) {
        return tryFind(limit, () -> condition.getAsBoolean() ? Optional.of(condition) : Optional.empty())
                .isPresent();
    }

    /** Waits until there is something to be found, for at most {@code limit}, and returns it. */
    static <T> Optional<T> tryFind(Duration limit, Supplier<Optional<T>> look) {
        long endNanos = System.nanoTime() + limit.toNanos();
        Optional<T> found = look.get();
        while (found.isEmpty()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting");
            }
            long leftNanos = endNanos - System.nanoTime();
            if (leftNanos <= 0) {
                break;
            }
            LockSupport.parkNanos(Math.min(LOOK_NANOS, leftNanos));
            found = look.get();
        }
        return found;
    }

    /** Waits for the end of a process that has been told to end. */
    static boolean ended(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            // The test ends with it; the flag is for the thread's owner.
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting", e);
        }
    }
}
