package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of nanoseconds. Taking it free costs one compare-and-set and giving it back one ordered
 * write, half of what {@link java.util.concurrent.locks.ReentrantLock} costs. The price is that the owner does not know
 * who waits: a waiter spins for a moment and then sleeps for {@value #NAP_NANOS} ns at a time. Not reentrant, not fair: a
 * thread that keeps coming back has to {@linkplain #letOthersGoFirst let others go first}. The memory effects are those of
 * any lock.
 */
abstract class StripeLock {
    private static final VarHandle LOCKED;
    private static final VarHandle WAITING;
    private static final int SPINS = 200;
    private static final int COURTEOUS_SPINS = 10_000;
    private static final long NAP_NANOS = 20_000;

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(StripeLock.class, "locked", int.class);
            WAITING = MethodHandles.lookup().findVarHandle(StripeLock.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Both only through the handles.
    @SuppressWarnings("unused")
    private int locked;

    @SuppressWarnings("unused")
    private int waiting;

    final void lock() {
        if (!LOCKED.compareAndSet(this, 0, 1)) {
            await();
        }
    }

    final void unlock() {
        LOCKED.setRelease(this, 0);
    }

    private void await() {
        WAITING.getAndAdd(this, 1);
        for (int tries = 0; !tryLock(); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, NAP_NANOS);
            }
        }
        WAITING.getAndAdd(this, -1);
    }

    /**
     * Holds back for a moment, if a thread waits, until one has the lock. For a thread that has just given it back and is
     * about to take it again: who naps would else find it taken each time.
     */
    final void letOthersGoFirst() {
        for (int spins = 0; spins < COURTEOUS_SPINS && (int) WAITING.getOpaque(this) > 0 && isFree(); spins++) {
            Thread.onSpinWait();
        }
    }

    /** Looks before it writes, so that waiters do not take the cache line from the owner. */
    private boolean tryLock() {
        return isFree() && LOCKED.compareAndSet(this, 0, 1);
    }

    private boolean isFree() {
        return (int) LOCKED.getOpaque(this) == 0;
    }
}
