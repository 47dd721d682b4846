package io.tickwheel.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what happens outside of this process, with an end to it. */
final class CrashWait {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private CrashWait() {}

    /** @throws IllegalStateException when it does not come true in time */
    static void until(long boundMs, String what, BooleanSupplier condition) {
        if (!tryUntil(boundMs, condition)) {
            throw new IllegalStateException("waited " + boundMs + " ms in vain until " + what);
        }
    }

    /** @return whether it came true in time */
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
