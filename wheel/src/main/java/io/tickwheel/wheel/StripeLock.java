package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of nanoseconds. Taking it free costs one compare-and-set and giving it back one ordered
 * write, half of what {@link java.util.concurrent.locks.ReentrantLock} costs. The price is that the owner does not know
 * who waits: a waiter spins for a moment, yields, and then sleeps for {@value #PARK_NANOS} ns at a time. Not reentrant,
 * not fair. The memory effects are those of any lock.
 */
abstract class StripeLock {
    private static final VarHandle LOCKED;
    private static final int SPINS = 64;
    private static final int YIELDS = 8;
    private static final long PARK_NANOS = 20_000;

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(StripeLock.class, "locked", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Only through the handle.
    @SuppressWarnings("unused")
    private int locked;

    final void lock() {
        if (!LOCKED.compareAndSet(this, 0, 1)) {
            await();
        }
    }

    final void unlock() {
        LOCKED.setRelease(this, 0);
    }

    // The yield is a hint, nothing depends on it.
    @SuppressWarnings("ThreadPriorityCheck")
    private void await() {
        for (int tries = 0; !tryLock(); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else if (tries < SPINS + YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, PARK_NANOS);
            }
        }
    }

    /** Looks before it writes, so that waiters do not take the cache line from the owner. */
    private boolean tryLock() {
        return (int) LOCKED.getOpaque(this) == 0 && LOCKED.compareAndSet(this, 0, 1);
    }
}
