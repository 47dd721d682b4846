package io.tickwheel.server.crash;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what happens outside of this process, with an end to it. */
public final class CrashWait {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private CrashWait() {}

    /** Waits until {@code condition} holds, or throws {@link IllegalStateException} after {@code boundMs}. */
    public static void until(long boundMs, String what, BooleanSupplier condition) {
        if (!tryUntil(boundMs, condition)) {
            throw new IllegalStateException("waited " + boundMs + " ms in vain until " + what);
        }
    }

    /** Waits until {@code condition} holds, for at most {@code boundMs}, and says whether it does. */
    static boolean tryUntil(long boundMs, BooleanSupplier condition) {
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
