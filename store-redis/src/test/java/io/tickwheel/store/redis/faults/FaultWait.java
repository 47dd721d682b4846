package io.tickwheel.store.redis.faults;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what happens outside of this process, with an end to it. */
public final class FaultWait {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PATIENCE_MS = 60_000;

    private FaultWait() {}

    /** Waits until {@code condition} holds, or throws {@link IllegalStateException} after a minute. */
    static void until(String what, BooleanSupplier condition) {
        if (!tryUntil(PATIENCE_MS, condition)) {
            throw new IllegalStateException("waited " + PATIENCE_MS + " ms in vain until " + what);
        }
    }

    /** Waits until that moment of the wall clock. */
    static void awaitMs(long wallMs) {
        long leftMs = Math.max(0, wallMs - System.currentTimeMillis());
        tryUntil(leftMs, () -> System.currentTimeMillis() >= wallMs);
    }

    /** Waits until {@code condition} holds, for at most {@code boundMs}, and says whether it does. */
    public static boolean tryUntil(long boundMs, BooleanSupplier condition) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(boundMs);
        while (!condition.getAsBoolean()) {
            long leftNanos = endNanos - System.nanoTime();
            if (leftNanos <= 0) {
                return false;
            }
            LockSupport.parkNanos(Math.min(LOOK_NANOS, leftNanos));
        }
        return true;
    }
}
