package io.tickwheel.redis.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Waiting for what happens in another process, which tells nobody: looking again and again, with an end to it, after a minute unless
 * {@code -Dtickwheel.patience} says how many seconds.
 */
@SuppressForbidden(reason = "other processes live in the time of the machine")
public final class Patience {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(Integer.getInteger("tickwheel.patience", 60));

    private Patience() {}

    /** Waits until {@code condition} holds, or throws {@link IllegalStateException} when that takes too long. */
    public static void until(String what, BooleanSupplier condition) {
        until(LONG_ENOUGH, what, condition);
    }

    /** Waits until {@code condition} holds, or throws {@link IllegalStateException} after {@code limit}. */
    public static void until(Duration limit, String what, BooleanSupplier condition) {
        if (!tryUntil(limit, condition)) {
            throw new IllegalStateException("waited " + limit + " in vain until " + what);
        }
    }

    /** Looks until what there is to see is {@code wanted}, or that takes too long; returns what it saw last. */
    public static <T> T look(Supplier<T> look, Predicate<T> wanted) {
        long endNanos = System.nanoTime() + LONG_ENOUGH.toNanos();
        T last = look.get();
        while (!wanted.test(last) && System.nanoTime() - endNanos < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
            last = look.get();
        }
        return last;
    }

    /** Waits until that moment of the wall clock. */
    public static void awaitMs(long wallMs) {
        Duration left = Duration.ofMillis(Math.max(0, wallMs - System.currentTimeMillis()));
        tryUntil(left, () -> System.currentTimeMillis() >= wallMs);
    }

    /** Waits until {@code condition} holds, for at most {@code limit}, and says whether it does. */
    public static boolean tryUntil(Duration limit, BooleanSupplier condition) {
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
